import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { aDestination, NOON } from '../../support/builders.ts'
import { callBack } from '../../support/calls.ts'
import { createSite, startTestGateway } from '../../support/gateway.ts'
import { reservePort } from '../../support/ports.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { asClient, ask, askJson, post, startApi } from '../api.ts'

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

const made = (url: string) => ({
  id: 'dst_1',
  name: 'hooks.example.com',
  url,
  state: 'active',
  pauseReason: null,
  kinds: null,
  subjects: null,
  authentication: 'any',
  format: 'original',
  owner: null,
  previousSecretUntil: null,
  institutions: null,
  environments: null,
  timeoutMs: 15_000,
  concurrency: 8,
  headers: [],
  origin: 'operator',
  registration: null,
  rateLimit: null,
  scheduleMs: null,
  order: 'none',
  onExhausted: 'hold',
  circuit: 'closed',
  hasAuthorities: false,
  createdAt: '2026-01-15T12:00:00.000Z',
})

describe('making a destination', () => {
  it('needs nothing but a URL; its secret is shown this once', async () => {
    const api = await startApi()
    const answer = await post(api, '/v1/destinations', { url: 'https://hooks.example.com/in' })
    expect([answer.status, answer.headers.location]).toEqual([201, '/v1/destinations/dst_1'])
    const { secret, ...destination } = JSON.parse(answer.body) as { secret: string }
    expect(destination).toEqual(made('https://hooks.example.com/in'))
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
    expect(await askJson(api, '/v1/destinations/dst_1')).toEqual(made('https://hooks.example.com/in'))
    expect(await askJson(api, '/v1/destinations/dst_1/secret')).toEqual({ secrets: [secret] })
  })

  it('takes every setting, and shows of the headers only their names', async () => {
    const api = await startApi()
    const settings = {
      url: 'https://hooks.example.com/in',
      name: 'Books.v2-a',
      kinds: ['payment', 'probe'],
      institutions: ['bank-a'],
      environments: ['sandbox'],
      secret: SECRET,
      timeoutMs: 100,
      concurrency: 64,
      rateLimit: 50,
      scheduleMs: [0, 1000],
      order: 'subject',
      onExhausted: 'continue',
      subjects: { exact: ['42'], prefix: ['7-'] },
      authentication: 'mutual-tls',
      format: 'event',
    }
    const answer = await post(api, '/v1/destinations', { ...settings, headers: { Authorization: 'Bearer private' } })
    const { secret, ...rest } = settings
    expect(JSON.parse(answer.body)).toEqual({ ...made(''), ...rest, headers: ['Authorization'], secret })
    expect((await ask(api, '/v1/destinations')).body).not.toMatch(/private|whsec_/)
    expect((await ask(api, '/v1/destinations/dst_1')).body).not.toMatch(/private|whsec_/)
  })

  it('is refused with everything that is wrong, and never with the secret', async () => {
    const api = await startApi()
    const answer = await post(api, '/v1/destinations', {
      url: '',
      name: '-a b',
      kinds: ['payment', 'refund'],
      institutions: ['bank-a', 'bank-b'],
      environments: ['staging'],
      secret: 'whsec_short',
      timeoutMs: 99,
      concurrency: 1.5,
      headers: { 'Webhook-Id': '1', 'bad name': '1', 'x-a': '1', 'X-A': '2', 'x-b': 'line\nbreak', host: 'x' },
      colour: 'red',
    })
    const { errors, ...problem } = JSON.parse(answer.body) as {
      errors: { pointer: string; detail: string }[]
      detail: string
    }
    expect([answer.status, problem]).toMatchObject([400, { code: 'request_invalid', status: 400 }])
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      ...['#/colour', '#/concurrency', '#/environments/0', '#/headers'],
      ...['#/headers/Webhook-Id', '#/headers/bad%20name', '#/headers/host', '#/headers/x-b'],
      ...['#/institutions/1', '#/kinds/1', '#/name', '#/secret', '#/timeoutMs', '#/url'],
    ])
    expect(errors).toContainEqual({
      pointer: '#/kinds/1',
      detail: 'one of registration, payment, charge, probe, operator',
    })
    expect(errors).toContainEqual({ pointer: '#/institutions/1', detail: 'one of bank-a' })
    expect(answer.body).not.toContain('whsec_short')
  })

  it('refuses every header that the gateway sets itself', async () => {
    const api = await startApi()
    const names = ['Content-Type', 'content-length', 'HOST', 'user-agent', 'portaria-kind', 'webhook-signature', 'te']
    const body = { url: 'https://hooks.example.com/', headers: Object.fromEntries(names.map((name) => [name, '1'])) }
    const { errors } = JSON.parse((await post(api, '/v1/destinations', body)).body) as {
      errors: { pointer: string }[]
    }
    expect(errors.map(({ pointer }) => pointer)).toEqual(names.map((name) => `#/headers/${name}`))
  })

  it('is refused under a name that is taken', async () => {
    const api = await startApi()
    await post(api, '/v1/destinations', { url: 'https://hooks.example.com/a' })
    const answer = await post(api, '/v1/destinations', { url: 'https://hooks.example.com/b' })
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      409,
      {
        code: 'conflict',
        detail: 'there is a destination named hooks.example.com already: choose another name, or delete it first',
      },
    ])
  })

  it('refuses bodies that cannot be read, each with its reason', async () => {
    const api = await startApi()
    const json = { 'content-type': 'application/json' }
    const bodies: [string, { headers: Record<string, string>; body: string }, number][] = [
      ['bad JSON', { headers: json, body: '{"url":' }, 400],
      ['no object', { headers: json, body: '"https://hooks.example.com/"' }, 400],
      ['a list', { headers: json, body: '[]' }, 400],
      ['nothing', { headers: json, body: '' }, 400],
      ['no type', { headers: {}, body: '{"url":"https://hooks.example.com/"}' }, 415],
      ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'url=https://a/' }, 415],
      ['packed', { headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' }, 415],
      ['Latin-1', { headers: { 'content-type': 'application/json; charset=latin1' }, body: '{}' }, 415],
      ['too much', { headers: json, body: JSON.stringify({ url: 'x'.repeat(64 * 1024) }) }, 413],
    ]
    const shown: [string, number][] = []
    for (const [name, request] of bodies) {
      const answer = await ask(api, '/v1/destinations', { method: 'POST', ...request })
      expect(JSON.parse(answer.body), name).toMatchObject({ status: answer.status, code: 'request_invalid' })
      shown.push([name, answer.status])
    }
    expect(shown).toEqual(bodies.map(([name, , status]) => [name, status]))
    expect(await askJson(api, '/v1/destinations')).toEqual({ data: [], next: null, more: false })
  })

  it('is refused for where deliveries may not go, in any spelling', async () => {
    const gateway = await startTestGateway(await createSite({ forwarding: { allowedNetworks: ['127.0.0.1'] } }))
    const forbidden = [
      ...['https://10.0.0.1/', 'https://192.168.1.1/', 'https://169.254.169.254/latest/meta-data', 'https://0.0.0.0/'],
      ...['https://[::]/', 'https://[::1]/', 'https://[fd00::1]/', 'https://[::ffff:10.0.0.1]/', 'https://0x0a000001/'],
      ...['https://012.0.0.1/', 'https://167772161/', 'https://127.1.1.1/', 'https://10.1/', 'http://8.8.8.8/'],
      ...['https://[64:ff9b::a00:1]/', 'https://100.64.0.1/', 'https://224.0.0.1/', 'https://255.255.255.255/'],
    ]
    const unusable = ['ftp://hooks.example.com/', 'hooks.example.com', 'https://user:pw@8.8.8.8/', 'https://8.8.8.8/#x']
    const statuses = async (urls: string[]) =>
      Object.fromEntries(
        await Promise.all(
          urls.map(async (url) => {
            const { status, body } = await post(gateway.api, '/v1/destinations', { url })
            return [url, `${status} ${(JSON.parse(body) as { code: string }).code}`]
          }),
        ),
      )
    expect(await statuses(forbidden)).toEqual(
      Object.fromEntries(forbidden.map((url) => [url, '422 address_forbidden'])),
    )
    expect(await statuses(unusable)).toEqual(Object.fromEntries(unusable.map((url) => [url, '400 request_invalid'])))
    expect((await post(gateway.api, '/v1/destinations', { url: 'http://127.0.0.1:9/' })).status).toBe(201)
  })
})

