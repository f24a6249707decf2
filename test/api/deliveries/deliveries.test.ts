import { expect, it } from 'vitest'
import { COMMAND } from '../../../src/platform/installation.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { ask, askJson, type RunningApi, sharedApi, startApi } from '../api.ts'

const shared = sharedApi()

interface Page {
  readonly data: { id: string }[]
  readonly next: string | null
  readonly more: boolean
}

/** Deliveries 1, 3, 5 to `books` (1 delivered) and 2, 4, 6 to `shop`, which was deleted. */
async function withDeliveries(): Promise<RunningApi> {
  const api = await startApi()
  const { store } = api
  const books = await store.createDestination(aDestination({ name: 'books' }), NOON)
  const shop = await store.createDestination(aDestination({ name: 'shop' }), NOON)
  for (let i = 0; i < 3; i++) await store.storeCallback(aCallback({ text: `{"i":${i}}` }))
  await store.claimDeliveries({
    destinationId: books.id,
    limit: 1,
    now: Date.now(),
    leaseUntil: Date.now() + 60_000,
    freshSince: 0,
    backlogLimit: 100,
  })
  const attempt = { deliveryId: 1, attempt: 1, startedAt: NOON, durationMs: 12, status: 204, error: null }
  await store.recordAttempts([{ ...attempt, answer: new Uint8Array(), result: { state: 'delivered' } }])
  await store.deleteDestination(shop.id)
  await store.cancelDeliveries(shop.id, 100, NOON)
  return api
}

it('deliveries are filtered by state, by destination and by place', async () => {
  const api = await withDeliveries()
  const expected: Record<string, string[]> = {
    '': ['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4', 'dlv_5', 'dlv_6'],
    'state=pending': ['dlv_3', 'dlv_5'],
    'state=delivered': ['dlv_1'],
    'state=canceled': ['dlv_2', 'dlv_4', 'dlv_6'],
    'state=exhausted': [],
    'destination=dst_1': ['dlv_1', 'dlv_3', 'dlv_5'],
    'destination=dst_2&state=canceled&after=dlv_2': ['dlv_4', 'dlv_6'],
    'destination=books&state=delivered': ['dlv_1'],
    'destination=shop': ['dlv_2', 'dlv_4', 'dlv_6'],
    'after=dlv_5': ['dlv_6'],
    'order=desc&limit=2': ['dlv_6', 'dlv_5'],
    'order=desc&after=dlv_5&state=pending': ['dlv_3'],
    'order=desc&after=dlv_1': [],
    'subject=42&destination=books': ['dlv_1', 'dlv_3', 'dlv_5'],
    'subject=42&state=canceled&limit=2': ['dlv_2', 'dlv_4'],
    'subject=43': [],
    'state=blocked': [],
    'from=2026-01-15T12:00:00Z': ['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4', 'dlv_5', 'dlv_6'],
    'from=2026-01-15T12:00:00.001Z': [],
    'to=2026-01-15T12:00:00Z': [],
    'to=2026-01-15T12:00:00.001Z&state=pending&subject=42': ['dlv_3', 'dlv_5'],
  }
  const shown: Record<string, string[]> = {}
  for (const query of Object.keys(expected))
    shown[query] = (await askJson<Page>(api, `/v1/deliveries?${query}`)).data.map(({ id }) => id)
  expect(shown).toEqual(expected)
})

it('an empty list says which state no delivery has', async () => {
  const api = await withDeliveries()
  const hints = ['state=exhausted', 'state=delivered&destination=shop', 'subject=43'].map(
    async (query) => (await askJson(api, `/v1/deliveries?${query}`)).hint,
  )
  expect(await Promise.all(hints)).toEqual(["no delivery has state 'exhausted'", undefined, undefined])
})

