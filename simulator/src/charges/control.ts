import { z } from 'zod'
import type { Application } from '../applications.ts'
import {
  type ControlCall,
  type ControlEndpoint,
  ControlError,
  controlEndpoint,
} from '../control-api/control-endpoint.ts'
import { setForm } from '../notifications/notify.ts'
import type { Site } from '../site.ts'
import { billetPaymentProblem } from './billet-payment.ts'
import { addCard } from './cards.ts'
import type { Charge } from './charge.ts'
import { chargeRecord, chargeRecordOf, chargeState, chargeStateOf } from './charge-record.ts'
import { findCharge, listCharges, todayOf } from './charges.ts'
import { createManyCharges } from './many-charges.ts'
import { confirmCard, expireLink, passDueDate, printBillet, receivePayment, refuseCard } from './payments.ts'
import { notificationUrl } from './schema.ts'

/** Payers, banks and card banks, whose part the control API plays. */
export function chargeControl(): ControlEndpoint[] {
  return [...records(), ...payments()]
}

function records(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'createCard',
      method: 'post',
      path: '/cards',
      summary: 'Make a card token that can be used once; brands that the service refuses can be made too',
      body: z.strictObject({
        brand: z.string().min(1).default('visa'),
        outcome: z.enum(['paid', 'unpaid']).default('paid').describe('The answer of the card’s bank'),
      }),
      answers: {
        201: {
          description: 'The token',
          schema: z.object({ payment_token: z.string(), brand: z.string(), outcome: z.string() }),
        },
      },
      run({ site, body }) {
        const { token, brand, outcome } = addCard(site, body)
        return { status: 201, json: { payment_token: token, brand, outcome } }
      },
    }),
    controlEndpoint({
      id: 'listCharges',
      method: 'get',
      path: '/charges',
      summary: 'List the charges of all accounts',
      answers: { 200: { description: 'The charges', schema: z.object({ charges: z.array(chargeState) }) } },
      run: ({ site }) => ({ status: 200, json: { charges: listCharges(site).map(chargeStateOf) } }),
    }),
    controlEndpoint({
      id: 'showCharge',
      method: 'get',
      path: '/charges/:id',
      summary: 'Show a charge with its history, and what comes next and when',
      answers: {
        200: { description: 'The charge', schema: chargeRecord },
        404: { description: 'No charge has this id' },
      },
      run: ({ site, params }) => ({ status: 200, json: chargeRecordOf(site, chargeOf(site, params)) }),
    }),
    controlEndpoint({
      id: 'createCharges',
      method: 'post',
      path: '/charges',
      summary: 'Create many charges at once, as requests of an application would, with their notifications',
      body: z.strictObject({
        count: z.int().min(1).max(100_000).default(1),
        clientId: z.string().optional().describe('Default: the first application'),
        notificationUrl: notificationUrl.nullable().default(null),
        value: z.int().min(1).max(9_999_999_999).default(10_000).describe('Cents of each charge'),
        payment: z
          .enum(['none', 'credit_card'])
          .default('none')
          .describe(
            'credit_card: waiting at once, and paid 5 simulated seconds later, in production by confirmCardPayment',
          ),
      }),
      answers: {
        201: {
          description: 'The ids of the charges, which follow each other unless others are created at the same time',
          schema: z.object({ count: z.int(), charges: z.array(z.int()) }),
        },
        404: { description: 'No application has this id' },
      },
      async run({ site, body: { clientId, ...many } }) {
        const application = applicationOf(site, clientId ?? site.applications.list()[0]?.clientId ?? '')
        const charges = await createManyCharges(site, application, many)
        return { status: 201, json: { count: charges.length, charges } }
      },
    }),
    controlEndpoint({
      id: 'setNotificationForm',
      method: 'put',
      path: '/applications/:clientId/notifications',
      summary: 'Choose how an application gets notifications of its charges: JSON entries or a token to fetch them',
      body: z.strictObject({ form: z.enum(['json', 'token']) }),
      answers: { 204: { description: 'Set' }, 404: { description: 'No application has this id' } },
      run({ site, params: { clientId = '' }, body }) {
        setForm(site, applicationOf(site, clientId).clientId, body.form)
        return { status: 204 }
      },
    }),
  ]
}