describe('a destination', () => {
  it('is found by its name and its id, and said not to be there otherwise', async () => {
    const api = await startApi()
    await post(api, '/v1/destinations', { url: 'https://hooks.example.com/', name: 'books' })
    expect(await askJson(api, '/v1/destinations/books')).toEqual(await askJson(api, '/v1/destinations/dst_1'))
    for (const [method, path] of [
      ['GET', 'dst_2'],
      ['GET', 'dst_2/secret'],
      ['DELETE', 'shop'],
      ['POST', 'shop/pause'],
      ['POST', 'dst_0/resume'],
      ['POST', 'shop/test'],
    ] as const) {
      const answer = await ask(api, `/v1/destinations/${path}`, { method })
      expect([answer.status, JSON.parse(answer.body)], path).toMatchObject([
        404,
        { detail: expect.stringContaining('portaria destinations list shows all') },
      ])
    }
  })

  it('pauses, resumes, and is gone once it is deleted; its name is free again', async () => {
    const api = await startApi()
    await post(api, '/v1/destinations', { url: 'https://hooks.example.com/', name: 'books' })
    const paused = await post(api, '/v1/destinations/books/pause')
    const again = await post(api, '/v1/destinations/books/pause')
    const resumed = await post(api, '/v1/destinations/dst_1/resume')
    expect([paused, again, resumed].map(({ status, body }) => [status, JSON.parse(body)])).toMatchObject([
      [200, { state: 'paused', pauseReason: 'paused by an operator' }],
      [200, { state: 'paused', pauseReason: 'paused by an operator' }],
      [200, { state: 'active', pauseReason: null }],
    ])
    const deleted = await ask(api, '/v1/destinations/books', { method: 'DELETE' })
    expect([deleted.status, deleted.body]).toEqual([204, ''])
    expect((await ask(api, '/v1/destinations/books', { method: 'DELETE' })).status).toBe(404)
    const anew = await post(api, '/v1/destinations', { url: 'https://hooks.example.com/', name: 'books' })
    expect(JSON.parse(anew.body)).toMatchObject({ id: 'dst_2', name: 'books' })
  })

  it('shows in the list how much is waiting for it', async () => {
    const gateway = await startTestGateway()
    const receiver = await startReceiver()
    await post(gateway.api, '/v1/destinations', { url: receiver.url, name: 'books' })
    await post(gateway.api, '/v1/destinations/books/pause')
    for (let i = 0; i < 3; i++) await callBack(gateway, { body: `{"identificador":"${i}"}` })
    const waiting = async () => (await askJson<{ data: { waiting: number }[] }>(gateway.api, '/v1/destinations')).data
    expect(await waiting()).toMatchObject([{ name: 'books', state: 'paused', waiting: 3 }])
    await post(gateway.api, '/v1/destinations/books/resume')
    await until(waiting, ([books]) => books?.waiting === 0)
    expect(receiver.received).toHaveLength(3)
  })

  it('of the configuration file is changed there, but for pause, resume and test', async () => {
    const receiver = await startReceiver()
    const destinations = [{ name: 'books', url: receiver.url, secret: SECRET, kinds: ['charge'] }]
    const gateway = await startTestGateway(await createSite({ destinations }))
    const deleted = await ask(gateway.api, '/v1/destinations/books', { method: 'DELETE' })
    expect([deleted.status, JSON.parse(deleted.body)]).toMatchObject([
      409,
      {
        detail:
          'books comes from the configuration file: remove it there and reload the gateway (SIGHUP); pause it meanwhile',
      },
    ])
    expect(JSON.parse((await post(gateway.api, '/v1/destinations/books/pause')).body)).toMatchObject({
      origin: 'configuration',
      state: 'paused',
      kinds: ['charge'],
      timeoutMs: 2000,
    })
    expect(JSON.parse((await post(gateway.api, '/v1/destinations/books/test')).body)).toMatchObject({ ok: true })
    expect(JSON.parse((await post(gateway.api, '/v1/destinations/books/resume')).body)).toMatchObject({
      state: 'active',
    })
  })
})

