import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aDestination, NOON } from '../../support/builders.ts'
import { callBack } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { ask, askJson, patch, post, startApi } from '../api.ts'

const HOOK = { url: 'https://hooks.example.com/in', name: 'books' }
const secretOf = (n: number) => `whsec_${Buffer.alloc(32, n).toString('base64')}`

describe('changing a destination', () => {
  it('changes what is named, makes null what it is by itself, and keeps the rest', async () => {
    const api = await startApi()
    const settings = { ...HOOK, kinds: ['payment'], rateLimit: 5, timeoutMs: 100, headers: { 'X-A': 'a', 'x-b': 'b' } }
    await post(api, '/v1/destinations', settings)
    const before = await askJson(api, '/v1/destinations/books')
    const change = {
      name: 'shop',
      kinds: null,
      timeoutMs: null,
      order: 'subject',
      headers: { 'x-a': null, 'x-c': 'c' },
    }
    const changed = await patch(api, '/v1/destinations/books', { ...change, subjects: { prefix: ['7-'] } })
    expect([changed.status, JSON.parse(changed.body)]).toEqual([
      200,
      {
        ...before,
        name: 'shop',
        kinds: null,
        timeoutMs: 15_000,
        order: 'subject',
        headers: ['x-b', 'x-c'],
        subjects: { exact: [], prefix: ['7-'] },
      },
    ])
    expect(await askJson(api, '/v1/destinations/shop')).toEqual(JSON.parse(changed.body))
    expect((await ask(api, '/v1/destinations/books')).status).toBe(404)
  })

  it('is refused with everything that is wrong, each with its JSON Pointer, and then nothing is changed', async () => {
    const api = await startApi()
    await post(api, '/v1/destinations', HOOK)
    const before = await askJson(api, '/v1/destinations/books')
    const answer = await patch(api, '/v1/destinations/books', {
      url: null,
      name: '-',
      kinds: [],
      secret: secretOf(1),
      format: 'xml',
      'a/b~c': 1,
      headers: { 'bad/name~': '1', 'x-a': 1 },
      subjects: { exact: ['ok', ''], suffix: [] },
      scheduleMs: [-1],
    })
    const { errors, ...problem } = JSON.parse(answer.body) as { errors: { pointer: string; detail: string }[] }
    expect([answer.status, answer.headers['content-type'], problem]).toMatchObject([
      400,
      'application/problem+json; charset=utf-8',
      { code: 'request_invalid' },
    ])
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      ...['#/a~1b~0c', '#/format', '#/headers/bad~1name~0', '#/headers/x-a', '#/kinds', '#/name', '#/scheduleMs/0'],
      ...['#/secret', '#/subjects/exact/1', '#/subjects/suffix', '#/url'],
    ])
    expect(errors).toContainEqual({
      pointer: '#/secret',
      detail: 'is not changed here: rotate it with POST /v1/destinations/:id/rotate-secret',
    })
    expect(await askJson(api, '/v1/destinations/books')).toEqual(before)
  })

  it('is refused with its place for what is wrong only beside what is there already, and for a body that is no object', async () => {
    const api = await startApi()
    await post(api, '/v1/destinations', { ...HOOK, subjects: { exact: ['42'] } })
    const pointersOf = async (changes: unknown) => {
      const { status, body } = await patch(api, '/v1/destinations/books', changes)
      return [status, ...(JSON.parse(body) as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)]
    }
    expect(await pointersOf({ subjects: { exact: null } })).toEqual([400, '#/subjects'])
    expect(await pointersOf([])).toEqual([400, '#'])
  })

  it('takes a merge patch or JSON, and nothing else', async () => {
    const api = await startApi()
    await post(api, '/v1/destinations', HOOK)
    const statuses: [string, number, string | undefined][] = []
    for (const type of [
      'application/merge-patch+json',
      'application/json',
      'application/json-patch+json',
      'text/plain',
    ]) {
      const request = { method: 'PATCH', headers: { 'content-type': type }, body: '{"rateLimit":3}' }
      const { status, headers } = await ask(api, '/v1/destinations/books', request)
      statuses.push([type, status, headers['accept-patch'] as string])
    }
    const accepted = 'application/merge-patch+json, application/json'
    expect(statuses).toEqual([
      ['application/merge-patch+json', 200, accepted],
      ['application/json', 200, accepted],
      ['application/json-patch+json', 415, accepted],
      ['text/plain', 415, accepted],
    ])
  })

  it('is refused for one of the configuration file, and for a name that is taken', async () => {
    const gateway = await startTestGateway(await createSite({ destinations: [{ ...HOOK, kinds: ['charge'] }] }))
    await post(gateway.api, '/v1/destinations', { url: 'https://8.8.8.8/', name: 'shop' })
    const refused = [
      await patch(gateway.api, '/v1/destinations/books', { rateLimit: 1 }),
      await post(gateway.api, '/v1/destinations/books/rotate-secret'),
      await patch(gateway.api, '/v1/destinations/shop', { name: 'books' }),
    ]
    const inFile = 'books comes from the configuration file: change it there and reload the gateway (SIGHUP)'
    expect(refused.map(({ status, body }) => [status, (JSON.parse(body) as { detail: string }).detail])).toEqual([
      [409, inFile],
      [409, inFile],
      [409, 'there is a destination named books already: choose another name, or delete it first'],
    ])
  })

  it('takes effect at once: what comes next goes to the new address, in the new format, with the new headers', async () => {
    const { gateway, receiver } = await startForwarding()
    const other = await startReceiver()
    await callBack(gateway, { body: '{"identificador":"1","valor":150.10}' })
    await until(() => receiver.received.length === 1)
    const changes = { url: `${other.url}?new`, format: 'event', headers: { 'x-api': '2' }, subjects: { exact: ['2'] } }
    await patch(gateway.api, '/v1/destinations/books', changes)
    for (const subject of ['3', '2']) await callBack(gateway, { body: `{"identificador":"${subject}","valor":150.10}` })
    await until(() => other.received.length === 1)
    const [sent] = other.received as [Received]
    expect([sent.path, sent.headers]).toMatchObject(['/hook?new', { 'x-api': '2', 'content-type': 'application/json' }])
    const text = sent.body.toString()
    expect(JSON.parse(text)).toMatchObject({ id: sent.headers['webhook-id'], kind: 'payment', subject: '2', part: 1 })
    expect(text).toContain('"data":{"identificador":"2","valor":150.10}}')
    verify(secretOf(1), sent)
    expect(receiver.received).toHaveLength(1)
    const delivered = () => askJson<{ data: object[] }>(gateway.api, '/v1/deliveries?state=delivered')
    await until(delivered, ({ data }) => data.length === 2)
  })

  it('lets an attempt in flight end where it was sent to', async () => {
    const gateway = await startTestGateway()
    const [slow, other] = [await startHolding(), await startReceiver()]
    await post(gateway.api, '/v1/destinations', { url: slow.url, name: 'books' })
    await callBack(gateway, { body: '{"identificador":"1"}' })
    const answer = await slow.asked
    await patch(gateway.api, '/v1/destinations/books', { url: other.url, concurrency: 1 })
    answer()
    const delivered = () => askJson<{ data: object[] }>(gateway.api, '/v1/deliveries?state=delivered')
    await until(delivered, ({ data }) => data.length === 1)
    expect([await delivered(), other.received]).toMatchObject([{ data: [{ attempts: 1 }] }, []])
  })
})

