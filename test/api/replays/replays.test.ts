import { describe, expect, it } from 'vitest'
import { REPLAYS_AT_ONCE } from '../../../src/domain/replay.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { type AskOptions, asClient, ask, askJson, post, startApi } from '../api.ts'

/** Destination `books` without deliveries, and five events: two of production, two of sandbox, a charge. */
async function withEvents(changes: Parameters<typeof startApi>[0] = {}) {
  const api = await startApi(changes)
  const receive = (n: number, more: Parameters<typeof aCallback>[0] = {}) =>
    api.store.storeCallback(aCallback({ text: `${n}`, receivedAt: NOON + n, ...more }))
  await receive(1)
  await receive(2, { facts: [aFact({ subject: 's', status: 'CANCELADO' })] })
  await receive(3, { environment: 'sandbox' })
  await receive(4, { environment: 'sandbox' })
  await receive(5, { facts: [aFact({ kind: 'charge' })] })
  await api.store.createDestination(aDestination(), NOON)
  return api
}

const JSON_HEADERS = { 'content-type': 'application/json' }
const create = (api: { port: number }, body: object, options: AskOptions = {}) =>
  ask(api, '/v1/replays', { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body), ...options })

const SHOWN = {
  id: 'rpl_1',
  destination: 'dst_1',
  destinationName: 'books',
  mode: 'missing',
  filter: {},
  matched: 5,
  leftOut: 0,
  state: 'running',
  reason: null,
  created: 0,
  waiting: 0,
  position: expect.any(String),
  askedBy: null,
  createdAt: '2026-01-15T12:00:00.000Z',
  endedAt: null,
}

