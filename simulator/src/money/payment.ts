import type { Collection } from '../records.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import type { Site } from '../site.ts'
import type { Paid } from './amounts.ts'

export const PAYMENT_STATUSES = [
  'CRIADO',
  'AGENDADO',
  'EM_PROCESSAMENTO',
  'EXECUTADO',
  'LIQUIDADO',
  'NAO_REALIZADO',
  'CANCELADO',
] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** A request to pay a bill. Times are simulated, in ms since 1970. */
export interface Payment {
  readonly id: number
  readonly account: string
  readonly barcode: string
  readonly typeableLine: string
  readonly amountCents: number
  readonly description: string
  readonly requestedAt: number
  /** The business day on which it is paid. */
  readonly day: CalendarDate
  readonly status: PaymentStatus
  /** Every state that it had, with the time from which it had it; the last one is `status`. */
  readonly states: readonly { readonly status: PaymentStatus; readonly at: number }[]
  /** When the amount was taken from the account. */
  readonly executedAt: number | null
  /** Id of the movement that took it. */
  readonly movementId: number | null
  readonly settledAt: number | null
  /** Of the bank, from the execution on. */
  readonly protocol: string | null
  /** Why it was not made, or canceled. */
  readonly reason: string | null
}

/** The transitions of service-decisions.md. */
const NEXT: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  CRIADO: ['EM_PROCESSAMENTO', 'AGENDADO'],
  AGENDADO: ['EM_PROCESSAMENTO', 'NAO_REALIZADO', 'CANCELADO'],
  EM_PROCESSAMENTO: ['EXECUTADO', 'NAO_REALIZADO'],
  EXECUTADO: ['LIQUIDADO', 'NAO_REALIZADO'],
  LIQUIDADO: [],
  NAO_REALIZADO: [],
  CANCELADO: [],
}

export function canBecome(from: PaymentStatus, to: PaymentStatus): boolean {
  return NEXT[from].includes(to)
}

export function isFinal(status: PaymentStatus): boolean {
  return NEXT[status].length === 0
}

export function paymentsOf(site: Site): Collection<Payment> {
  return site.collection<Payment>('payments')
}

/** The payments of a bill, of all accounts, oldest first. */
export function paymentsOfBill(site: Site, barcode: string): Payment[] {
  return (idsOfBills(site).get(barcode) ?? []).flatMap((id) => paymentsOf(site).get(id) ?? [])
}

/** Keeps a payment that was just requested. */
export function addPayment(site: Site, payment: Payment): void {
  paymentsOf(site).put(payment.id, payment)
  const ids = idsOfBills(site)
  ids.put(payment.barcode, [...(ids.get(payment.barcode) ?? []), payment.id])
}

/** Ids of payments by barcode: a list of all payments would take longer with each of them. */
function idsOfBills(site: Site): Collection<readonly number[]> {
  return site.collection<readonly number[]>('payments-by-barcode')
}

/**
 * All accounts' payments of a bill that were not refused or canceled.
 * @param before only payments that were requested before this one count
 */
export function paidFor(site: Site, barcode: string, before = Number.POSITIVE_INFINITY): Paid[] {
  return paymentsOfBill(site, barcode)
    .filter((payment) => payment.id < before && counts(payment.status))
    .map(({ amountCents, day }) => ({ cents: amountCents, day }))
}

function counts(status: PaymentStatus): boolean {
  return status !== 'NAO_REALIZADO' && status !== 'CANCELADO'
}
