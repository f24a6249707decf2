import { beforeEach, describe, expect, it } from 'vitest'
import { newSecret } from '../../../src/domain/secrets/webhook-secret.ts'
import type { MetadataOutcome } from '../../../src/domain/service/charges-service.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { aDestination } from '../../support/builders.ts'
import { asClient, ask, sharedApi, startApi } from '../api.ts'

const NOON = Date.UTC(2026, 0, 15, 12)

const changes: unknown[] = []
const service = {
  problem: null as string | null,
  outcome: { kind: 'done' } as MetadataOutcome,
  /** Instead of `outcome`. */
  answer: null as (() => Promise<MetadataOutcome>) | null,
}
const shared = sharedApi({
  charges: {
    problemOf: (_, need) => (need === 'routing' ? service.problem : null),
    async changeMetadata(key, metadata) {
      changes.push([key.environment, key.resource, key.resourceId, metadata])
      return service.answer?.() ?? service.outcome
    },
  },
  async checkUrl(url) {
    if (url.startsWith('http://')) throw new PortariaError('address_forbidden', 'http is not allowed here')
    if (!URL.canParse(url)) throw new PortariaError('request_invalid', 'this is not a URL')
  },
})
let api: Awaited<ReturnType<typeof shared>>
let shop: { authorization: string; id: string }

beforeEach(async () => {
  api = await shared()
  shop ??= await asClient(api, ['charges.metadata.write'], { environment: 'sandbox', name: 'shop' })
  changes.length = 0
  Object.assign(service, { problem: null, outcome: { kind: 'done' }, answer: null })
})

const JSON_TYPE = { 'content-type': 'application/json' }
const CHARGE = '/charges/v1/charge/77/metadata'
const SUBSCRIPTION = '/charges/v1/subscription/77/metadata'
const MINE = { notification_url: 'https://shop.example/hook' }

async function put(path: string, body: unknown, options: object = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const asked = { method: 'PUT', headers: JSON_TYPE, authorization: shop.authorization, ...options }
  const answer = await ask(api, path, { ...asked, ...(body !== undefined && { body: text }) })
  return { ...answer, json: JSON.parse(answer.body) }
}

const OWN = 'https://gateway.example/charges/token-of-sandbox'
const LONG = 'x'.repeat(255)