describe('a replay', () => {
  it('is counted, begins in the background, is listed and shown, and is canceled once and for all', async () => {
    let runs = 0
    const api = await withEvents({ runReplays: () => void runs++ })
    const made = await create(api, { destination: 'books' })
    expect([made.status, made.headers.location, JSON.parse(made.body)]).toEqual([202, '/v1/replays/rpl_1', SHOWN])
    expect(runs).toBe(1)
    await create(api, { destination: 'dst_1', mode: 'failed' })
    expect(await askJson(api, '/v1/replays?limit=1')).toEqual({ data: [SHOWN], next: 'rpl_1', more: true })
    expect(await askJson(api, '/v1/replays?after=rpl_1')).toMatchObject({
      data: [{ matched: 0 }],
      next: 'rpl_2',
      more: false,
    })
    expect(await askJson(api, '/v1/replays?order=desc&limit=1')).toMatchObject({
      data: [{ id: 'rpl_2' }],
      next: 'rpl_2',
      more: true,
    })
    expect(await askJson(api, '/v1/replays?order=desc&after=rpl_2')).toEqual({
      data: [SHOWN],
      next: 'rpl_1',
      more: false,
    })
    expect(await askJson(api, '/v1/replays?state=done')).toEqual({ data: [], next: null, more: false })
    expect(await askJson(api, '/v1/replays/rpl_1')).toEqual(SHOWN)

    for (const _ of [1, 2]) {
      const canceled = await ask(api, '/v1/replays/rpl_1', { method: 'DELETE' })
      const shown = { ...SHOWN, state: 'canceled', endedAt: SHOWN.createdAt, underWay: 0 }
      expect([canceled.status, JSON.parse(canceled.body)]).toEqual([200, shown])
    }
    expect(api.lines.filter(({ event }) => event === 'replay.canceled')).toMatchObject([
      { level: 'info', replay: 'rpl_1', destination: 'books', askedBy: 'operator', canceledBy: 'operator' },
    ])
    for (const id of ['rpl_9', 'nothing'])
      for (const method of ['GET', 'DELETE']) expect((await ask(api, `/v1/replays/${id}`, { method })).status).toBe(404)
  })

  it('that is canceled has no attempts but those that had begun, which its answer counts', async () => {
    const dropped: (readonly number[])[] = []
    const api = await withEvents({
      drop(deliveryIds) {
        dropped.push(deliveryIds)
        return 2
      },
    })
    await create(api, { destination: 'books' })
    const { positions, next: to } = await api.store.findReplayable(
      { destinationId: 1, mode: 'missing', filter: {}, after: 0, upTo: 5 },
      5,
    )
    await api.store.advanceReplay({ replayId: 1, from: 0, to, positions }, NOON)
    const request = { destinationId: 1, now: NOON, leaseUntil: NOON + 60_000, limit: 3, backlogLimit: 3, freshSince: 0 }
    const { deliveries } = await api.store.claimDeliveries(request)
    const canceled = await askJson(api, '/v1/replays/rpl_1', { method: 'DELETE' })
    expect(canceled).toMatchObject({ created: 5, waiting: 0, underWay: 1 })
    expect(dropped).toEqual([deliveries.map(({ deliveryId }) => deliveryId)])
    expect(api.lines.filter(({ event }) => event === 'replay.canceled')).toMatchObject([{ underWay: 1 }])
  })

  it('that has ended, and of which nothing waits, is not canceled', async () => {
    const api = await withEvents()
    await create(api, { destination: 'books', filter: { subject: 'nobody' } })
    await api.store.advanceReplay({ replayId: 1, from: 0, to: 5, positions: [] }, NOON)
    const refused = await ask(api, '/v1/replays/rpl_1', { method: 'DELETE' })
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([409, { code: 'conflict' }])
  })

  it.each([
    [{}, 5],
    [{ environment: 'sandbox' }, 2],
    [{ kinds: ['charge', 'registration'] }, 1],
    [{ subject: 's' }, 1],
    [{ status: 'CANCELADO' }, 1],
    [{ from: '2026-01-15T12:00:00.002Z', to: '2026-01-15T09:00:00.005-03:00' }, 3],
    [{ to: '2026-01-15' }, 0],
  ])('is only counted where that is all that is asked for: %j', async (filter, matched) => {
    const api = await withEvents()
    const counted = await create(api, { destination: 'books', mode: 'all', filter, dryRun: true })
    expect([counted.status, JSON.parse(counted.body)]).toMatchObject([
      200,
      { destinationName: 'books', mode: 'all', matched },
    ])
    expect(await api.store.listReplays({}, 9)).toEqual([])
  })

  it('of one institution counts and requeues its events alone, and shows the filter', async () => {
    const api = await startApi()
    for (const [n, environment] of (['production', 'bank-a/production', 'bank-a/sandbox'] as const).entries())
      await api.store.storeCallback(aCallback({ text: `${n}`, environment }))
    await api.store.createDestination(aDestination(), NOON)
    const filter = { institution: 'bank-a', environment: 'production' }
    const made = await create(api, { destination: 'books', filter })
    expect(JSON.parse(made.body)).toMatchObject({ matched: 1, filter })
    const [replay] = await api.store.listReplays({}, 1)
    const search = { destinationId: 1, mode: 'missing', after: 0, upTo: 3 } as const
    const { positions } = await api.store.findReplayable({ ...search, filter: replay?.filter ?? {} }, 9)
    expect(positions).toEqual([2])
    const { data } = await askJson<{ data: { details: object }[] }>(api, '/v1/audit?action=createReplay')
    expect(data.map(({ details }) => details)).toEqual([
      { destination: 'books', institution: 'bank-a', environment: 'production' },
    ])
  })

  it('of named events counts those that its destination wants, and the log of actions has their number', async () => {
    const api = await startApi()
    const ids: string[] = []
    for (const kind of ['payment', 'charge', 'payment'])
      ids.push(
        ...(await api.store.storeCallback(aCallback({ text: `${ids.length}`, kind, facts: [aFact({ kind })] })))
          .eventIds,
      )
    await api.store.createDestination(aDestination({ kinds: ['payment'] }), NOON)
    const filter = { events: ids.slice(1) }
    const made = await create(api, { destination: 'books', mode: 'all', filter })
    expect([made.status, JSON.parse(made.body)]).toMatchObject([202, { matched: 1, filter }])
    const unknown = await create(api, { destination: 'books', filter: { events: [ids[0], 'evt_9_0123456789'] } })
    expect([unknown.status, JSON.parse(unknown.body).errors]).toEqual([
      400,
      [{ pointer: '#/filter/events/1', detail: 'there is no such event' }],
    ])
    const many = Array.from({ length: 1001 }, () => ids[0])
    expect((await create(api, { destination: 'books', filter: { events: many } })).status).toBe(400)
    const { data } = await askJson<{ data: { details: object }[] }>(api, '/v1/audit?action=createReplay')
    expect(data.map(({ details }) => details)).toContainEqual({ destination: 'books', mode: 'all', events: '2' })
  })

  it('is refused with every place where it is wrong', async () => {
    const api = await withEvents()
    const refused = await create(api, {
      mode: 'some',
      dryRun: 'yes',
      limit: 1,
      filter: { kinds: [], environment: 'test', subject: 1, from: 'yesterday', status: 5, kind: 'payment' },
    })
    expect(refused.status).toBe(400)
    const { errors } = JSON.parse(refused.body) as { errors: { pointer: string }[] }
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      ...['#/destination', '#/dryRun', '#/filter/environment', '#/filter/from', '#/filter/kind', '#/filter/kinds'],
      ...['#/filter/status', '#/filter/subject', '#/limit', '#/mode'],
    ])
    const nowhere = await create(api, { destination: 'nobody' })
    expect([nowhere.status, JSON.parse(nowhere.body)]).toMatchObject([
      400,
      { code: 'request_invalid', errors: [{ pointer: '#/destination', detail: expect.stringContaining('no such') }] },
    ])
    const inQuery = await post(api, '/v1/replays?dryRun=true', { destination: 'books' })
    expect([inQuery.status, JSON.parse(inQuery.body)]).toMatchObject([
      400,
      { code: 'request_invalid', errors: [{ parameter: 'dryRun', detail: 'unknown; known are reason' }] },
    ])
  })

  it('is one of a few that run at once', async () => {
    const api = await withEvents()
    for (let n = 0; n < REPLAYS_AT_ONCE; n++) expect((await create(api, { destination: 'books' })).status).toBe(202)
    expect((await create(api, { destination: 'books' })).status).toBe(409)
    expect((await create(api, { destination: 'books', dryRun: true })).status).toBe(200)
  })
})

