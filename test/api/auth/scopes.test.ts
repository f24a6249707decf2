import { describe, expect, it } from 'vitest'
import { warningsDue } from '../../../src/domain/expiry.ts'
import { SCOPES, type Scope } from '../../../src/domain/scopes.ts'
import { aCallback, aDestination, aWatchedCertificate, NOON } from '../../support/builders.ts'
import { type AskOptions, asClient, ask, askJson, type RunningApi, sharedApi, startApi } from '../api.ts'

/** Other ways to ask than the operations of the document (those are in authorization.test.ts), and the scopes that lead there. */
const ENDPOINTS: readonly (readonly [string, string, ...Scope[]])[] = [
  ['HEAD', '/v1/events', 'events.read', 'support.read'],
  ['GET', '/V1/Events/', 'events.read', 'support.read'],
  ['HEAD', '/v1/events/evt_1_0123456789/original', 'events.read'],
  ['HEAD', '/v1/destinations/dst_1/secret', 'destinations.write'],
]

it('HEAD and another spelling ask for the same scopes', async () => {
  const api = await startApi()
  const clients = new Map(
    await Promise.all(SCOPES.map(async (scope) => [scope, await asClient(api, [scope])] as const)),
  )
  for (const [method, path, ...needed] of ENDPOINTS) {
    for (const [scope, { authorization }] of clients) {
      const { status, headers, body } = await ask(api, path, { method, authorization })
      const seen = [method, path, scope]
      if (needed.includes(scope)) {
        expect([...seen, status === 401 || status === 403]).toEqual([...seen, false])
        continue
      }
      expect([...seen, status, headers['www-authenticate']]).toEqual([
        ...[...seen, 403],
        `Bearer error="insufficient_scope", scope="${needed[0]}"`,
      ])
      if (method !== 'HEAD') expect(JSON.parse(body)).toMatchObject({ status: 403, code: 'insufficient_scope' })
    }
  }
})

it('health is for everybody, the service’s contract for no one without a token', async () => {
  const api = await startApi()
  const none = { authorization: null }
  const statusOf = async (path: string, options: AskOptions = none) => (await ask(api, path, options)).status
  expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 200])
  expect([await statusOf('/registration/v1/webhooks'), await statusOf('/payment/v1/webhook')]).toEqual([401, 401])
})

/** An event in each environment; the operator's destination `books` gets both. */
async function withEvents(): Promise<RunningApi> {
  return fill(await startApi())
}

const shared = sharedApi()
let events: Promise<RunningApi> | undefined

async function fill(api: RunningApi): Promise<RunningApi> {
  await api.store.createDestination(aDestination({ name: 'books' }), NOON)
  for (const environment of ['production', 'sandbox'] as const)
    await api.store.storeCallback(aCallback({ environment, text: `"${environment}"` }))
  return api
}

interface Listed {
  readonly data: { id: string; environment: string; name: string }[]
}

