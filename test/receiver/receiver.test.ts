import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, it, test, vi } from 'vitest'
import {
  createReceiver,
  type Delivery,
  isOfKind,
  memoryStore,
  ReceiverError,
  type ReceiverOptions,
} from '../../receiver/src/receiver.ts'
import { ROOT } from '../../src/platform/program-files.ts'
import { VERSION } from '../../src/platform/version.ts'
import { callApi, callBack } from '../support/calls.ts'
import { startTestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const [OLD, NEW, OTHER] = [1, 2, 3].map((n) => `whsec_${Buffer.alloc(24, n).toString('base64')}`) as [
  string,
  string,
  string,
]
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)
const BODY = Buffer.from('{"identificador":"78","valor":150.10,"status":{"atual":"LIQUIDADO"}}')

/** A request as the published library signs it. */
function signed(secret: string, body: Buffer = BODY, at = NOW): Record<string, string> {
  return {
    'webhook-id': 'evt_1_0123456789',
    'webhook-timestamp': String(at / 1000),
    'webhook-signature': new Webhook(secret).sign('evt_1_0123456789', new Date(at), body.toString()),
    'portaria-kind': 'payment',
  }
}

const receiverOf = (options: Partial<ReceiverOptions> = {}) =>
  createReceiver({ secrets: OLD, now: () => NOW, ...options })

/** The code with which it refuses, or null. */
function codeOf(run: () => unknown): string | null {
  try {
    run()
    return null
  } catch (error) {
    if (error instanceof ReceiverError) return error.code
    throw error
  }
}

test.each([undefined, null, '', ' ', [], [undefined], ['']])('a secret that is not set (%j) is named', (secrets) => {
  const make = () => createReceiver({ secrets } as unknown as ReceiverOptions)
  expect(make).toThrow(expect.objectContaining({ code: 'settings_invalid' }))
  expect(make).toThrow('there is no secret: portaria destinations secret NAME shows it')
})

test.each(['{"pix":[]}', '{"nome":"João 💸"}', '\ufeff{}', 'not json'])(
  'what the published library signs is genuine: %j',
  (text) => {
    const body = Buffer.from(text)
    expect(receiverOf().verify(signed(OLD, body), body)).toMatchObject({
      id: 'evt_1_0123456789',
      kind: 'payment',
      body,
    })
  },
)

test('each reason to refuse a request has its code, status and text', () => {
  const receiver = receiverOf()
  const good = signed(OLD)
  const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
  const at = (seconds: number) => signed(OLD, BODY, NOW + seconds * 1000)
  const cases: readonly (readonly [string | null, Record<string, string>, Uint8Array?])[] = [
    [null, good],
    [null, at(-300)],
    [null, at(300)],
    ['timestamp_too_old', at(-301)],
    ['timestamp_too_new', at(301)],
    ['timestamp_invalid', { ...good, 'webhook-timestamp': 'now' }],
    ['timestamp_invalid', { ...good, 'webhook-timestamp': '1e9' }],
    ['header_missing', without('webhook-id')],
    ['header_missing', without('webhook-timestamp')],
    ['header_missing', without('webhook-signature')],
    ['signature_mismatch', good, Buffer.from(BODY.toString().replace('150.10', '150.1'))],
    ['signature_mismatch', { ...good, 'webhook-id': 'evt_2_0123456789' }],
    ['signature_mismatch', { ...good, 'webhook-timestamp': String(NOW / 1000 + 1) }],
    ['signature_mismatch', signed(OTHER)],
    ['signature_mismatch', { ...good, 'webhook-signature': (good['webhook-signature'] as string).replace('v1', 'v2') }],
    ['signature_mismatch', { ...good, 'webhook-signature': 'v1,é v1,* v1 v1,' }],
    [null, { ...good, 'webhook-signature': `v1a,x v1,AAAA ${good['webhook-signature']}` }],
    ['body_not_raw', good, BODY.toString() as unknown as Uint8Array],
    ['body_not_raw', good, JSON.parse(BODY.toString())],
  ]
  expect(cases.map(([, headers, body = BODY]) => codeOf(() => receiver.verify(headers, body)))).toEqual(
    cases.map(([code]) => code),
  )
  expect(() => receiver.verify(good, BODY.toString() as unknown as Uint8Array)).toThrow(
    'the body is text: pass the raw',
  )
  expect(() => receiver.verify(at(-400), BODY)).toThrow('signed 400 s ago, more than the tolerance of 300 s')
  expect(new ReceiverError('signature_mismatch', '').status).toBe(401)
})

test('during a rotation each of several secrets is accepted', () => {
  for (const secrets of [[OLD, NEW], `${NEW} ${OLD}`]) {
    const receiver = receiverOf({ secrets })
    expect([OLD, NEW, OTHER].map((secret) => codeOf(() => receiver.verify(signed(secret), BODY)))).toEqual([
      null,
      null,
      'signature_mismatch',
    ])
  }
})

test('headers of the Fetch API, in other case and as lists are read', () => {
  const receiver = receiverOf()
  const entries = Object.entries(signed(OLD))
  const inCapitals = Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), [value]]))
  for (const headers of [new Headers(entries as [string, string][]), inCapitals]) {
    expect(receiver.verify(headers, new Uint8Array(BODY)).kind).toBe('payment')
  }
})

test.each(['', [], 'whsec_', ['secret'], `${OLD}x`, `whsec_${Buffer.alloc(23).toString('base64')}`])(
  'the secrets %j are refused at the start, and not repeated',
  (secrets) => {
    expect(codeOf(() => createReceiver({ secrets }))).toBe('settings_invalid')
    expect(() => createReceiver({ secrets })).toThrow(/^(?!.*AQEB)/)
  },
)

