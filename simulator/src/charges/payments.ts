import { addMovement } from '../account/ledger.ts'
import { addToOutbox } from '../outbox.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import { endOfDay, localDate } from '../rules/local-time.ts'
import { decimalOf } from '../rules/money.ts'
import type { Site } from '../site.ts'
import { amountDueOn, fullAmount, linkDiscount } from './amounts.ts'
import { typeableLineOf } from './billet-digits.ts'
import type { Card } from './cards.ts'
import type {
  Address,
  BilletPayment,
  CardPayment,
  Charge,
  ConditionalDiscount,
  Customer,
  PaymentLink,
} from './charge.ts'
import { changeCharge, changeStatus, findCharge, todayOf } from './charges.ts'
import { newInstantPayment } from './instant-payments.ts'
import { newPageId } from './page-ids.ts'

/** How long a card's bank takes to answer. */
const CARD_ANSWER_MS = 5_000

interface Choice {
  readonly customer: Customer
  readonly message: string | null
  readonly conditionalDiscount: ConditionalDiscount | null
  /** The charge's link, with what the payer gave there. */
  readonly link?: PaymentLink
}

export interface BilletChoice extends Choice {
  readonly expireAt: CalendarDate
  readonly fine: number
  readonly interest: number
}

export interface CardChoice extends Choice {
  readonly card: Card
  readonly installments: number
  readonly address: Address | null
}

/** Makes the billet: the charge waits for its payment until the end of its due date. */
export function setBillet(site: Site, charge: Charge, choice: BilletChoice): Charge & { payment: BilletPayment } {
  const { customer, message, conditionalDiscount, expireAt, fine, interest, link = charge.link } = choice
  const pageId = newPageId(charge.id)
  const discount = linkDiscount(link, 'banking_billet')
  const amountCents = fullAmount(charge, discount)
  const payment: BilletPayment = {
    method: 'banking_billet',
    setAt: site.clock.now(),
    message,
    discount,
    pageId,
    fine,
    interest,
    expire_at: expireAt,
    printedAt: null,
    typeableLine: typeableLineOf(site, charge, expireAt, amountCents),
    instantPayment: newInstantPayment(site, charge, amountCents),
  }
  scheduleDueDate(site, charge.id, expireAt)
  const changes = { customer, conditionalDiscount, link, payment }
  const changed = changeStatus(site, charge, { ...changes, status: 'waiting', message: 'Boleto gerado' })
  return { ...changed, payment }
}

/** Takes the card: the charge waits for the answer of the card's bank. */
export function setCard(site: Site, charge: Charge, choice: CardChoice): Charge {
  const { customer, message, conditionalDiscount, card, installments, address, link = charge.link } = choice
  const { brand, mask, outcome } = card
  const discount = linkDiscount(link, 'credit_card')
  const payment = {
    method: 'credit_card' as const,
    setAt: site.clock.now(),
    message,
    discount,
    brand,
    mask,
    outcome,
    installments,
    address,
  }
  site.tasks.schedule(kindOf(site, 'charge-card'), cardAnswerAt(payment), { id: charge.id, setAt: payment.setAt })
  const changes = { customer, conditionalDiscount, link, payment }
  return changeStatus(site, charge, { ...changes, status: 'waiting', message: 'Pagamento com cartão solicitado' })
}

/** When the card's bank answers, in simulated time. */
export function cardAnswerAt({ setAt }: Pick<CardPayment, 'setAt'>): number {
  return setAt + CARD_ANSWER_MS
}

interface Receipt {
  readonly paidOn: CalendarDate
  /** Of the movement in the account's ledger; an amount of 0 is none. Default: that of a billet or a card. */
  readonly kind?: 'transferenciaRecebida' | 'pixRecebido'
  /** What was paid; default: what is due on the day. */
  readonly cents?: number
}

/** Cards of the sandbox only change the status (Document 2, sandbox rule). */
function isSandboxCard({ environment }: Site, { payment }: Charge): boolean {
  return environment === 'sandbox' && payment?.method === 'credit_card'
}