describe('a client', () => {
  async function withClients() {
    const api = await withEvents()
    const scopes = ['events.replay'] as const
    const shop = await asClient(api, scopes, { name: 'shop', environment: 'sandbox' })
    const other = await asClient(api, scopes, { name: 'other' })
    const watcher = await asClient(api, [...scopes, 'operations.read'])
    const admin = await asClient(api, [...scopes, 'operations.write'])
    await api.store.createDestination(aDestination({ name: 'shop' }), NOON, shop.id)
    return { api, shop, other, watcher, admin }
  }

  it('replays to its own destinations, and only what is of its environment', async () => {
    const { api, shop } = await withClients()
    const { authorization } = shop
    const dry = { destination: 'shop', dryRun: true }
    expect((await create(api, { destination: 'books' }, { authorization })).status).toBe(400)
    expect(JSON.parse((await create(api, dry, { authorization })).body)).toMatchObject({ matched: 2 })
    const foreign = { ...dry, filter: { environment: 'production' } }
    expect((await create(api, foreign, { authorization })).status).toBe(403)
    const made = await create(api, { destination: 'shop' }, { authorization })
    expect(JSON.parse(made.body)).toMatchObject({ matched: 2, askedBy: shop.id, filter: { environment: 'sandbox' } })
  })

  it('sees and cancels replays of its own, unless it may see and change operations', async () => {
    const { api, shop, other, watcher, admin } = await withClients()
    for (const { authorization } of [shop, admin]) await create(api, { destination: 'shop' }, { authorization })
    const seen = await Promise.all(
      [shop, other, watcher, admin].map(async ({ authorization }) => {
        const { data } = await askJson<{ data: { id: string }[] }>(api, '/v1/replays', { authorization })
        return data.map(({ id }) => id)
      }),
    )
    expect(seen).toEqual([['rpl_1'], [], ['rpl_1', 'rpl_2'], ['rpl_1', 'rpl_2']])
    const statusOf = async (method: string, { authorization }: { authorization: string }, path: string) =>
      (await ask(api, path, { method, authorization })).status
    expect(await statusOf('GET', other, '/v1/replays/rpl_1')).toBe(404)
    for (const client of [other, watcher]) expect(await statusOf('DELETE', client, '/v1/replays/rpl_1')).toBe(404)
    expect(await statusOf('DELETE', shop, '/v1/replays/rpl_2')).toBe(404)
    expect(await statusOf('DELETE', admin, '/v1/replays/rpl_1')).toBe(200)
    expect(api.lines.filter(({ event }) => event === 'replay.canceled')).toMatchObject([
      { replay: 'rpl_1', askedBy: shop.id, canceledBy: admin.id },
    ])
  })
})
