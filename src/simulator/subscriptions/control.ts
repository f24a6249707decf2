import { z } from 'zod'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control/control-endpoint.ts'
import { localDateTime } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { nextExecutionOf } from './cycles.ts'
import { findPlan } from './plans.ts'
import type { Subscription } from './subscription.ts'
import { findSubscription, listSubscriptions } from './subscriptions.ts'

const stateSchema = z.object({
  subscription_id: z.int(),
  account: z.string(),
  plan_id: z.int(),
  status: z.string(),
  charges: z.array(z.int()),
  next_execution: z.string().nullable(),
  messages: z.array(z.object({ message: z.string(), created_at: z.string() })).describe('Those of the integrator'),
})

/** Subscriptions of all accounts, with what no endpoint shows. */
export function subscriptionControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'listSubscriptions',
      method: 'get',
      path: '/subscriptions',
      summary: 'List the subscriptions of all accounts',
      answers: {
        200: { description: 'The subscriptions', schema: z.object({ subscriptions: z.array(stateSchema) }) },
      },
      run({ site }) {
        const subscriptions = listSubscriptions(site).map((subscription) => stateOf(site, subscription))
        return { status: 200, json: { subscriptions } }
      },
    }),
    controlEndpoint({
      id: 'showSubscription',
      method: 'get',
      path: '/subscriptions/:id',
      summary: 'Show a subscription with the messages of its history',
      answers: {
        200: { description: 'The subscription', schema: stateSchema },
        404: { description: 'No subscription has this id' },
      },
      run({ site, params: { id = '' } }) {
        const subscription = findSubscription(site, id)
        if (subscription === undefined)
          throw new ControlError(404, `no subscription of ${site.environment} has this id`)
        return { status: 200, json: stateOf(site, subscription) }
      },
    }),
  ]
}

function stateOf(site: Site, subscription: Subscription): z.infer<typeof stateSchema> {
  const { id, account, planId, status, chargeIds, messages } = subscription
  return {
    ...{ subscription_id: id, account, plan_id: planId, status, charges: [...chargeIds] },
    next_execution: nextExecutionOf(subscription, findPlan(site, planId)),
    messages: messages.map(({ message, at }) => ({
      message,
      created_at: localDateTime(at, site.settings.timeZone),
    })),
  }
}