/** The payment is confirmed: the account gets the amount, the integrator a notification and the payer a message. */
export function receivePayment(site: Site, charge: Charge, receipt: Receipt): Charge {
  return site.records.transaction(() => {
    const { id, account } = charge
    const { paidOn, kind = 'transferenciaRecebida', cents = amountDueOn(charge, paidOn) } = receipt
    if (cents > 0 && !isSandboxCard(site, charge))
      addMovement(site, { account, kind, cents, description: `Cobrança ${id}`, origin: { kind: 'charge', id } })
    const received = { confirmedAt: site.clock.now(), paidOn, cents }
    const paid = changeStatus(site, charge, { status: 'paid', received, message: 'Pagamento confirmado' })
    if (charge.customer !== null) tellPayer(site, paid, charge.customer, cents)
    return paid
  })
}

/** The message of a link or a billet is in e-mails too (Document 2, Payment link update attributes). */
function tellPayer(site: Site, { id, payment }: Charge, { email }: Customer, cents: number): void {
  const confirmed = `Your payment of R$ ${decimalOf(cents)} for charge ${id} was confirmed.`
  const text = [confirmed, ...(payment?.message ? [payment.message] : [])].join('\n')
  addToOutbox(site, { channel: 'email', to: email, subject: 'charge_paid', text, link: null })
}

export function refuseCard(site: Site, charge: Charge): Charge {
  return changeStatus(site, charge, { status: 'unpaid', message: 'Pagamento com cartão recusado' })
}

/** From now on the payer holds a copy, which a bank agency takes even after a cancellation. */
export function printBillet(site: Site, charge: Charge, billet: BilletPayment): Charge & { payment: BilletPayment } {
  const payment = { ...billet, printedAt: billet.printedAt ?? site.clock.now() }
  return { ...changeCharge(site, charge, { payment }), payment }
}

/** The due date of the billet is over. */
export function passDueDate(site: Site, charge: Charge): Charge {
  return changeStatus(site, charge, { status: 'unpaid', message: 'Boleto vencido sem pagamento' })
}

export function expireLink(site: Site, charge: Charge): Charge {
  return changeStatus(site, charge, { status: 'expired', message: 'Link de pagamento expirado' })
}

/** The link expires when its last day ends. */
export function scheduleExpiry(site: Site, id: number, { expire_at: date }: PaymentLink): void {
  site.tasks.schedule(kindOf(site, 'charge-link'), endOfDay(date, site.settings.timeZone), { id, date })
}

/** The billet is unpaid when the day of its due date ends. */
export function scheduleDueDate(site: Site, id: number, date: CalendarDate): void {
  site.tasks.schedule(kindOf(site, 'charge-due'), endOfDay(date, site.settings.timeZone), { id, date })
}

/** Says what happens to charges as time goes by. */
export function defineChargeTasks(site: Site): void {
  site.tasks.define<{ id: number; date: CalendarDate }>(kindOf(site, 'charge-due'), ({ id, date }) => {
    const charge = findCharge(site, id)
    const isDue = charge?.payment?.method === 'banking_billet' && charge.payment.expire_at === date
    if (isDue && charge.status === 'waiting') passDueDate(site, charge)
  })
  site.tasks.define<{ id: number; date: CalendarDate }>(kindOf(site, 'charge-link'), ({ id, date }) => {
    const charge = findCharge(site, id)
    // A link that was changed has another task for its new date.
    if (charge?.status === 'link' && charge.link?.expire_at === date) expireLink(site, charge)
  })
  site.tasks.define<{ id: number; setAt: number }>(kindOf(site, 'charge-card'), ({ id, setAt }) => {
    const charge = findCharge(site, id)
    if (charge?.payment?.method !== 'credit_card' || charge.status !== 'waiting') return
    // Behind a card that the control API refused before, a link takes another one.
    if (charge.payment.setAt !== setAt) return
    if (charge.payment.outcome === 'unpaid') refuseCard(site, charge)
    // In production nothing confirms itself: the control API does it.
    else if (site.environment === 'sandbox') confirmCard(site, charge)
  })
}

/** The day of the payment is the one on which the card was given. */
export function confirmCard(site: Site, charge: Charge): Charge {
  const givenOn = charge.payment === null ? todayOf(site) : localDate(charge.payment.setAt, site.settings.timeZone)
  return receivePayment(site, charge, { paidOn: givenOn })
}

function kindOf(site: Site, name: string): string {
  return `${site.environment}.${name}`
}