describe('a test event', () => {
  it('is a real, signed delivery whose answer is shown; nothing of it is kept', async () => {
    const gateway = await startTestGateway()
    const receiver = await startReceiver()
    const body = { url: receiver.url, name: 'books', secret: SECRET, environments: ['production'] }
    await post(gateway.api, '/v1/destinations', body)
    const tested = await post(gateway.api, '/v1/destinations/books/test')
    expect([tested.status, JSON.parse(tested.body)]).toEqual([
      200,
      {
        ok: true,
        status: 200,
        error: null,
        answer: 'thanks',
        durationMs: expect.any(Number),
      },
    ])
    const [sent] = receiver.received
    expect(sent?.headers).toMatchObject({
      'webhook-id': expect.stringMatching(/^evt_test_/),
      'portaria-kind': 'operator',
      'portaria-environment': 'production',
      'content-type': 'application/json',
    })
    expect(
      new Webhook(SECRET).verify(sent?.body.toString() ?? '', sent?.headers as Record<string, string>),
    ).toMatchObject({ event: 'test', destination: 'books' })
    expect(await askJson(gateway.api, '/v1/events?kind=operator')).toMatchObject({ data: [] })
    expect(await askJson(gateway.api, '/v1/deliveries')).toMatchObject({ data: [] })
  })

  it('that fails says why, and pauses nothing', async () => {
    const gateway = await startTestGateway()
    const receiver = await startReceiver()
    await post(gateway.api, '/v1/destinations', { url: receiver.url, name: 'books' })
    await post(gateway.api, '/v1/destinations', { url: `http://127.0.0.1:${await reservePort()}/`, name: 'nobody' })
    const outcomes: unknown[] = []
    for (const status of [500, 410]) {
      receiver.answer(status)
      outcomes.push(JSON.parse((await post(gateway.api, '/v1/destinations/books/test')).body))
    }
    outcomes.push(JSON.parse((await post(gateway.api, '/v1/destinations/nobody/test')).body))
    expect(outcomes).toMatchObject([
      { ok: false, status: 500, error: 'answered HTTP 500', answer: 'thanks' },
      { ok: false, status: 410, error: 'answered HTTP 410' },
      { ok: false, status: null, error: 'connection refused', answer: '' },
    ])
    expect(await askJson(gateway.api, '/v1/destinations')).toMatchObject({
      data: [{ state: 'active' }, { state: 'active' }],
    })
  })
})