describe('rotating a secret', () => {
  it('a consumer with either secret accepts during the overlap, and only one with the new afterwards', async () => {
    stopTheClock()
    const { gateway, forward } = await startForwarding()
    const rotate = (body: object) => post(gateway.api, '/v1/destinations/books/rotate-secret', body)
    expect(JSON.parse((await rotate({ secret: secretOf(2) })).body)).toMatchObject({
      secret: secretOf(2),
      previousSecretUntil: new Date(Date.now() + 86_400_000).toISOString(),
    })
    const during = await forward('1')
    expect([1, 2].map((n) => isVerified(secretOf(n), during))).toEqual([true, true])

    await rotate({ secret: secretOf(3), overlap: '2h' })
    const again = await forward('2')
    expect([1, 2, 3].map((n) => isVerified(secretOf(n), again))).toEqual([false, true, true])
    vi.setSystemTime(Date.now() + 2 * 3_600_000 - 1)
    expect(isVerified(secretOf(2), await forward('3'))).toBe(true)
    vi.setSystemTime(Date.now() + 1)
    const after = await forward('4')
    expect([1, 2, 3].map((n) => isVerified(secretOf(n), after))).toEqual([false, false, true])
    expect(await askJson(gateway.api, '/v1/destinations/books/secret')).toEqual({ secrets: [secretOf(3)] })
  })

  it('needs no body: a new secret is made, shown once, and the old one signs for a day; a restart changes nothing of it', async () => {
    const { gateway, receiver } = await startForwarding()
    const answer = await post(gateway.api, '/v1/destinations/books/rotate-secret')
    const { secret } = JSON.parse(answer.body) as { secret: string }
    expect((await ask(gateway.api, '/v1/destinations/books')).body).not.toContain('whsec_')
    await gateway.stop()
    const again = await startTestGateway(gateway.site)
    await post(again.api, '/v1/destinations/books/test')
    const [tested] = receiver.received as [Received]
    expect([answer.status, isVerified(secret, tested), isVerified(secretOf(1), tested)]).toEqual([200, true, true])
  })

  it('with an overlap of 0s ends the old one now; a bad overlap or secret is refused', async () => {
    const { gateway, forward } = await startForwarding()
    const rotate = (body: object) => post(gateway.api, '/v1/destinations/books/rotate-secret', body)
    const refused = [{ overlap: '31d' }, { overlap: '24' }, { overlap: 24 }, { secret: 'whsec_short' }, { grace: '1h' }]
    for (const body of refused) expect((await rotate(body)).status, JSON.stringify(body)).toBe(400)
    expect((await rotate({ secret: secretOf(1) })).status).toBe(409)
    await rotate({ secret: secretOf(2), overlap: '0s' })
    const sent = await forward('1')
    expect([isVerified(secretOf(1), sent), isVerified(secretOf(2), sent)]).toEqual([false, true])
  })
})