/** What happens to a charge outside of the application. */
function payments(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'payBillet',
      method: 'post',
      path: '/charges/:id/pay',
      summary: 'Pay the billet of a charge in production; the billet of a cancelled charge only at a bank agency',
      body: z.strictObject({
        place: z.enum(['online', 'bank_agency']).default('online'),
        paid_on: z.iso.date().optional().describe('Day of the payment; default: today'),
      }),
      answers: changed('Paid'),
      run({ site, params, body: { place, paid_on: paidOn = todayOf(site) } }) {
        const charge = chargeOf(site, params)
        refuseFor(billetPaymentProblem(site, charge, { place, paidOn }))
        return stateAnswer(receivePayment(site, charge, { paidOn }))
      },
    }),
    controlEndpoint({
      id: 'printBillet',
      method: 'post',
      path: '/charges/:id/print',
      summary: 'Print the billet of a charge, so that it can be paid at a bank agency after a cancellation',
      answers: changed('Printed'),
      run({ site, params }) {
        const charge = chargeOf(site, params)
        const { payment, status } = charge
        if (payment?.method !== 'banking_billet') throw new ControlError(409, 'the charge has no billet')
        if (status === 'canceled') throw new ControlError(409, 'the charge is cancelled: print its billet before')
        return stateAnswer(printBillet(site, charge, payment))
      },
    }),
    controlEndpoint({
      id: 'confirmCardPayment',
      method: 'post',
      path: '/charges/:id/confirm',
      summary: 'Confirm a card payment that waits, which in production nothing else does',
      answers: changed('Paid'),
      run: (call) => stateAnswer(confirmCard(call.site, waitingForCard(call))),
    }),
    controlEndpoint({
      id: 'refuseCardPayment',
      method: 'post',
      path: '/charges/:id/refuse',
      summary: 'Refuse a card payment that waits',
      answers: changed('Refused'),
      run: (call) => stateAnswer(refuseCard(call.site, waitingForCard(call))),
    }),
    controlEndpoint({
      id: 'expireCharge',
      method: 'post',
      path: '/charges/:id/expire',
      summary: 'Let a payment link expire, or the due date of a billet pass, before its time',
      answers: changed('Expired or unpaid'),
      run({ site, params }) {
        const charge = chargeOf(site, params)
        if (charge.status === 'link') return stateAnswer(expireLink(site, charge))
        if (charge.status === 'waiting' && charge.payment?.method === 'banking_billet')
          return stateAnswer(passDueDate(site, charge))
        throw new ControlError(409, `the charge is ${charge.status}: only a link and a waiting billet expire`)
      },
    }),
  ]
}

/** @throws ControlError 404 */
function applicationOf(site: Site, clientId: string): Application {
  const application = site.applications.find(clientId)
  if (application === undefined)
    throw new ControlError(404, `no application has the id ${clientId}: see GET /control/applications`)
  return application
}

function changed(description: string) {
  return {
    200: { description, schema: chargeState },
    404: { description: 'No charge has this id' },
    409: { description: 'The charge cannot change like that: `error` says why' },
  }
}

/** @throws ControlError 404 */
function chargeOf(site: Site, { id = '' }: ControlCall['params']): Charge {
  const charge = findCharge(site, id)
  if (charge === undefined)
    throw new ControlError(
      404,
      `no charge of ${site.environment} has this id: see GET /control/charges, or choose the other environment`,
    )
  return charge
}

/** @throws ControlError 404, 409 */
function waitingForCard({ site, params }: Pick<ControlCall, 'site' | 'params'>): Charge {
  const charge = chargeOf(site, params)
  if (charge.status !== 'waiting' || charge.payment?.method !== 'credit_card')
    throw new ControlError(409, `the charge is ${charge.status}: no card payment waits for an answer`)
  return charge
}

/** @throws ControlError 409 */
export function refuseFor(problem: string | null): void {
  if (problem !== null) throw new ControlError(409, problem)
}

function stateAnswer(charge: Charge) {
  return { status: 200, json: chargeStateOf(charge) }
}