it('two clients give their destinations the same name, and the operator’s own goes first where a name is asked for', async () => {
  const api = await startApi()
  const scopes = ['destinations.read', 'destinations.write'] as const
  const make = async (authorization: string, path: string) => {
    const body = JSON.stringify({ url: `https://203.0.113.7/${path}`, name: 'shop' })
    const options = { method: 'POST', authorization, body, headers: { 'content-type': 'application/json' } }
    return (await ask(api, '/v1/destinations', options)).status
  }
  const [a, b] = [await asClient(api, scopes, { name: 'a' }), await asClient(api, scopes, { name: 'b' })]
  expect([await make(a.authorization, 'a'), await make(b.authorization, 'b')]).toEqual([201, 201])
  expect(await make(a.authorization, 'again')).toBe(409)
  expect(await askJson(api, '/v1/destinations/shop', { authorization: b.authorization })).toMatchObject({ owner: b.id })
  const ambiguous = await ask(api, '/v1/destinations/shop')
  expect([ambiguous.status, ambiguous.body]).toEqual([400, expect.stringMatching(/dst_1 of cli_.*dst_2 of cli_/)])
  await api.store.createDestination(aDestination({ name: 'shop' }), NOON)
  expect(await askJson(api, '/v1/destinations/shop')).toMatchObject({ id: 'dst_3', owner: null })
})
