import type { Environment } from '../../src/interfaces.ts'
import { CUSTOMER, chargeClient } from '../charges/charge-client.ts'
import type { RunningSimulator } from '../running.ts'

/** Calls of plans and subscriptions of one environment. A subscription is of 100.00 a month unless its test says otherwise. */
export function subscriptionClient(running: () => RunningSimulator, environment: Environment) {
  const client = chargeClient(running, environment)
  const { call } = client

  async function createPlan(changes: object = {}): Promise<number> {
    const { status, text, json } = await call('POST', '/plan', { name: 'Monthly', interval: 1, ...changes })
    if (status !== 200) throw new Error(`no plan: ${status} ${text}`)
    return json.data.plan_id
  }
  const subscribe = (plan: number, changes: object = {}) =>
    call('POST', `/plan/${plan}/subscription`, { items: [{ name: 'Rent', value: 10_000 }], ...changes })

  async function createSubscription(changes: object = {}, plan: object = {}): Promise<number> {
    const { status, text, json } = await subscribe(await createPlan(plan), changes)
    if (status !== 200) throw new Error(`no subscription: ${status} ${text}`)
    return json.data.subscription_id
  }
  const recordOf = async (id: number) => (await call('GET', `/subscription/${id}`)).json.data

  return {
    ...client,
    createPlan,
    subscribe,
    createSubscription,
    recordOf,
    chargesOf: async (id: number): Promise<number[]> =>
      (await recordOf(id)).history.map(({ charge_id }: { charge_id: number }) => charge_id),
    payByBillet: (id: number, changes: object = {}, beside: object = {}) =>
      call('POST', `/subscription/${id}/pay`, {
        payment: { banking_billet: { customer: CUSTOMER, expire_at: '2026-03-10', ...changes } },
        ...beside,
      }),
    payByCard: async (id: number, changes: object = {}, beside: object = {}) =>
      call('POST', `/subscription/${id}/pay`, {
        payment: { credit_card: { customer: CUSTOMER, payment_token: await client.createCard(), ...changes } },
        ...beside,
      }),
  }
}
