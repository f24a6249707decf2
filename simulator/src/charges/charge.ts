import type { CalendarDate } from '../rules/calendar-date.ts'

export type ChargeStatus = 'new' | 'waiting' | 'unpaid' | 'link' | 'canceled' | 'paid' | 'expired'

export interface Item {
  readonly name: string
  /** Cents for each piece. */
  readonly value: number
  readonly amount: number
}

export interface Shipping {
  readonly name: string
  readonly value: number
  readonly payee_code: string
}

export interface Address {
  readonly street: string
  readonly number: string | number
  readonly complement: string | null
  readonly neighborhood: string
  readonly city: string
  readonly state: string
  readonly zipcode: string
}

/** A person with name and cpf, or a company with or without them. */
export interface Customer {
  readonly name?: string
  readonly cpf?: string
  readonly juridical_person?: { readonly corporate_name: string; readonly cnpj: string }
  readonly email: string
  readonly phone_number: string
  readonly birth?: string
  readonly address?: Address
}

/** Who pays: the company, where the customer is one. '' without a customer. */
export function payerOf(customer: Customer | null | undefined): { readonly name: string; readonly document: string } {
  const { name = '', cpf = '', juridical_person: company } = customer ?? {}
  return company === undefined ? { name, document: cpf } : { name: company.corporate_name, document: company.cnpj }
}

/** Cents, or hundredths of a percent (1500 is 15%). It holds up to and on `until_date`. */
export interface ConditionalDiscount {
  readonly type: 'currency' | 'percentage'
  readonly value: number
  readonly until_date: CalendarDate
}

/** A screen where the payer chooses how to pay. */
export interface PaymentLink {
  /** Names its page. */
  readonly pageId: string
  /** Cents off when paid by billet; null: none. */
  readonly billet_discount: number | null
  readonly card_discount: number | null
  readonly message: string | null
  readonly expire_at: CalendarDate
  readonly request_delivery_address: boolean
  readonly payment_method: 'banking_billet' | 'credit_card' | 'all'
  /** Where the payer wants the goods; null: not given. */
  readonly deliveryAddress: Address | null
}

interface PaymentBase {
  /** Simulated time at which the method was set, in ms since 1970. */
  readonly setAt: number
  readonly message: string | null
  /** Cents that the link gives off for this method. */
  readonly discount: number
}

export interface BilletPayment extends PaymentBase {
  readonly method: 'banking_billet'
  /** Names its page and its PDF. */
  readonly pageId: string
  /** 47 digits; zeros in the sandbox. */
  readonly typeableLine: string
  readonly expire_at: CalendarDate
  readonly fine: number
  readonly interest: number
  /** Simulated time; null: never printed. */
  readonly printedAt: number | null
  /** null: the billet was made without an instant-payment code. */
  readonly instantPayment: InstantPaymentOfBillet | null
}

/** What an instant-payment code is made of. The code ends with its key. */
export interface InstantPaymentOfBillet {
  /** Random key of the account. */
  readonly key: string
  /** Names the location together with the key: 20 hexadecimal characters. */
  readonly id: string
  readonly amountCents: number
  /** Name of the account. */
  readonly payee: string
}

export interface CardPayment extends PaymentBase {
  readonly method: 'credit_card'
  readonly brand: string
  readonly mask: string
  readonly installments: number
  /** What the card's bank will say. */
  readonly outcome: CardOutcome
  readonly address: Address | null
}

export type CardOutcome = 'paid' | 'unpaid'

export interface ReceivedPayment {
  /** Simulated time of the confirmation, in ms since 1970. */
  readonly confirmedAt: number
  /** The day on which the payer paid. */
  readonly paidOn: CalendarDate
  readonly cents: number
}

/** A transaction (Document 2). Amounts are cents, times ms of simulated time since 1970. */
export interface Charge {
  readonly id: number
  readonly account: string
  /** Application that created it. */
  readonly clientId: string
  /** What generated it; null: it was created by itself. */
  readonly belongsTo: { readonly kind: 'subscription' | 'carnet'; readonly id: number; readonly parcel: number } | null
  readonly status: ChargeStatus
  readonly items: readonly Item[]
  readonly shippings: readonly Shipping[]
  readonly customId: string | null
  readonly notificationUrl: string | null
  /** Stays the same for the whole life of the charge. Charges of a subscription or a carnet share that of their owner. */
  readonly notificationToken: string
  readonly createdAt: number
  readonly history: readonly { readonly message: string; readonly at: number }[]
  readonly conditionalDiscount: ConditionalDiscount | null
  readonly customer: Customer | null
  readonly link: PaymentLink | null
  readonly payment: BilletPayment | CardPayment | null
  readonly received: ReceivedPayment | null
}

/** Whether a payment can still arrive. */
export function isBeforePayment({ status }: Charge): boolean {
  return status !== 'paid' && status !== 'canceled'
}

export function hasRefusedCard({ status, payment }: Charge): boolean {
  return status === 'unpaid' && payment?.method === 'credit_card'
}
