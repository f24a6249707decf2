import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import { canBecome, isFinal, type PaymentStatus, paymentsOf } from '../money/payment.ts'
import type { Site } from '../site.ts'
import { storedBills } from './bill.ts'
import { billRecordOf, billViewOf, paymentViewOf } from './bill-record.ts'
import * as schema from './control-schema.ts'
import { knownBill, makeBill, patchBill } from './new-bill.ts'
import { cancel, fail, settle } from './payment-flow.ts'

const billAnswer = { description: 'The bill', schema: schema.billView }
const paymentAnswers = {
  200: { description: 'The payment', schema: schema.paymentView },
  404: { description: 'No such payment' },
  409: { description: 'The payment is in a state that does not allow it' },
}

/** Bills and their payments, as issuers and banks would change them. */
export function billControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'createBill',
      method: 'post',
      path: '/bills',
      summary: 'Make a billet, or the bill of a utility or tax, with its barcode and typeable line',
      body: schema.newBill,
      answers: { 201: billAnswer },
      run: ({ site, body }) => ({ status: 201, json: billViewOf(site, makeBill(site, body)) }),
    }),
    controlEndpoint({
      id: 'updateBill',
      method: 'patch',
      path: '/bills/:codBarras',
      summary: 'Change what the service knows of a bill, of any barcode or typeable line',
      body: schema.termsPatch,
      answers: {
        200: billAnswer,
        400: { description: 'No barcode, or terms that this bill does not have' },
        409: { description: 'Terms that follow from a charge' },
      },
      run: ({ site, params, body }) => ({
        status: 200,
        json: billViewOf(site, patchBill(site, knownBill(site, params.codBarras ?? ''), body)),
      }),
    }),
    controlEndpoint({
      id: 'listBills',
      method: 'get',
      path: '/bills',
      summary: 'List the bills that the control API made or changed, with their payments',
      answers: { 200: { description: 'The bills', schema: schema.billView.array() } },
      run: ({ site }) => ({
        status: 200,
        json: storedBills(site)
          .list()
          .map(({ barcode }) => billViewOf(site, knownBill(site, barcode))),
      }),
    }),
    controlEndpoint({
      id: 'showBill',
      method: 'get',
      path: '/bills/:codBarras',
      summary:
        'Show the bill of a barcode or typeable line: terms, payments with their states, and what comes next and when',
      answers: { 200: { description: 'The bill', schema: schema.billRecord } },
      run: ({ site, params: { codBarras = '' } }) => ({
        status: 200,
        json: billRecordOf(site, knownBill(site, codBarras.replace(/[\s.-]/g, ''))),
      }),
    }),
    controlEndpoint({
      id: 'listPayments',
      method: 'get',
      path: '/payments',
      summary: 'List the payments of bills of all accounts',
      answers: { 200: { description: 'The payments', schema: schema.paymentView.array() } },
      run: ({ site }) => ({ status: 200, json: paymentsOf(site).list().map(paymentViewOf) }),
    }),
    controlEndpoint({
      id: 'cancelPayment',
      method: 'post',
      path: '/payments/:idPagamento/cancel',
      summary: 'Cancel a scheduled payment of a bill',
      body: schema.reasonBody,
      answers: paymentAnswers,
      run({ site, params, body: { reason = 'O pagamento foi cancelado.' } }) {
        const payment = requirePayment(site, params, 'CANCELADO')
        return { status: 200, json: paymentViewOf(cancel(site, payment, reason)) }
      },
    }),
    controlEndpoint({
      id: 'failPayment',
      method: 'post',
      path: '/payments/:idPagamento/fail',
      summary: 'Let a payment of a bill fail; an amount that was taken goes back to the account',
      body: schema.reasonBody,
      answers: paymentAnswers,
      run({ site, params, body: { reason = 'O banco recusou o pagamento.' } }) {
        const payment = requirePayment(site, params, 'NAO_REALIZADO')
        return { status: 200, json: paymentViewOf(fail(site, payment, reason)) }
      },
    }),
    controlEndpoint({
      id: 'settlePayment',
      method: 'post',
      path: '/payments/:idPagamento/settle',
      summary: 'Make every step of a payment of a bill that is left, at once; without enough balance it fails',
      answers: paymentAnswers,
      run: ({ site, params }) => ({
        status: 200,
        json: paymentViewOf(settle(site, requirePayment(site, params, null))),
      }),
    }),
  ]
}

/** @param to the state it must be able to reach next; null: any @throws ControlError 404, 409 */
function requirePayment(site: Site, { idPagamento = '' }: Readonly<Record<string, string>>, to: PaymentStatus | null) {
  const payment = paymentsOf(site).get(idPagamento)
  if (payment === undefined)
    throw new ControlError(
      404,
      `no payment ${idPagamento} in ${site.environment}: see GET /control/payments, or choose the other environment`,
    )
  const { status } = payment
  const isAllowed = to === null ? !isFinal(status) : canBecome(status, to)
  if (!isAllowed)
    throw new ControlError(409, `payment ${idPagamento} is ${status}: it cannot become ${to ?? 'LIQUIDADO'}`)
  return payment
}
