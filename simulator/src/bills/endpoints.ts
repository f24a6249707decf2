import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { problem, type ServiceError, type Violation, violationsOf } from '../http/service-error.ts'
import { paidFor, paymentsOf } from '../money/payment.ts'
import { nextBusinessDay } from '../rules/business-days.ts'
import { dayNumberOf } from '../rules/calendar-date.ts'
import { localDate } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { readBill } from './bill.ts'
import { detailProblem, paymentProblem } from './bill-problems.ts'
import { viewOf } from './bill-view.ts'
import { noteDetail } from './detailed.ts'
import { definePaymentTasks } from './payment-flow.ts'
import { requestPayment } from './payment-request.ts'
import { createdView, paymentView } from './payment-view.ts'
import * as schema from './schema.ts'
import { summaryOf } from './summary.ts'

const LONGEST_PERIOD_DAYS = 365

/** Bills of the payment interface: Document 1, endpoints 9 to 12. Every failure is 400 (service-decisions.md, Errors). */
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
        noteDetail(site, account, barcode, at)
        const day = nextBusinessDay(localDate(at, timeZone))
        return { status: 200, json: viewOf(reading.bill, day, paidFor(site, barcode)) }
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
      run: (call) => ({ status: 201, json: createdView(requestPayment(site, call, refuse), timeZone) }),
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

function listOf(violations: readonly Violation[]): string {
  return violations.map(({ caminho, mensagem }) => `${caminho.slice(1) || 'corpo'}: ${mensagem}`).join('; ')
}

/** The message names the parameters, as in the field. */
function periodProblem(violations: readonly Violation[]): ServiceError {
  return problem(400, 'erro_de_validacao', listOf(violations), violations)
}
