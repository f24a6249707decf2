import { codeSchema, dataOf } from '../charges/answers.ts'
import { billetChoiceOf, cardChoiceOf, chargePartsOf, wrongMoment } from '../charges/requests.ts'
import { chargeBody, historyBody } from '../charges/schema.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { chargeProblem } from '../http/service-error.ts'
import type { Site } from '../site.ts'
import * as answers from './answers.ts'
import { activate, defineSubscriptionTasks, firstExecutionOf } from './cycles.ts'
import { planEndpoints } from './plan-endpoints.ts'
import { findPlan, requirePlan } from './plans.ts'
import * as schema from './schema.ts'
import type { Subscription, SubscriptionPayment } from './subscription.ts'
import {
  cancelSubscription,
  changeMetadata,
  changeSubscription,
  createSubscription,
  requireSubscription,
} from './subscriptions.ts'

const UNKNOWN = { 404: { description: 'No subscription of the account has this id' } }
const WRONG_MOMENT = { 412: { description: 'The subscription has another status' } }

/** Plans and subscriptions: Document 2, endpoints 5 to 14. */
export function subscriptionEndpoints(site: Site): Endpoint[] {
  defineSubscriptionTasks(site)
  const own = (call: { params: Readonly<Record<string, string>>; application: { account: string } }) =>
    requireSubscription(site, call.application.account, call.params.id)

  return [
    ...planEndpoints(site),
    endpoint({
      number: '2:9',
      id: 'createSubscription',
      method: 'post',
      path: '/v1/plan/:id/subscription',
      scope: null,
      summary: 'Subscribe items to a plan; the first charge is created too',
      body: chargeBody,
      answers: {
        200: { description: 'The subscription', schema: dataOf(answers.createdSchema) },
        404: { description: 'No plan of the account has this id' },
      },
      run({ params, body, application }) {
        const plan = requirePlan(site, application.account, params.id)
        const subscription = createSubscription(site, plan, chargePartsOf(site, application, body))
        return { status: 200, json: { code: 200, data: answers.createdView(site, subscription) } }
      },
    }),
    endpoint({
      number: '2:10',
      id: 'showSubscription',
      method: 'get',
      path: '/v1/subscription/:id',
      scope: null,
      summary: 'Show a subscription with its plan and its charges',
      answers: { 200: { description: 'The subscription', schema: dataOf(answers.subscriptionSchema) }, ...UNKNOWN },
      run: (call) => ({ status: 200, json: { code: 200, data: answers.subscriptionView(site, own(call)) } }),
    }),
    endpoint({
      number: '2:11',
      id: 'cancelSubscription',
      method: 'put',
      path: '/v1/subscription/:id/cancel',
      scope: null,
      summary: 'Cancel a subscription that is new or active',
      answers: { 200: { description: 'Cancelled', schema: codeSchema }, ...UNKNOWN, ...WRONG_MOMENT },
      run(call) {
        cancelSubscription(site, cancellable(own(call)))
        return { status: 200, json: { code: 200 } }
      },
    }),
    endpoint({
      number: '2:12',
      id: 'updateSubscriptionMetadata',
      method: 'put',
      path: '/v1/subscription/:id/metadata',
      scope: null,
      summary: 'Change the notification address and the integrator’s id of a subscription and of all its charges',
      body: schema.metadataBody,
      answers: { 200: { description: 'Changed', schema: codeSchema }, ...UNKNOWN },
      run(call) {
        const { notification_url: notificationUrl, custom_id: customId } = call.body
        changeMetadata(site, own(call), {
          ...(notificationUrl !== undefined && { notificationUrl }),
          ...(customId !== undefined && { customId }),
        })
        return { status: 200, json: { code: 200 } }
      },
    }),
    endpoint({
      number: '2:13',
      id: 'paySubscription',
      method: 'post',
      path: '/v1/subscription/:id/pay',
      scope: null,
      summary: 'Set the payment method of a new subscription: billets or a card',
      body: schema.payBody,
      answers: {
        200: { description: 'The first charge', schema: dataOf(answers.paySchema) },
        ...UNKNOWN,
        ...WRONG_MOMENT,
      },
      run(call) {
        const subscription = payable(site, own(call))
        const { active, payment } = site.records.transaction(() => {
          const chosen = paymentOf(site, call.body)
          return { payment: chosen, active: activate(site, subscription, chosen) }
        })
        return { status: 200, json: { code: 200, data: answers.payView(site, active, payment) } }
      },
    }),
    endpoint({
      number: '2:14',
      id: 'createSubscriptionHistory',
      method: 'post',
      path: '/v1/subscription/:id/history',
      scope: null,
      summary: 'Add a message to the history of a subscription',
      body: historyBody,
      answers: { 200: { description: 'Added', schema: codeSchema }, ...UNKNOWN },
      run(call) {
        const subscription = own(call)
        const messages = [...subscription.messages, { message: call.body.description, at: call.at }]
        changeSubscription(site, subscription, { messages })
        return { status: 200, json: { code: 200 } }
      },
    }),
  ]
}

/** @throws ServiceError 400 */
function paymentOf(site: Site, { payment, ...beside }: schema.PayBody): SubscriptionPayment {
  const { banking_billet: billet, credit_card: card } = payment
  if (billet !== undefined) {
    const firstExecution = firstExecutionOf(site, billet.trial_days)
    return { method: 'banking_billet', firstExecution, choice: billetChoiceOf(billet, beside, firstExecution) }
  }
  if (card === undefined) throw new Error('unreachable: the body has neither method')
  const firstExecution = firstExecutionOf(site, card.trial_days)
  return { method: 'credit_card', firstExecution, choice: cardChoiceOf(site, card, beside) }
}

/** @throws ServiceError 412 */
function payable(site: Site, subscription: Subscription): Subscription {
  const { status, planId } = subscription
  if (status !== 'new')
    throw wrongMoment(`A forma de pagamento de uma assinatura com o status ${status} já foi definida.`)
  if (findPlan(site, planId).isDeleted) throw wrongMoment('O plano da assinatura foi cancelado.', '/plan_id')
  return subscription
}

/** @throws ServiceError 412 */
function cancellable(subscription: Subscription): Subscription {
  const { status } = subscription
  if (status === 'new' || status === 'active') return subscription
  throw chargeProblem(412, 'invalid_status', `Uma assinatura com o status ${status} não pode ser cancelada.`)
}
