import { type Call, type Endpoint, endpoint } from '../http/endpoint.ts'
import { chargeProblem } from '../http/service-error.ts'
import { redirect } from '../notifications/notify.ts'
import type { Site } from '../site.ts'
import * as answers from './answers.ts'
import { type Charge, isBeforePayment, type PaymentLink } from './charge.ts'
import { changeCharge, changeStatus, createCharge, requireCharge, todayOf } from './charges.ts'
import { createLink, updateLink } from './links.ts'
import { defineChargeTasks, setBillet, setCard } from './payments.ts'
import { billetChoiceOf, cardChoiceOf, chargePartsOf, requireNotPast, wrongMoment } from './requests.ts'
import * as schema from './schema.ts'

const CANCELLABLE: readonly string[] = ['new', 'waiting', 'unpaid', 'link']

const UNKNOWN = { 404: { description: 'No charge of the account has this id' } }
const WRONG_MOMENT = { 412: { description: 'The charge has another status' } }

/** Charges: Document 2, endpoints 1 to 4, and those that create charges (service-decisions.md, Document 2, the rest). */
export function chargeEndpoints(site: Site): Endpoint[] {
  defineChargeTasks(site)
  return [...creating(site), ...linking(site), ...changing(site)]
}

function ownCharge(site: Site, { params, application }: Pick<Call, 'params' | 'application'>): Charge {
  return requireCharge(site, application.account, params.id)
}

function creating(site: Site): Endpoint[] {
  return [
    endpoint({
      number: null,
      id: 'createCharge',
      method: 'post',
      path: '/v1/charge',
      scope: null,
      summary: 'Create a charge',
      body: schema.chargeBody,
      answers: { 200: { description: 'The charge', schema: answers.dataOf(answers.createdSchema) } },
      run({ body, application }) {
        const charge = createCharge(site, { ...chargePartsOf(site, application, body), belongsTo: null })
        return { status: 200, json: { code: 200, data: answers.createdView(site, charge) } }
      },
    }),
    endpoint({
      number: null,
      id: 'showCharge',
      method: 'get',
      path: '/v1/charge/:id',
      scope: null,
      summary: 'Show a charge with its items, history, link and payment',
      answers: { 200: { description: 'The charge', schema: answers.dataOf(answers.chargeSchema) }, ...UNKNOWN },
      run: (call) => ({ status: 200, json: { code: 200, data: answers.chargeView(site, ownCharge(site, call)) } }),
    }),
  ]
}

/** The payment link. */
function linking(site: Site): Endpoint[] {
  return [
    endpoint({
      number: null,
      id: 'createChargeLink',
      method: 'post',
      path: '/v1/charge/:id/link',
      scope: null,
      summary: 'Make the payment link of a new charge',
      body: schema.linkBody,
      answers: {
        200: { description: 'The link', schema: answers.dataOf(answers.linkSchema) },
        ...UNKNOWN,
        ...WRONG_MOMENT,
      },
      run(call) {
        const charge = ownCharge(site, call)
        requireNew(charge)
        requireNotPast(site, '/expire_at', call.body.expire_at)
        const linked = createLink(site, charge, call.body)
        return { status: 200, json: { code: 200, data: answers.linkView(site, linked, linked.link) } }
      },
    }),
    endpoint({
      number: '2:1',
      id: 'updateChargeLink',
      method: 'put',
      path: '/v1/charge/:id/link',
      scope: null,
      summary: 'Change the payment link of a charge before its payment',
      body: schema.linkBody,
      answers: {
        200: { description: 'The link', schema: answers.dataOf(answers.linkSchema) },
        ...UNKNOWN,
        ...WRONG_MOMENT,
      },
      run(call) {
        const charge = withLink(ownCharge(site, call))
        requireNotPast(site, '/expire_at', call.body.expire_at)
        const linked = updateLink(site, charge, call.body)
        return { status: 200, json: { code: 200, data: answers.linkView(site, linked, linked.link) } }
      },
    }),
  ]
}

