import { type Call, type Endpoint, endpoint } from '../http/endpoint.ts'
import { problem, type ServiceError, type Violation, violationsOf } from '../http/service-error.ts'
import { nextBusinessDay } from '../rules/business-days.ts'
import { dayNumberOf } from '../rules/calendar-date.ts'
import { paymentDayOf } from '../rules/cut-offs.ts'
import { localDate } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { type Bill, readBill } from './bill.ts'
import { detailProblem, paymentProblem, textOf } from './bill-problems.ts'
import { viewOf } from './bill-view.ts'
import { type Obstacle, type Offer, obstacleTo, offerOf } from './payable.ts'
import { paidAmounts, paymentsOf } from './payment.ts'
import { createPayment, definePaymentTasks } from './payment-flow.ts'
import { createdView, paymentView } from './payment-view.ts'
import * as schema from './schema.ts'
import { summaryOf } from './summary.ts'

const LONGEST_PERIOD_DAYS = 365

/** Bills of the payment interface: Document 1, endpoints 9 to 12. Every failure is 400 (DECISIONS.md, Errors). */
export function billEndpoints(site: Site): Endpoint[] {
  definePaymentTasks(site)
  const { errors, timeZone } = site.settings
  const refuse = (text: string) => paymentProblem(errors, text)

  return [
    endpoint({
      number: '1:9',
      id: 'showBill',
      method: 'get',
      path: '/v1/codBarras/:codBarras',
      scope: 'svc.barcode.read',
      summary: 'Show what a barcode or typeable line asks for; required before its payment',
      answers: {
        200: { description: 'The billet, or the utility or tax', schema: schema.billSchema },
        400: { description: 'No barcode, or an unknown one', schema: schema.detailProblemSchema },
      },
      run({ params, application: { account }, at }) {
        const text = params.codBarras ?? ''
        const reading = readBill(site, text)
        if (reading.outcome === 'refused') throw detailProblem(errors, text, reading.problem)
        if (reading.bill.terms.unknown) throw detailProblem(errors, text, 'unknown')
        const { barcode } = reading.bill.digits
        const detailed = detailedBy(site)
        if (detailed.get(`${account} ${barcode}`) === undefined) detailed.put(`${account} ${barcode}`, at)
        const day = nextBusinessDay(localDate(at, timeZone))
        return { status: 200, json: viewOf(reading.bill, day, paidAmounts(site, barcode)) }
      },
    }),
    endpoint({
      number: '1:10',
      id: 'payBill',
      method: 'post',
      path: '/v1/codBarras/:codBarras',
      scope: 'svc.barcode.pay.write',
      summary: 'Request the payment of a barcode or typeable line, today or later',
      body: schema.paymentBody,
      invalid: (error) => refuse(listOf(violationsOf(error))),
      unreadable: ({ message }) => refuse(message),
      answers: {
        201: { description: 'Accepted', schema: schema.createdSchema },
        400: { description: 'Refused', schema: schema.paymentProblemSchema },
      },
      run: (call) => ({ status: 201, json: createdView(pay(site, call, refuse), timeZone) }),
    }),
    endpoint({
      number: '1:12',
      id: 'summarizePayments',
      method: 'get',
      path: '/v1/resumo',
      scope: 'svc.barcode.pay.read',
      summary: 'Count the payments that were requested in a period',
      query: schema.summaryQuery,
      invalid: (error) => periodProblem(violationsOf(error)),
      answers: { 200: { description: 'The counts', schema: schema.summarySchema }, 400: { description: 'No period' } },
      run({ query: { dataInicio, dataFim }, application: { account } }) {
        const days = dayNumberOf(dataFim) - dayNumberOf(dataInicio)
        if (days < 0) throw periodProblem([{ caminho: '/dataFim', mensagem: 'é anterior a dataInicio' }])
        if (days > LONGEST_PERIOD_DAYS)
          throw periodProblem([{ caminho: '/dataFim', mensagem: `o período pode ter até ${LONGEST_PERIOD_DAYS} dias` }])
        return { status: 200, json: summaryOf(site, account, dataInicio, dataFim) }
      },
    }),
    endpoint({
      number: '1:11',
      id: 'showPayment',
      method: 'get',
      path: '/v1/:idPagamento',
      digits: ['idPagamento'],
      scope: 'svc.barcode.pay.read',
      summary: 'Show a payment',
      answers: {
        200: { description: 'The payment', schema: schema.paymentSchema },
        400: { description: 'The account has no such payment', schema: schema.paymentProblemSchema },
      },
      run({ params, application: { account } }) {
        const payment = paymentsOf(site).get(params.idPagamento ?? '')
        if (payment?.account !== account) throw refuse('Este pagamento não existe.')
        return { status: 200, json: paymentView(payment, timeZone) }
      },
    }),
  ]
}

/** When an account asked for a bill first. This is bookkeeping, and no record: a GET may write it. */
function detailedBy(site: Site) {
  return site.collection<number>('bookkeeping.detailed')
}

type PaymentCall = Call<unknown, { valor: number; dataPagamento: string; descricao?: string | undefined }>

function pay(site: Site, { params, body, application: { account }, at }: PaymentCall, refuse: Refuse) {
  const reading = readBill(site, params.codBarras ?? '')
  if (reading.outcome === 'refused') throw refuse(textOf(reading.problem))
  const { bill } = reading
  const { barcode, typeableLine } = bill.digits
  if (bill.terms.unknown) throw refuse(textOf('unknown'))
  if (detailedBy(site).get(`${account} ${barcode}`) === undefined)
    throw refuse('Consulte o código de barras antes de pagar.')
  const { date: day, outcome } = requirePaymentDay(site, bill, body, at, refuse)
  const offer = offerOf(bill, day, paidAmounts(site, barcode))
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

function listOf(violations: readonly Violation[]): string {
  return violations.map(({ caminho, mensagem }) => `${caminho.slice(1) || 'corpo'}: ${mensagem}`).join('; ')
}

/** The message names the parameters, as in the field. */
function periodProblem(violations: readonly Violation[]): ServiceError {
  return problem(400, 'erro_de_validacao', listOf(violations), violations)
}