describe('metadata', () => {
  it.each<[string, unknown, object]>([
    [CHARGE, MINE, { notification_url: OWN }],
    [CHARGE, { ...MINE, custom_id: '' }, { notification_url: OWN, custom_id: '' }],
    [CHARGE, { custom_id: 'a/b <c>' }, { custom_id: 'a/b <c>' }],
    [CHARGE, { custom_id: LONG }, { custom_id: LONG }],
    [CHARGE, { notification_url: null, custom_id: 'a' }, { custom_id: 'a' }],
    [CHARGE, {}, {}],
    [CHARGE, undefined, {}],
    [SUBSCRIPTION, MINE, { notification_url: OWN }],
    [SUBSCRIPTION, { custom_id: 'Ação_1-2 b' }, { custom_id: 'Ação_1-2 b' }],
  ])('of %s, %j: the service gets %j', async (path, body, expected) => {
    const { status, json } = await put(path, body)
    expect([status, json]).toEqual([200, { code: 200 }])
    const resource = path === CHARGE ? 'charge' : 'subscription'
    expect(changes).toEqual([['sandbox', resource, '77', expected]])
  })

  it.each([
    [CHARGE, { notification_url: 7 }, '/notification_url', 'must be text or null'],
    [CHARGE, { notification_url: `https://a.example/${LONG}` }, '/notification_url', 'at most 255'],
    [CHARGE, { notification_url: '' }, '/notification_url', 'not a URL'],
    [CHARGE, { notification_url: 'http://shop.example/' }, '/notification_url', 'http is not allowed'],
    [CHARGE, { custom_id: null }, '/custom_id', 'must be text'],
    [CHARGE, { custom_id: `${LONG}x` }, '/custom_id', 'at most 255'],
    [CHARGE, { custom_Id: 'a' }, '/custom_Id', 'unknown'],
    [CHARGE, [], '/', 'expected object'],
    [SUBSCRIPTION, {}, '/', 'notification_url or custom_id'],
    [SUBSCRIPTION, undefined, '/', 'notification_url or custom_id'],
    [SUBSCRIPTION, { notification_url: '' }, '/notification_url', 'must begin with http'],
    [SUBSCRIPTION, { notification_url: 'ftp://a.example/' }, '/notification_url', 'must begin with http'],
    [SUBSCRIPTION, { notification_url: 'https://' }, '/notification_url', 'must begin with http'],
    [SUBSCRIPTION, { custom_id: '' }, '/custom_id', 'letters, digits'],
    [SUBSCRIPTION, { custom_id: 'a/b' }, '/custom_id', 'letters, digits'],
    [SUBSCRIPTION, { custom_id: `${LONG}x` }, '/custom_id', 'at most 255'],
  ])('of %s is refused: %j', async (path, body, property, message) => {
    const { status, json } = await put(path, body)
    const error_description = { property, message: expect.stringContaining(message) }
    expect([status, json]).toEqual([400, { code: 3_500_034, error: 'validation_error', error_description }])
    expect(changes).toEqual([])
  })

  it.each([
    ['{"custom_id":', JSON_TYPE, 400],
    ['{}', { 'content-type': 'text/plain' }, 415],
    [`{"custom_id":"${'x'.repeat(70_000)}"}`, JSON_TYPE, 413],
    ['', { 'content-type': 'application/x-www-form-urlencoded' }, 200],
  ])('of the body %.20s with %j is answered %i', async (body, headers, status) => {
    const answer = await put(CHARGE, body, { headers })
    expect([answer.status, answer.json.code]).toEqual([status, status === 200 ? 200 : 3_500_034])
  })

  it('is changed at the same path with a slash at its end, and with headers that mean nothing here', async () => {
    const headers = { ...JSON_TYPE, 'api-sdk': 'efi-node-1.0', 'partner-token': 'x' }
    expect((await put(`${CHARGE}/`, MINE, { headers })).json).toEqual({ code: 200 })
  })

  it.each(['x', '0', '07', '1.5', '-1', '9'.repeat(19)])('of the id %s does not exist', async (id) => {
    const { status, json } = await put(`/charges/v1/charge/${id}/metadata`, MINE)
    expect([status, json]).toMatchObject([404, { code: 3_500_010, error: 'not_found' }])
  })
})

describe('the environment', () => {
  it('is the client’s; another is 403', async () => {
    expect((await put(`${CHARGE}?environment=sandbox`, MINE)).status).toBe(200)
    const { status, json } = await put(`${CHARGE}?environment=production`, MINE)
    expect([status, json]).toMatchObject([403, { code: 3_500_008, error: 'unauthorized' }])
  })

  it.each(['operator', 'client of environment any'])('must be named by the %s', async (who) => {
    const { authorization } = await asClient(api, ['charges.metadata.write'], { name: who.replaceAll(' ', '-') })
    const asked = { method: 'PUT', headers: JSON_TYPE, body: '{"custom_id":"a"}' }
    const send = (path: string) => ask(api, path, { ...asked, ...(who !== 'operator' && { authorization }) })
    const refused = await send(CHARGE)
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
      400,
      { code: 3_500_034, error_description: { property: '/environment' } },
    ])
    expect((await send(`${CHARGE}?environment=production`)).status).toBe(200)
    expect(changes).toEqual([['production', 'charge', '77', { custom_id: 'a' }]])
    expect((await send(`${CHARGE}?environment=prod`)).status).toBe(400)
    expect((await send(`${CHARGE}?enviroment=production`)).status).toBe(400)
  })
})

it('a charge of a revoked client, or of a request that was never confirmed for an hour, is free', async () => {
  const { id } = await asClient(api, ['charges.metadata.write'], { name: 'gone' })
  const settings = aDestination({ name: 'gone', url: 'https://gone.example/', secrets: [newSecret()] })
  const key = { environment: 'sandbox', resource: 'charge', resourceId: '99' } as const
  const path = '/charges/v1/charge/99/metadata'
  const open = (now: number) => api.store.openChargeRoute({ ...key, owner: id, settings }, now)
  const { route } = await open(NOON - 3_600_001)
  expect((await put(path, { custom_id: 'a' })).status).toBe(200)
  await api.store.restoreChargeRoute(route, null)
  await open(NOON - 3_600_000)
  const error_description = 'another app receives the notifications of this charge: it must end that first'
  for (const body of [{ custom_id: 'a' }, { notification_url: null }, MINE]) {
    expect(await put(path, body)).toMatchObject({ status: 409, json: { error_description } })
  }
  await api.clients.revoke(id)
  expect((await put(path, { custom_id: 'a' })).status).toBe(200)
  expect((await put(path, MINE)).status).toBe(200)
})