it('deliveries are shown with what became of them', async () => {
  const { data } = await askJson<Page>(await withDeliveries(), '/v1/deliveries?limit=2')
  const common = {
    kind: 'payment',
    institution: null,
    environment: 'production',
    subject: '42',
    nextAttemptAt: null,
    waitsFor: null,
    nextProbeAt: null,
  }
  expect(data).toEqual([
    {
      ...common,
      id: 'dlv_1',
      destination: 'dst_1',
      destinationName: 'books',
      state: 'delivered',
      attempts: 1,
      event: expect.stringMatching(/^evt_1_/),
      createdAt: expect.stringMatching(/Z$/),
      endedAt: '2026-01-15T12:00:00.012Z',
      reason: null,
      lastStatus: 204,
      lastError: null,
      lastAnswer: null,
    },
    {
      ...common,
      id: 'dlv_2',
      destination: 'dst_2',
      destinationName: 'shop',
      state: 'canceled',
      attempts: 0,
      event: expect.stringMatching(/^evt_1_/),
      createdAt: expect.stringMatching(/Z$/),
      endedAt: '2026-01-15T12:00:00.000Z',
      reason: 'its destination was removed',
      lastStatus: null,
      lastError: null,
      lastAnswer: null,
    },
  ])
})

it('one delivery is shown with its attempts', async () => {
  const api = await withDeliveries()
  const { data } = await askJson<Page>(api, '/v1/deliveries')
  const attempt = { attempt: 1, startedAt: '2026-01-15T12:00:00.000Z', durationMs: 12, status: 204, error: null }
  expect(await askJson(api, '/v1/deliveries/dlv_1')).toEqual({
    ...data[0],
    latestAttempts: [{ ...attempt, answer: '' }],
  })
  expect(await askJson(api, '/v1/deliveries/dlv_6')).toEqual({ ...data[5], latestAttempts: [] })
  const [missing, wrong] = await Promise.all(['dlv_7', 'evt_1'].map((id) => ask(api, `/v1/deliveries/${id}`)))
  expect([missing?.status, JSON.parse(missing?.body ?? '').detail]).toEqual([404, 'there is no delivery dlv_7'])
  expect(wrong?.status).toBe(400)
})

it('deliveries are given page by page', async () => {
  const api = await withDeliveries()
  const first = await askJson<Page>(api, '/v1/deliveries?limit=4')
  const second = await askJson<Page>(api, `/v1/deliveries?limit=4&after=${first.next}`)
  expect([first, second].map(({ data, next, more }) => [data.length, next, more])).toEqual([
    [4, 'dlv_4', true],
    [2, 'dlv_6', false],
  ])
})

it('a page behind the last delivery keeps the poller’s place', async () => {
  const api = await withDeliveries()
  expect(await askJson(api, '/v1/deliveries?after=dlv_6')).toEqual({ data: [], next: 'dlv_6', more: false })
  expect(await askJson(await shared(), '/v1/deliveries')).toEqual({ data: [], next: null, more: false })
})

it('of two destinations that had one name, the living one is meant', async () => {
  const api = await withDeliveries()
  await api.store.createDestination(aDestination({ name: 'shop' }), NOON)
  await api.store.storeCallback(aCallback({ text: '{"i":"new"}' }))
  const { data } = await askJson<Page>(api, '/v1/deliveries?destination=shop')
  expect(data).toMatchObject([{ destination: 'dst_3', destinationName: 'shop' }])
})

it('deliveries of a destination that never was are not an empty page', async () => {
  const api = await withDeliveries()
  for (const destination of ['dst_99', 'nobody', '']) {
    const answer = await ask(api, `/v1/deliveries?destination=${destination}`)
    expect([answer.status, JSON.parse(answer.body)], destination).toMatchObject([
      404,
      {
        code: 'not_found',
        detail: `there is no destination ${destination}: ${COMMAND} destinations list shows all`,
      },
    ])
  }
})

it('a bad query is refused with everything that is wrong with it', async () => {
  const answer = await ask(
    await shared(),
    '/v1/deliveries?state=lost&destination=a&destination=b&after=7&limit=many&kind=payment',
  )
  expect([answer.status, (JSON.parse(answer.body) as { errors: object[] }).errors]).toEqual([
    400,
    [
      { parameter: 'kind', detail: 'unknown; known are after, limit, state, destination, subject, from, to, order' },
      { parameter: 'after', detail: 'an id such as dlv_1' },
      { parameter: 'limit', detail: 'a whole number from 1 to 1000' },
      { parameter: 'state', detail: 'one of pending, blocked, delivered, exhausted, canceled, failing, waiting' },
      { parameter: 'destination', detail: 'given 2 times' },
    ],
  ])
})
