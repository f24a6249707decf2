import type { z } from 'zod'
import { isoOf, type NextStep, outlookView } from '../control-api/outlook.ts'
import { isFinal, type Payment, paidFor, paymentsOfBill } from '../money/payment.ts'
import { nextBusinessDay } from '../rules/business-days.ts'
import { localDate } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { countsOf } from '../webhooks/callback-outlook.ts'
import type { Bill } from './bill.ts'
import type * as schema from './control-schema.ts'
import { detailsOf } from './detailed.ts'
import { type Offer, offerOf } from './payable.ts'
import { REASONS } from './payment-flow.ts'
import { callbacksOf, paymentOutlook } from './payment-outlook.ts'

/** A bill in a list of the control API. */
export function billViewOf(site: Site, bill: Bill): z.output<typeof schema.billView> {
  const { kind, digits, dueDate, terms } = bill
  return {
    codBarras: digits.barcode,
    linhaDigitavel: digits.typeableLine,
    kind,
    amount: digits.amountCents,
    dueDate,
    terms: { ...terms },
    payments: paymentsOfBill(site, bill.digits.barcode).map(paymentViewOf),
  }
}

export function paymentViewOf({ id, account, barcode, amountCents, day, status, reason }: Payment) {
  return { idPagamento: String(id), account, codBarras: barcode, amount: amountCents, day, status, reason }
}

/** All that is known of a bill and its payments, and what comes next. */
export function billRecordOf(site: Site, bill: Bill): z.input<typeof schema.billRecord> {
  const { barcode } = bill.digits
  const payments = paymentsOfBill(site, barcode)
  const withCallbacks = payments.map((payment) => ({ payment, callbacks: callbacksOf(site, payment) }))
  const detailed = detailsOf(site, barcode)
  const day = nextBusinessDay(localDate(site.clock.now(), site.settings.timeZone))
  const offer = offerOf(bill, day, paidFor(site, barcode))
  const { dueCents, bounds, obstacle } = offer
  return {
    ...billViewOf(site, bill),
    payments: withCallbacks.map(({ payment, callbacks }) => ({
      ...paymentViewOf(payment),
      states: payment.states.map(({ status, at }) => ({ status, at: isoOf(at) })),
      callbacks: countsOf(callbacks),
    })),
    charge: (bill.kind === 'billet' ? bill.charge?.id : undefined) ?? null,
    detailed: detailed.map(({ account, at }) => ({ account, at: isoOf(at) })),
    offer: { due: dueCents, ...bounds, obstacle: obstacleText(bill, obstacle, payments) },
    ...outlookView(
      site,
      {
        history: detailed.map(({ account, at }) => ({ at, what: `account ${account} asked for the detail` })),
        next: billSteps(bill, offer, detailed.length > 0),
      },
      ...withCallbacks.map(({ payment, callbacks }) => paymentOutlook(site, payment, callbacks)),
    ),
  }
}

function obstacleText(
  { terms, ...bill }: Bill,
  obstacle: Offer['obstacle'],
  payments: readonly Payment[],
): string | null {
  if (terms.unknown) return REASONS.unknown
  const isChargePaid = bill.kind === 'billet' && bill.charge?.obstacle === 'paid'
  const isUnderWay = payments.some(({ status, executedAt }) => !isFinal(status) && executedAt === null)
  if (obstacle === 'paid' && isUnderWay && !isChargePaid) return UNDER_WAY
  return obstacle && REASONS[obstacle]
}

/** The amount is not taken yet, and the payment may still fail. */
const UNDER_WAY = 'A cobrança tem um pagamento em andamento.'

/** How a payment of the bill can be asked for. */
function billSteps({ terms, digits }: Bill, { dueCents, bounds, obstacle }: Offer, isDetailed: boolean): NextStep[] {
  if (terms.unknown) return [{ at: null, what: 'the service answers that it does not know this barcode' }]
  if (obstacle !== null) return []
  const path = `/v1/codBarras/${digits.barcode}`
  const amount = dueCents === null ? `${bounds.min} to ${bounds.max}` : String(dueCents)
  const first = isDetailed ? '' : `GET ${path}, then `
  return [{ at: null, what: `${first}POST ${path} asks for a payment, today with the valor ${amount}` }]
}