it('the operator routes charges too, and apps cannot take them', async () => {
  const path = '/charges/v1/subscription/55/metadata'
  const asked = { method: 'PUT', headers: JSON_TYPE, body: JSON.stringify(MINE) }
  expect((await ask(api, `${path}?environment=sandbox`, asked)).status).toBe(200)
  const key = { environment: 'sandbox', resource: 'subscription', resourceId: '55' } as const
  expect(await api.store.getChargeRoute(key)).toMatchObject({ owner: null, isConfirmed: true })
  expect((await put(path, MINE)).status).toBe(409)
})

describe('the outcome', () => {
  const path = '/charges/v1/charge/88/metadata'
  const routeOf = () => api.store.getChargeRoute({ environment: 'sandbox', resource: 'charge', resourceId: '88' })

  it('is 503 with the reason where nothing can be routed; custom_id and null do not need it', async () => {
    service.problem = 'this gateway does not know its own address'
    const { status, json, headers } = await put(path, MINE)
    expect([status, json, headers['retry-after']]).toEqual([
      503,
      { code: 3_500_000, error: 'internal', error_description: service.problem },
      '5',
    ])
    expect([changes, await routeOf()]).toEqual([[], null])
    expect((await put(path, { custom_id: 'a' })).status).toBe(200)
    expect((await put(path, { notification_url: null })).status).toBe(200)
  })

  it('is the service’s own error, and the route before stays', async () => {
    service.outcome = {
      kind: 'refused',
      status: 412,
      code: 3_500_043,
      error: 'invalid_status',
      description: { property: '/status', message: 'no' },
    }
    const error = {
      code: 3_500_043,
      error: 'invalid_status',
      error_description: { property: '/status', message: 'no' },
    }
    expect(await put(path, MINE)).toMatchObject({ status: 412, json: error })
    expect(await routeOf()).toBe(null)

    service.outcome = { kind: 'done' }
    expect((await put(path, MINE)).status).toBe(200)
    const before = await routeOf()
    expect(before).toMatchObject({ url: MINE.notification_url, isConfirmed: true, owner: shop.id })
    service.outcome = { kind: 'refused', status: 418, code: null, error: null, description: null }
    const { status, json } = await put(path, { notification_url: 'https://other.example/' })
    expect([status, json]).toEqual([
      400,
      { code: 3_500_034, error: 'validation_error', error_description: expect.stringContaining('HTTP 418') },
    ])
    expect(await routeOf()).toEqual(before)
  })

  it('is 503 where the service did not get the request, and nothing is remembered', async () => {
    await put(path, { notification_url: null })
    service.outcome = {
      kind: 'failed',
      reason: 'connect ECONNREFUSED',
      text: 'the gateway cannot reach the service',
      isOutcomeUnknown: false,
      retryAfterMs: 61_500,
    }
    const { status, json, headers } = await put(path, MINE)
    expect([status, json.error_description, headers['retry-after']]).toEqual([
      503,
      'the gateway cannot reach the service; nothing was changed: repeat the request later',
      '62',
    ])
    expect(await routeOf()).toBe(null)
    // The log keeps the whole reason.
    expect(api.lines.filter(({ event }) => event === 'charge_route.refused').at(-1)).toMatchObject({
      reason: 'connect ECONNREFUSED',
    })
  })

  it('is 503 without the words of a failed store', async () => {
    const failing = () => Promise.reject(new PortariaError('store_unavailable', 'cannot open /data/x.db: EACCES'))
    const broken = await startApi({ store: { getChargeRoute: failing } })
    const { status, body } = await ask(broken, `${CHARGE}?environment=sandbox`, {
      method: 'PUT',
      headers: JSON_TYPE,
      body: JSON.stringify({ custom_id: 'a' }),
    })
    expect([status, JSON.parse(body).error_description]).toEqual([
      503,
      'the store of the gateway is unavailable: repeat the request later',
    ])
  })

  it('is 503 where the service gave no answer: the route is unconfirmed until the request is repeated', async () => {
    service.outcome = {
      kind: 'failed',
      reason: 'socket hang up',
      text: 'the service gave no answer in time',
      isOutcomeUnknown: true,
      retryAfterMs: null,
    }
    const { status, json } = await put(path, MINE)
    expect([status, json.error_description]).toEqual([503, expect.stringContaining('repeat the request')])
    expect(await routeOf()).toMatchObject({ isConfirmed: false, owner: shop.id })
    service.outcome = { kind: 'done' }
    expect((await put(path, MINE)).status).toBe(200)
    expect(await routeOf()).toMatchObject({ isConfirmed: true })
  })
})

