import { type PaymentStep, paymentSteps } from '../bills/payment-outlook.ts'
import { ctlCall, type NextStep, type Outlook } from '../control-api/outlook.ts'
import { paymentsOfBill } from '../money/payment.ts'
import { barcodeOf } from '../rules/barcode.ts'
import { endOfDay } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import type { BilletPayment, CardPayment, Charge, PaymentLink } from './charge.ts'
import { todayOf } from './charges.ts'
import { codeOf } from './instant-payments.ts'
import { cardAnswerAt } from './payments.ts'

/** What happened to a charge beside its notifications, and what can become of it. Also for charges of subscriptions and carnets. */
export function chargeOutlook(site: Site, charge: Charge): Outlook {
  const { history, payment } = charge
  const printedAt = payment?.method === 'banking_billet' ? payment.printedAt : null
  return {
    history: [
      ...history.map(({ message, at }) => ({ at, what: `"${message}"` })),
      ...(printedAt === null ? [] : [{ at: printedAt, what: 'the billet was printed' }]),
    ],
    next: nextOf(site, charge),
  }
}

function nextOf(site: Site, charge: Charge): NextStep[] {
  const { id, status, payment } = charge
  if (status === 'new') return newSteps(charge)
  if (status === 'link' || status === 'expired') return linkSteps(site, charge)
  if (status === 'paid') return []
  if (payment?.method === 'credit_card')
    return status === 'waiting' ? cardSteps(site, id, payment) : refusedCardSteps(site, charge)
  return payment === null ? [] : billetSteps(site, charge, payment)
}

function newSteps({ id, belongsTo }: Charge): NextStep[] {
  if (belongsTo !== null)
    return [
      { at: null, what: `charge ${id} gets the payment method of ${belongsTo.kind} ${belongsTo.id}, which says when` },
    ]
  const ways = `POST /v1/charge/${id}/pay sets a payment method, POST /v1/charge/${id}/link makes a payment link`
  return [{ at: null, what: `charge ${id} stays new until then: ${ways}` }]
}

function linkSteps(site: Site, { id, status, link }: Charge): NextStep[] {
  if (link === null) return []
  if (status === 'expired')
    return [{ at: null, what: `PUT /v1/charge/${id}/link with a later expire_at renews the link of charge ${id}` }]
  return [
    {
      at: endOfDay(link.expire_at, site.settings.timeZone),
      what: `the link's last day ${link.expire_at} is over: charge ${id} expires`,
    },
    { at: null, what: `the payer chooses a payment method of charge ${id} at ${pageOf(site, link)}` },
  ]
}

function pageOf(site: Site, { pageId }: PaymentLink): string {
  return `${site.origin()}/payment-links/${pageId}`
}

function refusedCardSteps(site: Site, { id, status, link }: Charge): NextStep[] {
  if (status !== 'unpaid' || link === null) return []
  const what =
    todayOf(site) <= link.expire_at
      ? `the payer tries another payment of charge ${id} at ${pageOf(site, link)}`
      : `PUT /v1/charge/${id}/link with a later expire_at renews the link of charge ${id}`
  return [{ at: null, what }]
}

/** In production the card's bank refuses by itself, and confirms by the control API only. */
function cardSteps(site: Site, id: number, payment: CardPayment): NextStep[] {
  const { outcome } = payment
  const at = cardAnswerAt(payment)
  if (site.environment === 'production' && outcome === 'paid') {
    const calls = `${ctlCall(site, `confirm-card-payment ${id}`)} pays charge ${id}, ${ctlCall(site, `refuse-card-payment ${id}`)} refuses it`
    return [{ at: null, what: `in production no card payment is confirmed by itself: ${calls}` }]
  }
  return [
    { at, what: `the card's bank ${outcome === 'paid' ? 'confirms' : 'refuses'}: charge ${id} becomes ${outcome}` },
  ]
}

function billetSteps(site: Site, charge: Charge, payment: BilletPayment): NextStep[] {
  const { id, status } = charge
  const { expire_at: dueDate } = payment
  const due = {
    at: endOfDay(dueDate, site.settings.timeZone),
    what: `the due date ${dueDate} is over: charge ${id} becomes unpaid`,
  }
  const ways = waysToPay(site, charge, payment).map((what) => ({ at: null, what }))
  const asked = requestedPayments(site, id, payment)
  const isPaidBefore = asked.some(({ at, to }) => to === 'EXECUTADO' && at < due.at)
  return status === 'waiting' && !isPaidBefore ? [due, ...asked, ...ways] : [...asked, ...ways]
}

/** The steps of the payments of bills that were requested for the billet and are not executed. In the sandbox there are none. */
function requestedPayments(site: Site, id: number, { typeableLine }: BilletPayment): PaymentStep[] {
  return paymentsOfBill(site, barcodeOf(typeableLine))
    .flatMap((payment) => paymentSteps(site, payment))
    .map((step) => (step.to === 'EXECUTADO' ? { ...step, what: `${step.what}: charge ${id} becomes paid` } : step))
}

/** A cancelled billet is paid by its paper only. */
function waysToPay(site: Site, { id, status }: Charge, payment: BilletPayment): string[] {
  const { printedAt, typeableLine, instantPayment } = payment
  const isCanceled = status === 'canceled'
  if (isCanceled && printedAt === null) return []
  if (site.environment === 'sandbox')
    return [`a billet of the sandbox cannot be paid: only production pays charge ${id}`]
  if (isCanceled)
    return [
      `${ctlCall(site, `pay-billet ${id} --place bank_agency`)} pays charge ${id}, because its billet was printed before`,
    ]
  const byCode = `${ctlCall(site, 'pay-instant-payment-code')} --code with the code of its billet pays charge ${id}`
  const noCode = `the instant-payment code of charge ${id} cannot be paid: its key was removed`
  return [
    `${ctlCall(site, `pay-billet ${id}`)} pays charge ${id}`,
    `GET, then POST /v1/codBarras/${typeableLine} pays charge ${id} from an account (${ctlCall(site, `show bill ${typeableLine}`)})`,
    ...(instantPayment === null ? [] : [codeOf(site, payment) === null ? noCode : byCode]),
  ]
}
