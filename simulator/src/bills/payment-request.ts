import type { Call } from '../http/endpoint.ts'
import type { ServiceError } from '../http/service-error.ts'
import { type Payment, paidFor } from '../money/payment.ts'
import { paymentDayOf } from '../rules/cut-offs.ts'
import type { Site } from '../site.ts'
import { type Bill, readBill } from './bill.ts'
import { textOf } from './bill-problems.ts'
import { wasDetailed } from './detailed.ts'
import { type Obstacle, type Offer, obstacleTo, offerOf } from './payable.ts'
import { createPayment } from './payment-flow.ts'

type PaymentCall = Call<unknown, { valor: number; dataPagamento: string; descricao?: string | undefined }>

/** @throws ServiceError 400 as `refuse` makes it, with the first reason against the payment */
export function requestPayment(
  site: Site,
  { params, body, application: { account }, at }: PaymentCall,
  refuse: Refuse,
): Payment {
  const reading = readBill(site, params.codBarras ?? '')
  if (reading.outcome === 'refused') throw refuse(textOf(reading.problem))
  const { bill } = reading
  const { barcode, typeableLine } = bill.digits
  if (bill.terms.unknown) throw refuse(textOf('unknown'))
  if (!wasDetailed(site, account, barcode)) throw refuse('Consulte o código de barras antes de pagar.')
  const { date: day, outcome } = requirePaymentDay(site, bill, body, at, refuse)
  const offer = offerOf(bill, day, paidFor(site, barcode))
  const obstacle = obstacleTo(offer, body.valor)
  if (obstacle !== null) throw refuse(obstacleText(obstacle, offer))
  const request = { account, barcode, typeableLine, amountCents: body.valor, description: body.descricao ?? '' }
  return createPayment(site, { ...request, requestedAt: at, day }, outcome === 'today')
}

type Refuse = (text: string) => ServiceError

function requirePaymentDay(site: Site, { kind }: Bill, body: PaymentCall['body'], now: number, refuse: Refuse) {
  const { valor: amountCents, dataPagamento: date } = body
  const day = paymentDayOf({ kind, amountCents, date, now, zone: site.settings.timeZone })
  if (day.outcome === 'past') throw refuse('A data de pagamento já passou.')
  if (day.outcome === 'afterCutOff')
    throw refuse(`Para pagamento hoje, o horário limite é ${day.cutOff}. Informe o próximo dia útil.`)
  return day
}

function obstacleText(obstacle: Obstacle, { dueCents, bounds: { min, max } }: Offer): string {
  switch (obstacle) {
    case 'withdrawn':
      return 'Este código de barras não pode ser pago.'
    case 'tooLate':
      return 'O prazo para pagamento deste código de barras terminou.'
    case 'paid':
      return 'Este código de barras já foi pago, ou tem um pagamento em andamento.'
    case 'noPaymentLeft':
      return 'O limite de pagamentos parciais foi atingido.'
    case 'amount':
      return amountText(dueCents, min, max)
  }
}

function amountText(dueCents: number | null, min: number, max: number): string {
  if (dueCents === null) return `O valor vai de ${min} a ${max}, em centavos.`
  const exact = `O valor na data do pagamento é ${dueCents}`
  return min === max ? `${exact}, em centavos.` : `${exact}; outros valores vão de ${min} a ${max}, em centavos.`
}