test.each([0, -1, Number.NaN])('a tolerance of %s seconds is refused', (toleranceSeconds) => {
  expect(codeOf(() => receiverOf({ toleranceSeconds }))).toBe('settings_invalid')
})

test('a body is read in its charset, and its numbers stay in the bytes', () => {
  const receiver = receiverOf()
  const verified = (body: Buffer, contentType: string) =>
    receiver.verify({ ...signed(OLD, body), 'content-type': contentType }, body)
  expect(verified(Buffer.from('\ufeff{"valor":"1"}'), 'application/json').json()).toEqual({ valor: '1' })
  expect(codeOf(() => verified(Buffer.from('a=1'), 'text/plain').json())).toBe('not_json')
  expect(codeOf(() => verified(Buffer.from('{}'), 'application/json; charset=none').json())).toBe('not_json')
  expect(verified(BODY, '').body).toBe(BODY)
})

test('an event is handled once, also where two deliveries of it come at the same time', async () => {
  const receiver = receiverOf()
  const handler = vi.fn(async () => {})
  const receive = () => receiver.receive(signed(OLD), BODY, handler)
  expect(await Promise.all([receive(), receive()])).toEqual(['handled', 'repeated'])
  expect(await receive()).toBe('repeated')
  expect(handler).toHaveBeenCalledOnce()
})

test('an event whose handler or store fails is handled when it comes again', async () => {
  const known = new Set<string>()
  const failing = ['has', 'handler', 'add']
  const fail = (where: string) => {
    if (failing[0] === where) throw new Error(`no ${failing.shift()}`)
  }
  const store = {
    async has(id: string) {
      fail('has')
      return known.has(id)
    },
    async add(id: string) {
      fail('add')
      known.add(id)
    },
  }
  const receiver = receiverOf({ store })
  const receive = () => receiver.receive(signed(OLD), BODY, () => fail('handler'))
  for (const where of ['has', 'handler', 'add']) await expect(receive()).rejects.toThrow(`no ${where}`)
  expect([await receive(), await receive()]).toEqual(['handled', 'repeated'])
})

test('the kind of a delivery narrows the type of its body', () => {
  const body = Buffer.from('{"pix":[{"endToEndId":"E1","devolucoes":[{"status":"DEVOLVIDO"}]}]}')
  const delivery = receiverOf().verify({ ...signed(OLD, body), 'portaria-kind': 'pix' }, body)
  if (!isOfKind(delivery, 'pix')) throw new Error('the kind of the event')
  const [payment] = delivery.json().pix ?? []
  // The compiler knows each of these members, and that the status is a text.
  expect(payment?.devolucoes?.map(({ status }) => status?.toLowerCase())).toEqual(['devolvido'])
  expect(isOfKind(delivery, 'rec')).toBe(false)
})

test('a request that is refused reaches neither handler nor store', async () => {
  const reached = vi.fn()
  const receiver = receiverOf({ store: { has: reached, add: reached } })
  await expect(receiver.receive(signed(OTHER), BODY, reached)).rejects.toMatchObject({ status: 401 })
  expect(reached).not.toHaveBeenCalled()
})

test('the memory has a limit, and forgets the oldest id', () => {
  const store = memoryStore(2)
  for (const id of ['a', 'b', 'b', 'c']) void store.add(id)
  expect(['a', 'b', 'c'].map((id) => store.has(id))).toEqual([false, true, true])
})

it('verifies and types the deliveries of a gateway, during a rotation and in both formats', {
  timeout: 120_000,
}, async () => {
  const gateway = await startTestGateway()
  const target = await startReceiver()
  const post = (path: string, body: object) => callApi(gateway.api, path, { method: 'POST', body })
  await post('/v1/destinations', { name: 'books', url: target.url, secret: OLD })
  await post('/v1/destinations/books/rotate-secret', { secret: NEW })
  await post('/v1/destinations', { name: 'rows', url: `${target.url}/rows`, secret: OTHER, format: 'event' })
  // In ISO-8859-1: no text of it has the bytes that were signed.
  const body = Buffer.from('{"identificador":"78","nome":"João","status":{"atual":"LIQUIDADO"}}', 'latin1')
  const headers = { 'content-type': 'application/json; charset=ISO-8859-1' }
  await callBack(gateway, { body, headers })
  await until(() => target.received.length === 2)

  const handled: Delivery[] = []
  for (const secrets of [OLD, NEW, OTHER]) {
    const receiver = createReceiver({ secrets })
    const path = secrets === OTHER ? '/hook/rows' : '/hook'
    const request = target.received.find((one) => one.path === path) as (typeof target.received)[number]
    expect(await receiver.receive(request.headers, request.body, (delivery) => handled.push(delivery))).toBe('handled')
    expect(await receiver.receive(request.headers, request.body, (delivery) => handled.push(delivery))).toBe('repeated')
  }
  const [original, , inEnvelope] = handled as [Delivery, Delivery, Delivery]
  expect(handled).toHaveLength(3)
  expect(original).toMatchObject({ kind: 'payment', environment: 'production', attempt: 1, isReplay: false })
  expect(original.body).toEqual(body)
  if (!isOfKind(original, 'payment')) throw new Error('the kind of the event')
  expect([original.json().status?.atual, original.json().nome]).toEqual(['LIQUIDADO', 'João'])
  expect(inEnvelope.envelope()).toMatchObject({ id: original.id, kind: 'payment', data: { nome: 'João' } })
})

it('has the version of the gateway', () => {
  expect(JSON.parse(readFileSync(join(ROOT, 'receiver/package.json'), 'utf8')).version).toBe(VERSION)
})