function changing(site: Site): Endpoint[] {
  return [
    endpoint({
      number: null,
      id: 'payCharge',
      method: 'post',
      path: '/v1/charge/:id/pay',
      scope: null,
      summary: 'Set the payment method of a new charge: a billet or a card',
      body: schema.payBody,
      answers: {
        200: { description: 'The payment', schema: answers.dataOf(answers.paySchema) },
        ...UNKNOWN,
        ...WRONG_MOMENT,
      },
      run(call) {
        const charge = ownCharge(site, call)
        requireNew(charge)
        const changed = site.records.transaction(() => pay(site, charge, call.body))
        if (changed.payment === null) throw new Error('unreachable: the charge has no payment method')
        return { status: 200, json: { code: 200, data: answers.payView(site, changed, changed.payment) } }
      },
    }),
    endpoint({
      number: '2:2',
      id: 'cancelCharge',
      method: 'put',
      path: '/v1/charge/:id/cancel',
      scope: null,
      summary: 'Cancel a charge that is new, waiting, unpaid or a link',
      answers: { 200: { description: 'Cancelled', schema: answers.codeSchema }, ...UNKNOWN, ...WRONG_MOMENT },
      run(call) {
        const charge = ownCharge(site, call)
        if (!CANCELLABLE.includes(charge.status))
          throw chargeProblem(
            412,
            'invalid_status',
            `Uma cobrança com o status ${charge.status} não pode ser cancelada.`,
          )
        changeStatus(site, charge, { status: 'canceled', message: 'Cobrança cancelada' })
        return { status: 200, json: { code: 200 } }
      },
    }),
    endpoint({
      number: '2:3',
      id: 'updateChargeMetadata',
      method: 'put',
      path: '/v1/charge/:id/metadata',
      scope: null,
      summary: 'Change the notification address and the integrator’s id of a charge, at any time',
      body: schema.metadataBody,
      answers: { 200: { description: 'Changed', schema: answers.codeSchema }, ...UNKNOWN },
      run(call) {
        const charge = ownCharge(site, call)
        const { notification_url: url, custom_id: customId = charge.customId } = call.body
        site.records.transaction(() => {
          changeCharge(site, charge, { customId, ...(url !== undefined && { notificationUrl: url }) })
          if (url !== undefined) redirect(site, charge.notificationToken, url, charge.id)
        })
        return { status: 200, json: { code: 200 } }
      },
    }),
    endpoint({
      number: '2:4',
      id: 'createChargeHistory',
      method: 'post',
      path: '/v1/charge/:id/history',
      scope: null,
      summary: 'Add a message to the history of a charge',
      body: schema.historyBody,
      answers: { 200: { description: 'Added', schema: answers.codeSchema }, ...UNKNOWN },
      run(call) {
        const charge = ownCharge(site, call)
        const added = { message: call.body.description, at: call.at }
        changeCharge(site, charge, { history: [...charge.history, added] })
        return { status: 200, json: { code: 200 } }
      },
    }),
  ]
}

function pay(site: Site, charge: Charge, { payment, ...beside }: schema.PayBody): Charge {
  const { banking_billet: billet, credit_card: card } = payment
  if (billet !== undefined) return setBillet(site, charge, billetChoiceOf(billet, beside, todayOf(site)))
  if (card === undefined) throw new Error('unreachable: the body has neither method')
  return setCard(site, charge, cardChoiceOf(site, card, beside))
}

/** Where the payment method of a charge comes from, by what the charge belongs to. */
const METHOD_OF = {
  subscription: 'A forma de pagamento desta cobrança é definida na assinatura.',
  carnet: 'A forma de pagamento de uma parcela de carnê é o boleto dela.',
}

/** @throws ServiceError 412 */
function requireNew({ status, belongsTo }: Charge): void {
  if (belongsTo !== null) throw wrongMoment(METHOD_OF[belongsTo.kind])
  if (status !== 'new')
    throw wrongMoment(`A forma de pagamento de uma cobrança com o status ${status} já foi definida.`)
}

/** @throws ServiceError 412 */
function withLink(charge: Charge): Charge & { link: PaymentLink } {
  const { link } = charge
  if (link === null) throw wrongMoment('A cobrança não tem link de pagamento.')
  if (!isBeforePayment(charge)) throw wrongMoment(`O link de uma cobrança com o status ${charge.status} não muda mais.`)
  return { ...charge, link }
}
