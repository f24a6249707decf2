import { z } from 'zod'
import { accountOf, type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import { readInstantPaymentCode } from '../rules/instant-payment-code.ts'
import type { Site } from '../site.ts'
import { billetPaymentProblem } from './billet-payment.ts'
import { chargeState, chargeStateOf } from './charge-record.ts'
import { todayOf } from './charges.ts'
import { refuseFor } from './control.ts'
import { chargeAt, type InstantlyPayable, setInstantPayment, txidOf } from './instant-payments.ts'
import { receivePayment } from './payments.ts'

/** The payer's bank, which pays by the code of a billet, and the switch of the codes. */
export function instantPaymentControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'setInstantPayment',
      method: 'put',
      path: '/accounts/:number/instant-payment',
      summary:
        'Switch on instant-payment codes on the billets that an account makes from now on; without a key it gets one',
      body: z.strictObject({ on: z.boolean() }),
      answers: { 204: { description: 'Set' }, 404: { description: 'No account has this number' } },
      run({ site, params, body }) {
        setInstantPayment(site, accountOf(site, params).number, body.on)
        return { status: 204 }
      },
    }),
    controlEndpoint({
      id: 'payInstantPaymentCode',
      method: 'post',
      path: '/instant-payments',
      summary: 'Pay the instant-payment code of a billet, in production',
      body: z.strictObject({
        code: z.string().min(1).describe('The text of the QR code: pix.qrcode of an answer'),
        paid_on: z.iso.date().optional().describe('Day of the payment; default: today'),
      }),
      answers: {
        200: {
          description: 'Paid',
          schema: chargeState.extend({
            amount: z.int().describe('Cents that were paid'),
            key: z.string(),
            txid: z.string(),
          }),
        },
        400: { description: 'The text is no code, or a damaged one: `error` says why' },
        404: { description: 'The code leads to no payment of the environment, or its key was removed' },
        409: { description: 'The charge cannot be paid: `error` says why' },
      },
      run({ site, body: { code, paid_on: paidOn = todayOf(site) } }) {
        const charge = chargeOfCode(site, code)
        refuseFor(billetPaymentProblem(site, charge, { place: 'online', paidOn }))
        const paid = receivePayment(site, charge, { paidOn, kind: 'pixRecebido' })
        const { key } = charge.payment.instantPayment
        const json = { ...chargeStateOf(paid), amount: paid.received?.cents, key, txid: txidOf(charge) }
        return { status: 200, json }
      },
    }),
  ]
}

/** @throws ControlError 400, 404 */
function chargeOfCode(site: Site, code: string): InstantlyPayable {
  const reading = readInstantPaymentCode(code)
  if (reading.outcome === 'wrong') throw new ControlError(400, reading.problem)
  const [host = '', ...path] = reading.location.split('/')
  const own = new URL(site.origin()).host
  if (host !== own)
    throw new ControlError(
      404,
      `the code leads to ${host}, and codes of ${site.environment} lead to ${own}: give the environment that made it`,
    )
  const [, key = '', id = ''] = /^pix\/([^/]+)\/([^/]+)$/.exec(path.join('/')) ?? []
  const charge = chargeAt(site, key, id)
  if (charge === undefined)
    throw new ControlError(
      404,
      `nothing can be paid at ${reading.location}: its key was removed, or it never was there`,
    )
  return charge
}
