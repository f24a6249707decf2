import type { NextStep, Outlook } from '../control-api/outlook.ts'
import { isFinal, type Payment, type PaymentStatus } from '../money/payment.ts'
import type { Site } from '../site.ts'
import type { Callback } from '../webhooks/callback.ts'
import { callbackOutlook } from '../webhooks/callback-outlook.ts'
import { nextStepAt, REASONS, reasonAgainst } from './payment-flow.ts'

/** The states of a payment, its callbacks, and the steps that it makes by itself. @param callbacks those that tell of it */
export function paymentOutlook(site: Site, payment: Payment, callbacks: readonly Callback[]): Outlook {
  const { id, states, account } = payment
  const calls = callbackOutlook(site, callbacks, (callback) => statusIn(callback) ?? 'unknown')
  const webhooks = site.webhooks.registered.list()
  const isHeard = webhooks.some((one) => one.interface === 'payment' && one.account === account)
  const unheard = {
    at: null,
    what: `no callback tells of payment ${id}: account ${account} registered no URL at the payment interface`,
  }
  return {
    history: [
      ...states.map(({ status, at }) => ({ at, what: `payment ${id} is ${status}` })),
      ...(payment.reason === null ? [] : [{ at: lastOf(states).at, what: `payment ${id}: ${payment.reason}` }]),
      ...calls.history,
    ],
    next: [...paymentSteps(site, payment), ...calls.next, ...(isHeard || isFinal(payment.status) ? [] : [unheard])],
  }
}

/** The callbacks that tell of a payment. */
export function callbacksOf(site: Site, { id, account }: Payment): readonly Callback[] {
  const member = `"identificador":"${id}"`
  return site.webhooks.callbacks
    .list()
    .filter((one) => one.interface === 'payment' && one.account === account && one.body.includes(member))
}

/** A step of a payment. */
export interface PaymentStep extends NextStep {
  /** Simulated time, in ms since 1970. */
  readonly at: number
  readonly to: PaymentStatus
}

/** The steps that a payment makes by itself, each with its time. */
export function paymentSteps(site: Site, payment: Payment): PaymentStep[] {
  const { id, status } = payment
  if (isFinal(status)) return []
  const { processingSeconds, settlementSeconds } = site.settings.bills
  const first = nextStepAt(site, payment) ?? site.clock.now()
  const processedAt = status === 'AGENDADO' ? first : null
  const executedAt = processedAt === null ? first : processedAt + processingSeconds * 1000
  const step = (at: number, to: PaymentStatus, more = ''): PaymentStep => {
    return { at, to, what: `payment ${id} becomes ${to}${more}` }
  }
  if (status === 'EXECUTADO') return [step(first, 'LIQUIDADO')]
  const processed = processedAt === null ? [] : [step(processedAt, 'EM_PROCESSAMENTO')]
  const reason = reasonAgainst(site, payment)
  if (reason !== null)
    return [...processed, step(executedAt, 'NAO_REALIZADO', `, as things are now: ${REASONS[reason]}`)]
  return [...processed, step(executedAt, 'EXECUTADO'), step(executedAt + settlementSeconds * 1000, 'LIQUIDADO')]
}

function statusIn({ body }: Callback): string | undefined {
  return /"atual":"(\w+)"/.exec(body)?.[1]
}

function lastOf<T>(list: readonly T[]): T {
  return list[list.length - 1] as T
}