describe('a client', () => {
  it.each([
    ['sandbox', [], ['sandbox']],
    ['production', [], ['production']],
    ['any', [], ['production', 'sandbox']],
    ['sandbox', ['operations.read'], ['production', 'sandbox']],
  ] as const)('of %s with %j sees the events of %j', async (environment, more, seen) => {
    events ??= fill(await shared())
    const api = await events
    const name = [environment, ...more].join('-')
    const { authorization } = await asClient(api, ['events.read', ...more], { name, environment })
    const all = (await askJson<Listed>(api, '/v1/events')).data
    const listed = (await askJson<Listed>(api, '/v1/events', { authorization })).data
    expect(listed.map((event) => event.environment)).toEqual(seen)
    for (const event of all) {
      const expected = seen.some((one) => one === event.environment) ? 200 : 404
      for (const path of [
        `/v1/events/${event.id}`,
        `/v1/events/${event.id}/original`,
        `/v1/events/${event.id}/deliveries`,
      ])
        expect((await ask(api, path, { authorization })).status).toBe(expected)
    }
  })

  it('that asks for the events of another environment learns that it has none', async () => {
    const api = await withEvents()
    const { authorization } = await asClient(api, ['events.read'], { environment: 'sandbox' })
    const refused = await ask(api, '/v1/events?environment=production', { authorization })
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([403, { code: 'forbidden' }])
    expect((await ask(api, '/v1/events?environment=sandbox', { authorization })).status).toBe(200)
  })

  it('neither sees nor is sent what the gateway tells its operator, unless it may see operations', async () => {
    const api = await startApi()
    for (const warning of warningsDue([aWatchedCertificate({ notAfter: NOON + 86_400_000 })], NOON))
      await api.store.raiseExpiryWarning(warning)
    const id = (await askJson<Listed>(api, '/v1/events?kind=operator')).data[0]?.id
    const scopes = ['events.read', 'events.replay', 'destinations.write'] as const
    const plain = await asClient(api, scopes, { name: 'plain' })
    const watcher = await asClient(api, [...scopes, 'operations.read'], { name: 'watcher' })
    const statusesOf = async ({ authorization }: { authorization: string }, name: string) => {
      const send = async (method: string, path: string, body?: object) => {
        const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
        const asked = { method, authorization, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
        return (await ask(api, path, asked)).status
      }
      const url = 'https://shop.example/'
      return [
        await send('GET', '/v1/events?kind=operator'),
        await send('GET', `/v1/events/${id}`),
        await send('GET', `/v1/events/${id}/original`),
        await send('POST', '/v1/destinations', { url, name: `${name}-alarms`, kinds: ['payment', 'operator'] }),
        await send('POST', '/v1/destinations', { url, name }),
        await send('PATCH', `/v1/destinations/${name}`, { kinds: ['operator'] }),
        await send('POST', `/v1/events/${id}/replay?destination=${name}`),
      ]
    }
    expect(await statusesOf(plain, 'plain')).toEqual([403, 404, 404, 403, 201, 403, 404])
    expect(await statusesOf(watcher, 'watcher')).toEqual([200, 200, 200, 201, 201, 200, 200])
  })

  it('sees no deliveries to others, unless it may see operations', async () => {
    const api = await withEvents()
    const event = (await askJson<Listed>(api, '/v1/events')).data[0]?.id
    const plain = await asClient(api, ['events.read'])
    const operator = await asClient(api, ['events.read', 'operations.read'])
    const counts = await Promise.all(
      [plain, operator].flatMap(({ authorization }) =>
        ['', '/deliveries'].map(async (rest) => {
          const shown = await askJson(api, `/v1/events/${event}${rest}`, { authorization })
          return (rest === '' ? shown.deliveries : shown.data) as unknown[]
        }),
      ),
    )
    expect(counts.map((deliveries) => deliveries.length)).toEqual([0, 0, 1, 1])
  })

  it('sees and changes only destinations of its own, unless it may change operations', async () => {
    const api = await withEvents()
    const scopes = ['destinations.read', 'destinations.write'] as const
    const shop = await asClient(api, scopes, { name: 'shop' })
    const other = await asClient(api, scopes, { name: 'other' })
    const watcher = await asClient(api, [...scopes, 'operations.read'])
    const admin = await asClient(api, [...scopes, 'operations.write'])
    const made = await ask(api, '/v1/destinations', {
      method: 'POST',
      authorization: shop.authorization,
      headers: { 'content-type': 'application/json' },
      body: '{"url":"https://shop.example/hook","name":"shop"}',
    })
    expect([made.status, JSON.parse(made.body)]).toMatchObject([201, { id: 'dst_2', owner: shop.id }])

    const seen = await Promise.all(
      [shop, other, watcher, admin].map(async ({ authorization }) =>
        (await askJson<Listed>(api, '/v1/destinations', { authorization })).data.map((one) => one.name),
      ),
    )
    expect(seen).toEqual([['shop'], [], ['books', 'shop'], ['books', 'shop']])
    const statusOf = async (client: { authorization: string }, method: string, path: string) =>
      (await ask(api, path, { method, authorization: client.authorization })).status
    for (const path of ['/v1/destinations/books', '/v1/destinations/dst_2', '/v1/destinations/dst_2/secret'])
      expect(await statusOf(other, 'GET', path)).toBe(404)
    for (const client of [other, watcher]) {
      for (const rest of ['/pause', '/resume', '/test', '/rotate-secret'])
        expect(await statusOf(client, 'POST', `/v1/destinations/dst_2${rest}`)).toBe(404)
      expect(await statusOf(client, 'DELETE', '/v1/destinations/dst_2')).toBe(404)
    }
    expect(await statusOf(admin, 'POST', '/v1/destinations/books/pause')).toBe(200)
    expect(await statusOf(shop, 'DELETE', '/v1/destinations/shop')).toBe(204)
  })

  it('of one environment makes destinations for that one alone', async () => {
    const api = await startApi()
    const { authorization } = await asClient(api, ['destinations.read', 'destinations.write'], {
      environment: 'sandbox',
    })
    const send = (method: string, path: string, body: object) =>
      ask(api, path, {
        method,
        authorization,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...(method === 'POST' && { url: 'https://shop.example/' }), ...body }),
      })
    expect(JSON.parse((await send('POST', '/v1/destinations', { name: 'a' })).body)).toMatchObject({
      environments: ['sandbox'],
    })
    for (const environments of [['production'], ['sandbox', 'production']]) {
      expect((await send('POST', '/v1/destinations', { name: 'b', environments })).status).toBe(403)
      expect((await send('PATCH', '/v1/destinations/a', { environments })).status).toBe(403)
    }
    const widened = await send('PATCH', '/v1/destinations/a', { environments: null, timeoutMs: 500 })
    expect(JSON.parse(widened.body)).toMatchObject({ environments: ['sandbox'], timeoutMs: 500 })
  })

  it('replays events of its environment to destinations of its own', async () => {
    const api = await withEvents()
    const [production, sandbox] = (await askJson<Listed>(api, '/v1/events')).data.map((event) => event.id)
    const shop = await asClient(api, ['events.replay'], { name: 'shop', environment: 'sandbox' })
    await api.store.createDestination(aDestination({ name: 'shop' }), NOON, shop.id)
    const replay = async (event: string | undefined, query: string) =>
      (await ask(api, `/v1/events/${event}/replay${query}`, { method: 'POST', authorization: shop.authorization }))
        .status
    expect(await replay(sandbox, '?destination=shop')).toBe(200)
    expect(await replay(production, '?destination=shop')).toBe(404)
    expect(await replay(sandbox, '?destination=books')).toBe(404)
    expect(await replay(sandbox, '')).toBe(400)
    expect(await api.store.listDeliveries({ destinationId: 2 }, 9)).toHaveLength(1)
  })

  it('of any environment replays to a destination of one nothing of the other', async () => {
    const api = await withEvents()
    const [production] = (await askJson<Listed>(api, '/v1/events')).data
    const { authorization, id } = await asClient(api, ['events.replay'])
    await api.store.createDestination(aDestination({ name: 'shop', environments: ['sandbox'] }), NOON, id)
    const path = `/v1/events/${production?.id}/replay?destination=shop`
    const refused = await ask(api, path, { method: 'POST', authorization })
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([403, { code: 'forbidden' }])
  })
})
