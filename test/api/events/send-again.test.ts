import { expect, it } from 'vitest'
import { numberedId } from '../../../src/domain/public-id.ts'
import type { Scope } from '../../../src/domain/scopes.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { asClient, ask, startApi } from '../api.ts'

/** An event that two destinations of one name would get, one of them the operator's, and a destination that was made later. */
async function withEvent() {
  const api = await startApi()
  const { client } = await api.clients.create({
    name: 'shop',
    environment: 'production',
    scopes: ['destinations.write'],
  })
  const make = (name: string, owner?: string) =>
    api.store.createDestination(aDestination({ name, kinds: ['payment'] }), NOON, owner)
  const house = await make('books')
  const app = await make('shop', client.id)
  await api.store.storeCallback(aCallback({ facts: [aFact({ subject: '4711' })] }))
  await make('later')
  const claimed = [house, app].map(async ({ id: destinationId }) => {
    const claim = { destinationId, limit: 9, now: NOON, leaseUntil: NOON + 1000, freshSince: 0, backlogLimit: 9 }
    return (await api.store.claimDeliveries(claim)).deliveries
  })
  const done = { startedAt: NOON, durationMs: 1, status: 200, error: null, answer: Buffer.from('') }
  const result = { state: 'delivered' } as const
  const deliveries = (await Promise.all(claimed)).flat()
  await api.store.recordAttempts(
    deliveries.map(({ deliveryId, attempt }) => ({ ...done, deliveryId, attempt, result })),
  )
  const [event] = (await api.store.listEvents({}, 1)).events
  let people = 0
  const post = async (path: string, scopes: readonly Scope[], environment: 'production' | 'sandbox' = 'production') => {
    const { authorization } = await asClient(api, scopes, { name: `person-${++people}`, environment })
    const { status, body } = await ask(api, path, { method: 'POST', authorization })
    return { status, body: JSON.parse(body) }
  }
  const states = async () => (await api.store.listDeliveries({}, 9)).map(({ state }) => state)
  return {
    post,
    states,
    replay: `/v1/events/${event?.id}/replay`,
    delivery: numberedId('dlv', deliveries[0]?.deliveryId ?? 0),
  }
}

it('support sends an event again to a destination of others that had it, by name and by id, or to all of them', async () => {
  const { post, states, replay } = await withEvent()
  expect(await states()).toEqual(['delivered', 'delivered'])
  expect((await post(`${replay}?destination=shop`, ['support.replay'])).status).toBe(200)
  expect(await states()).toEqual(['delivered', 'pending'])
  expect((await post(`${replay}?destination=dst_1`, ['support.read', 'support.replay'])).status).toBe(200)
  expect(await states()).toEqual(['pending', 'pending'])
  expect((await post(replay, ['support.replay'])).body.waiting).toEqual(['dlv_1', 'dlv_2'])
})

it('support sends nothing to a destination that had not the event, and nothing of the other environment', async () => {
  const { post, states, replay, delivery } = await withEvent()
  const refused = await post(`${replay}?destination=later`, ['support.replay'])
  expect([refused.status, refused.body.detail]).toEqual([
    404,
    expect.stringContaining('no delivery to a destination later'),
  ])
  expect((await post(replay, ['support.replay'], 'sandbox')).status).toBe(404)
  expect((await post(`/v1/deliveries/${delivery}/retry`, ['support.replay'], 'sandbox')).status).toBe(404)
  expect(await states()).toEqual(['delivered', 'delivered'])
})

it('a client sends an event to a destination of its own only if that takes events of the institution', async () => {
  const api = await startApi()
  const { authorization, id } = await asClient(api, ['events.replay'])
  const forBank = aDestination({ name: 'for-bank', institutions: ['bank-a'] })
  for (const settings of [forBank, aDestination()]) await api.store.createDestination(settings, NOON, id)
  const { eventIds } = await api.store.storeCallback(aCallback())
  const { eventIds: ofBank } = await api.store.storeCallback(aCallback({ environment: 'bank-a/production' }))
  const send = async (event: string | undefined, name: string) => {
    const path = `/v1/events/${event}/replay?destination=${name}`
    return (await ask(api, path, { method: 'POST', authorization })).status
  }
  const sent = [send(eventIds[0], 'for-bank'), send(ofBank[0], 'for-bank'), send(eventIds[0], 'books')]
  expect(await Promise.all(sent)).toEqual([403, 200, 200])
})

it('support retries a delivery, and skips none', async () => {
  const { post, states, delivery } = await withEvent()
  expect((await post(`/v1/deliveries/${delivery}/skip`, ['support.replay'])).status).toBe(403)
  expect((await post(`/v1/deliveries/${delivery}/retry`, ['support.replay'])).body).toEqual({
    retried: delivery,
    waitsFor: null,
  })
  expect((await states()).sort()).toEqual(['delivered', 'pending'])
})