it('destinations are listed page by page', async () => {
  const api = await startApi()
  for (let n = 1; n <= 5; n++) await post(api, '/v1/destinations', { ...HOOK, name: `app-${n}` })
  await ask(api, '/v1/destinations/app-2', { method: 'DELETE' })
  const pages: unknown[] = []
  for (let after = 'dst_0'; ; ) {
    const page = await askJson<{ data: { id: string }[]; next: string; more: boolean }>(
      api,
      `/v1/destinations?limit=2${after === 'dst_0' ? '' : `&after=${after}`}`,
    )
    pages.push([page.data.map(({ id }) => id), page.next])
    after = page.next
    if (!page.more) break
  }
  expect(pages).toEqual([
    [['dst_1', 'dst_3'], 'dst_3'],
    [['dst_4', 'dst_5'], 'dst_5'],
  ])
  expect(await askJson(api, '/v1/destinations?after=dst_5')).toEqual({ data: [], next: 'dst_5', more: false })
  expect((await ask(api, '/v1/destinations?after=5&limit=0&colour=red')).status).toBe(400)
})

it('destinations are found by origin and by a part of their name or URL, with statistics where they are asked for', async () => {
  const api = await startApi()
  await post(api, '/v1/destinations', { ...HOOK, name: 'app-1' })
  await post(api, '/v1/destinations', { url: 'https://Books.example/in', name: 'app-2' })
  await api.store.registerDestination(
    aDestination({ name: 'app-3', url: 'https://third.example/' }),
    { id: randomUUID(), owner: null },
    NOON,
  )
  const ids = async (query: string) =>
    (await askJson<{ data: { id: string }[] }>(api, `/v1/destinations?${query}`)).data.map(({ id }) => id)
  expect(await ids('origin=operator')).toEqual(['dst_1', 'dst_2'])
  expect(await ids('origin=registration,route')).toEqual(['dst_3'])
  expect(await ids('name=bOOks.ex')).toEqual(['dst_2'])
  expect(await ids('name=APP-3')).toEqual(['dst_3'])
  const [listed] = (await askJson<{ data: object[] }>(api, '/v1/destinations?include=stats&limit=1')).data
  const latencyMs = { p50: null, p95: null, p99: null }
  expect(listed).toMatchObject({ stats: { attempts: 0, successRate: null, latencyMs, sending: 0 } })
})

/** The gateway's and the consumer's: time passes when the test says so. */
function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
}

/** Answers when the test says so. */
async function startHolding() {
  const { promise: asked, resolve } = Promise.withResolvers<() => void>()
  const server = createServer((_request, response) => resolve(() => response.end()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

/** A gateway with one destination, `books`, whose secret is the first one. */
async function startForwarding() {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  await post(gateway.api, '/v1/destinations', { url: receiver.url, name: 'books', secret: secretOf(1) })
  return { gateway, receiver, forward: (subject: string) => forward(gateway, receiver.received, subject) }
}

async function forward(gateway: TestGateway, received: readonly Received[], subject: string): Promise<Received> {
  const before = received.length
  await callBack(gateway, { body: `{"identificador":"${subject}"}` })
  await until(() => received.length > before)
  return received[before] as Received
}

function verify(secret: string, { body, headers }: Received): void {
  new Webhook(secret).verify(body.toString(), headers as Record<string, string>)
}

function isVerified(secret: string, received: Received): boolean {
  try {
    verify(secret, received)
    return true
  } catch {
    // No signature of it fits.
    return false
  }
}