describe('two changes at once', () => {
  const path = '/charges/v1/charge/66/metadata'
  const routeOf = () => api.store.getChargeRoute({ environment: 'sandbox', resource: 'charge', resourceId: '66' })
  const NEXT = { notification_url: 'https://shop.example/next' }
  const REFUSED: MetadataOutcome = { kind: 'refused', status: 412, code: null, error: null, description: null }

  /** The service answers the first after the second has changed the route, if that is possible, and the second after the first has its answer. */
  async function changeTwice(bodies: readonly [object, object], outcomes: readonly [MetadataOutcome, MetadataOutcome]) {
    const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    let calls = 0
    service.answer = async () => {
      if (calls++ > 0) {
        await first.promise
        return outcomes[1]
      }
      const opened = await routeOf()
      put(path, bodies[1]).then(({ status }) => second.resolve(status), second.reject)
      for (let n = 0; n < 100 && (await routeOf())?.changedAt === opened?.changedAt; n++) await ask(api, '/healthz')
      return outcomes[0]
    }
    put(path, bodies[0]).then(({ status }) => first.resolve(status), first.reject)
    return Promise.all([first.promise, second.promise])
  }

  it('that the service refuses leave no route, so the charge is free', async () => {
    expect(await changeTwice([MINE, MINE], [REFUSED, REFUSED])).toEqual([412, 412])
    expect(await routeOf()).toBe(null)
  })

  it('of which it refuses the second leave the confirmed route of the first', async () => {
    expect(await changeTwice([MINE, NEXT], [{ kind: 'done' }, REFUSED])).toEqual([200, 412])
    expect(await routeOf()).toMatchObject({ url: MINE.notification_url, isConfirmed: true })
  })

  it('and more than ten of one charge are 503', async () => {
    const { promise, resolve } = Promise.withResolvers<MetadataOutcome>()
    service.answer = () => promise
    const answers = Array.from({ length: 12 }, () => put(path, MINE))
    const { status, json } = await Promise.race(answers)
    expect([status, json.error_description]).toEqual([503, expect.stringContaining('repeat the request later')])
    resolve({ kind: 'done' })
    const statuses = (await Promise.all(answers)).map((answer) => answer.status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array(10).fill(200), 503, 503])
  })
})

it('no client certificate is required, even where registrations require one', async () => {
  const strict = await startApi({ needsCertificate: true })
  const { client, secret } = await strict.clients.create({
    name: 'shop',
    environment: 'sandbox',
    scopes: ['charges.metadata.write', 'payment.webhook.write'],
  })
  const body = JSON.stringify({ grant_type: 'client_credentials', client_id: client.id, client_secret: secret })
  const tokenAt = (path: string) => ask(strict, path, { method: 'POST', headers: JSON_TYPE, body, authorization: null })
  expect((await tokenAt('/payment/v1/oauth/token')).status).toBe(401)
  const { access_token: token } = JSON.parse((await tokenAt('/charges/v1/authorize')).body)
  const asked = { method: 'PUT', headers: JSON_TYPE, authorization: `Bearer ${token}` }
  expect((await ask(strict, CHARGE, { ...asked, body: JSON.stringify(MINE) })).status).toBe(200)
  expect((await ask(strict, '/payment/v1/webhook', { ...asked, body: '{"url":"https://a.example/"}' })).status).toBe(
    401,
  )
})
