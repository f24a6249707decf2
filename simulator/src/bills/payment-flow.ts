import { createHash } from 'node:crypto'
import { addMovement, availableOf, type MovementKind, type NewMovement } from '../account/ledger.ts'
import { findCharge, todayOf } from '../charges/charges.ts'
import { receivePayment } from '../charges/payments.ts'
import {
  addPayment,
  canBecome,
  isFinal,
  type Payment,
  type PaymentStatus,
  paidFor,
  paymentsOf,
} from '../money/payment.ts'
import { instantOf } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { readBill } from './bill.ts'
import { callbackOf } from './callback.ts'
import { type Obstacle, obstacleTo, offerOf } from './payable.ts'

/** The next step of a payment that is still in a state. */
interface Step {
  readonly id: number
  readonly from: PaymentStatus
}

/** Documents begin here, so that an id is never taken for a position in a list. */
const FIRST_ID = 1_000_001

export const REASONS: Readonly<Record<Obstacle | 'unknown' | 'balance', string>> = {
  balance: 'A conta não tem saldo suficiente.',
  unknown: 'O código de barras deixou de ser conhecido.',
  withdrawn: 'O emissor retirou a cobrança.',
  tooLate: 'O prazo para pagamento terminou.',
  paid: 'A cobrança já foi paga.',
  noPaymentLeft: 'O limite de pagamentos parciais foi atingido.',
  amount: 'O valor não é mais aceito.',
}

/** When a payment makes its next step by itself; undefined: it is being made, or there is none. */
export function nextStepAt(site: Site, { id, status }: Payment): number | undefined {
  const planned = site.tasks.planned<Step>(taskKind(site))
  return planned.find(({ payload }) => payload.id === id && payload.from === status)?.dueAt
}

const taskKind = ({ environment }: Site) => `${environment}.payment`

/** Says what the tasks of payments do; once for each site. */
export function definePaymentTasks(site: Site): void {
  site.tasks.define<Step>(taskKind(site), ({ id, from }) => {
    const payment = paymentsOf(site).get(id)
    // The control API may have moved it on.
    if (payment?.status === from) proceed(site, payment)
  })
}

export type NewPayment = Pick<
  Payment,
  'account' | 'barcode' | 'typeableLine' | 'amountCents' | 'description' | 'requestedAt' | 'day'
>

/** Records an accepted request, and tells the account's webhooks of its first state. */
export function createPayment(site: Site, request: NewPayment, isToday: boolean): Payment {
  return site.records.transaction(() => {
    const created: Payment = {
      id: site.records.nextNumber(`${site.environment}.payments`, FIRST_ID),
      ...request,
      status: 'CRIADO' as const,
      states: [{ status: 'CRIADO' as const, at: request.requestedAt }],
      executedAt: null,
      movementId: null,
      settledAt: null,
      protocol: null,
      reason: null,
    }
    addPayment(site, created)
    if (isToday) return beginProcessing(site, created)
    const { timeZone, bills } = site.settings
    const dueAt = instantOf(request.day, `${bills.scheduledTime}:00`, timeZone)
    return change(site, created, 'AGENDADO', {}, dueAt)
  })
}

/** Makes the next step at once: to the processing, the execution or the settlement. */
export function proceed(site: Site, payment: Payment): Payment {
  return site.records.transaction(() => {
    if (payment.status === 'AGENDADO') return beginProcessing(site, payment)
    if (payment.status === 'EM_PROCESSAMENTO') return execute(site, payment)
    return change(site, payment, 'LIQUIDADO', { settledAt: site.clock.now() })
  })
}

/** Makes all steps that are left at once. */
export function settle(site: Site, payment: Payment): Payment {
  return site.records.transaction(() => {
    let current = payment
    while (!isFinal(current.status)) current = proceed(site, current)
    return current
  })
}

/** Refuses a payment; an amount that was taken goes back to the account. */
export function fail(site: Site, payment: Payment, reason: string): Payment {
  return site.records.transaction(() => {
    if (payment.status === 'EXECUTADO') addMovement(site, movementOf(payment, 'estornoTransferenciaEnviada'))
    return change(site, payment, 'NAO_REALIZADO', { reason, protocol: null })
  })
}

export function cancel(site: Site, payment: Payment, reason: string): Payment {
  return site.records.transaction(() => change(site, payment, 'CANCELADO', { reason }))
}

function beginProcessing(site: Site, payment: Payment): Payment {
  const dueAt = site.clock.now() + site.settings.bills.processingSeconds * 1000
  return change(site, payment, 'EM_PROCESSAMENTO', {}, dueAt)
}

function execute(site: Site, payment: Payment): Payment {
  const reason = reasonAgainst(site, payment)
  if (reason !== null) return fail(site, payment, REASONS[reason])
  const now = site.clock.now()
  const { id: movementId } = addMovement(site, movementOf(payment, 'transferenciaEnviada'))
  const protocol = createHash('sha256')
    .update(`${site.environment} ${payment.id}`)
    .digest('hex')
    .slice(0, 32)
    .toUpperCase()
  payCharge(site, payment)
  const dueAt = now + site.settings.bills.settlementSeconds * 1000
  return change(site, payment, 'EXECUTADO', { executedAt: now, movementId, protocol }, dueAt)
}

function movementOf({ id, account, amountCents, movementId }: Payment, kind: MovementKind): NewMovement {
  const text = kind === 'transferenciaEnviada' ? 'Pagamento de conta' : 'Estorno do pagamento de conta'
  const origin = { kind: 'bill_payment', id } as const
  return { account, kind, cents: amountCents, description: `${text} ${id}`, origin, reverses: movementId }
}

/**
 * The billet of a charge pays the charge with the amount of the payment, on its day, or today when the control API makes it earlier.
 * The charge stays paid when the payment fails afterwards: a paid charge has no other status (Document 2).
 */
function payCharge(site: Site, { barcode, day, amountCents: cents }: Payment): void {
  const reading = readBill(site, barcode)
  if (reading.outcome === 'refused' || reading.bill.kind !== 'billet') return
  const charge = findCharge(site, reading.bill.charge?.id ?? '')
  if (charge === undefined) return
  const today = todayOf(site)
  receivePayment(site, charge, { paidOn: day < today ? day : today, cents })
}

/** Why the execution of a payment would fail now; null: it would not. A bill and an account may have changed since the request. */
export function reasonAgainst(site: Site, payment: Payment): keyof typeof REASONS | null {
  const { barcode, account, amountCents, id, day } = payment
  const reading = readBill(site, barcode)
  if (reading.outcome === 'refused' || reading.bill.terms.unknown) return 'unknown'
  const obstacle = obstacleTo(offerOf(reading.bill, day, paidFor(site, barcode, id)), amountCents)
  return obstacle ?? (availableOf(site, account) < amountCents ? 'balance' : null)
}

/** Writes a state once, tells every webhook of the account, and plans the step after it. */
function change(site: Site, payment: Payment, to: PaymentStatus, facts: Partial<Payment>, nextAt?: number): Payment {
  if (!canBecome(payment.status, to)) throw new Error(`unreachable: ${payment.status} does not become ${to}`)
  const states = [...payment.states, { status: to, at: site.clock.now() }]
  const changed = { ...payment, ...facts, status: to, states }
  paymentsOf(site).put(changed.id, changed)
  site.webhooks.publish('payment', changed.account, callbackOf(site, changed, payment.status))
  const step: Step = { id: changed.id, from: to }
  if (nextAt !== undefined) site.tasks.schedule(taskKind(site), nextAt, step)
  return changed
}
