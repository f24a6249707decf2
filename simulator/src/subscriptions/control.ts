import { z } from 'zod'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import {
  subscriptionRecord,
  subscriptionRecordOf,
  subscriptionState,
  subscriptionStateOf,
} from './subscription-record.ts'
import { findSubscription, listSubscriptions } from './subscriptions.ts'

/** Subscriptions of all accounts, with what no endpoint shows. */
export function subscriptionControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'listSubscriptions',
      method: 'get',
      path: '/subscriptions',
      summary: 'List the subscriptions of all accounts',
      answers: {
        200: { description: 'The subscriptions', schema: z.object({ subscriptions: z.array(subscriptionState) }) },
      },
      run({ site }) {
        const subscriptions = listSubscriptions(site).map((subscription) => subscriptionStateOf(site, subscription))
        return { status: 200, json: { subscriptions } }
      },
    }),
    controlEndpoint({
      id: 'showSubscription',
      method: 'get',
      path: '/subscriptions/:id',
      summary: 'Show a subscription with its charges, its history, and what comes next and when',
      answers: {
        200: { description: 'The subscription', schema: subscriptionRecord },
        404: { description: 'No subscription has this id' },
      },
      run({ site, params: { id = '' } }) {
        const subscription = findSubscription(site, id)
        if (subscription === undefined)
          throw new ControlError(
            404,
            `no subscription of ${site.environment} has this id: see GET /control/subscriptions, or choose the other environment`,
          )
        return { status: 200, json: subscriptionRecordOf(site, subscription) }
      },
    }),
  ]
}
