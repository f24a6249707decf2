import { request } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import type { Fact, NewCallback } from '../../../src/domain/event.ts'
import { publishedEventsOf } from '../../../src/domain/event-bus.ts'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { OPERATOR_TOKEN } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { asClient, ask, askJson, sharedApi, startApi } from '../api.ts'

const shared = sharedApi()

interface Page {
  readonly data: Record<string, unknown>[]
  readonly next: string
  readonly more: boolean
}
type Api = Awaited<ReturnType<typeof startApi>>
type Change = Pick<Partial<Fact>, 'kind' | 'subject' | 'status'> &
  Pick<Partial<NewCallback>, 'environment' | 'receivedAt'> & { readonly text?: string }

let count = 0
/** Like the gateway: stores a callback, then publishes it. */
async function receive(
  api: Api,
  { kind = 'payment', subject = '42', status = 'LIQUIDADO', ...rest }: Change = {},
): Promise<void> {
  const callback = aCallback({ text: `{"n":${++count}}`, ...rest, facts: [aFact({ kind, subject, status })] })
  api.bus.publish(publishedEventsOf(callback, await api.store.storeCallback(callback)))
}

/** A request that waits: it has looked once and found nothing. */
async function waitFor(api: Api, query: string, authorization?: string) {
  const reads = vi.spyOn(api.options.store, 'listEvents')
  const page = askJson<Page>(api, `/v1/events?wait=30&${query}`, authorization === undefined ? {} : { authorization })
  await until(() => reads.mock.results[0])
  await reads.mock.results[0]?.value
  return { page, reads }
}

const subjects = (page: Page) => page.data.map((event) => event.subject)

describe('a request that waits', () => {
  it.each<[string, Change, Change]>([
    ['kind=charge', { kind: 'charge' }, { kind: 'payment' }],
    ['kind=charge,operator', { kind: 'operator' }, { kind: 'payment' }],
    ['', { kind: 'payment' }, { kind: 'operator' }],
    ['environment=sandbox', { environment: 'sandbox' }, { environment: 'production' }],
    ['institution=bank-a', { environment: 'bank-a/sandbox' }, { environment: 'sandbox' }],
    ['institution=bank-a&environment=sandbox', { environment: 'bank-a/sandbox' }, { environment: 'bank-a/production' }],
    ['subject=wanted', {}, { subject: 'other' }],
    ['subject=wanted&kind=charge', { kind: 'charge' }, { kind: 'payment', subject: 'wanted' }],
    ['status=CANCELADO', { status: 'CANCELADO' }, { status: 'LIQUIDADO' }],
    ['from=2026-01-15T12:00:01Z', { receivedAt: NOON + 1000 }, { receivedAt: NOON + 999 }],
    ['to=2026-01-15T12:00:01Z', { receivedAt: NOON + 999 }, { receivedAt: NOON + 1000 }],
  ])('for %s is woken by what matches, and the store not asked for what does not', async (query, wanted, other) => {
    const api = await shared()
    const before = await api.store.latestPosition()
    const { page, reads } = await waitFor(api, `after=${cursorAfter(before)}&${query}`)
    for (let i = 0; i < 3; i++) await receive(api, { subject: `other ${i}`, ...other })
    expect(reads).toHaveBeenCalledTimes(1)
    await receive(api, { subject: 'wanted', ...wanted })
    expect(await page).toMatchObject({ data: [{ subject: 'wanted' }], next: cursorAfter(before + 4), more: false })
    expect(reads).toHaveBeenCalledTimes(2)
    reads.mockRestore()
  })

  it('answers at once with what is there already', async () => {
    const api = await startApi()
    await receive(api, { subject: '1' })
    expect(subjects(await askJson<Page>(api, '/v1/events?wait=30'))).toEqual(['1'])
  })

  it('goes on waiting where what woke it is not for it after all', async () => {
    const api = await startApi()
    const { page, reads } = await waitFor(api, 'subject=42')
    api.bus.publish(publishedEventsOf(aCallback(), { newFacts: [aFact()] }))
    await until(() => reads.mock.settledResults[1]?.type === 'fulfilled')
    await receive(api)
    expect((await page).data).toHaveLength(1)
    expect(reads).toHaveBeenCalledTimes(3)
  })

  it('begins with what comes from now on where it asks for the latest', async () => {
    const api = await startApi()
    await receive(api, { subject: 'old' })
    const { page } = await waitFor(api, 'after=latest')
    await receive(api, { subject: 'new' })
    expect(subjects(await page)).toEqual(['new'])
  })

  it('gets an empty page when its time is over, and goes on behind what it did not ask for', async () => {
    const api = await startApi()
    await receive(api)
    const answer = askJson<Page>(api, `/v1/events?kind=charge&wait=1&after=${cursorAfter(1)}`)
    await receive(api)
    expect(await answer).toEqual({
      data: [],
      next: cursorAfter(2),
      more: false,
      hint: "no event has kind 'charge' yet",
    })
  })

  it('gives its place back when it is aborted', async () => {
    const api = await startApi({ places: 1 })
    const reads = vi.spyOn(api.options.store, 'listEvents')
    const waiting = request({
      host: '127.0.0.1',
      port: api.port,
      path: '/v1/events?wait=30',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    })
    waiting.on('error', () => undefined).end()
    await until(() => reads.mock.results[0])
    await reads.mock.results[0]?.value
    const statusOf = async (query: string) => (await ask(api, `/v1/events?kind=charge&${query}`)).status
    await until(
      () => statusOf('wait=1'),
      (status) => status === 503,
    )
    waiting.destroy()
    await until(
      () => statusOf('wait=1'),
      (status) => status === 200,
    )
  })

  const batch = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"wait":30}' }
  it.each([
    ['for events', '/v1/events?wait=30', {}],
    ['for a batch', '/v1/consumers/books/batches', batch],
  ])('%s gives its place back where it fails, and is woken by nothing more', async (_what, path, options) => {
    const api = await startApi({ places: 1 })
    const reads = vi.spyOn(api.options.store, 'listEvents')
    const answer = ask(api, path, options)
    await until(() => reads.mock.settledResults[0]?.type === 'fulfilled')
    reads.mockRejectedValueOnce(new PortariaError('store_unavailable', 'the disk is gone'))
    await receive(api)
    expect([(await answer).status, JSON.parse((await answer).body)]).toMatchObject([503, { code: 'store_unavailable' }])
    expect(api.bus.hasSubscribers()).toBe(false)
    expect((await ask(api, '/v1/events?kind=charge&wait=1')).status).toBe(200)
  })

  it('is asked to come back later where too many wait, unless there is something for it', async () => {
    const api = await startApi({ places: 1 })
    await receive(api)
    const { page } = await waitFor(api, 'kind=charge')
    const refused = await until(
      () => ask(api, '/v1/events?kind=charge&wait=1'),
      ({ status }) => status === 503,
    )
    expect(refused.headers['retry-after']).toBe('5')
    expect(JSON.parse(refused.body)).toMatchObject({
      code: 'queue_full',
      detail: expect.stringContaining('1 requests wait'),
    })
    expect((await ask(api, '/v1/events?wait=30')).status).toBe(200)
    expect((await ask(api, '/v1/events?kind=charge')).status).toBe(200)
    await receive(api, { kind: 'charge' })
    expect((await page).data).toHaveLength(1)
  })

  it('is answered at once when the gateway stops, and later ones do not wait', async () => {
    const api = await startApi()
    const { page } = await waitFor(api, 'kind=charge')
    api.waiting.close()
    expect(await page).toMatchObject({ data: [], more: false })
    expect((await ask(api, '/v1/events?wait=30')).status).toBe(200)
  })

  it('does not wait with HEAD', async () => {
    const api = await shared()
    expect((await ask(api, '/v1/events?wait=30', { method: 'HEAD' })).status).toBe(200)
  })

  it('of a client of one environment is not woken by another', async () => {
    const api = await startApi()
    const { authorization } = await asClient(api, ['events.read'], { environment: 'sandbox' })
    const { page, reads } = await waitFor(api, '', authorization)
    await receive(api, { environment: 'production', subject: 'theirs' })
    await receive(api, { environment: 'sandbox', subject: 'own' })
    expect(subjects(await page)).toEqual(['own'])
    expect(reads).toHaveBeenCalledTimes(2)
  })

  it.each(['31', '-1', '1.5', ''])('for %j seconds is refused', async (wait) => {
    const answer = await ask(await shared(), `/v1/events?wait=${wait}`)
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('a whole number from 0 to 30')])
  })
})

describe('a page', () => {
  it('ends at 4 MiB of answer, and goes on with the next event', async () => {
    const api = await startApi()
    // Each byte of it takes six in JSON: the answer is what counts, not what is stored.
    const text = '\u0001'.repeat(100_000)
    for (let i = 0; i < 8; i++) await receive(api, { text: text + i, subject: String(i) })
    const first = await askJson<Page>(api, '/v1/events')
    const second = await askJson<Page>(api, `/v1/events?after=${first.next}`)
    expect([subjects(first), first.more, subjects(second), second.more]).toEqual([
      [...'012345'],
      true,
      [...'67'],
      false,
    ])
  })

  it('holds one event, however large', async () => {
    const api = await startApi()
    for (let i = 0; i < 2; i++) await receive(api, { text: '\u0001'.repeat(800_000) + i, subject: String(i) })
    const first = await askJson<Page>(api, '/v1/events')
    expect([subjects(first), first.more]).toEqual([['0'], true])
  })
})

it('a cursor of another database is refused: it would pass over what is still to come', async () => {
  const api = await startApi()
  await receive(api)
  expect(await askJson<Page>(api, `/v1/events?after=${cursorAfter(1)}`)).toMatchObject({
    data: [],
    next: cursorAfter(1),
  })
  expect(await askJson(api, `/v1/events?after=${cursorAfter(2)}`)).toMatchObject({
    status: 400,
    errors: [{ parameter: 'after', detail: expect.stringContaining('another database') }],
  })
})

describe('of the places for requests that wait, a client', () => {
  type Client = { readonly authorization: string }

  /** Two of twenty places are one client's. */
  async function start() {
    const api = await startApi({ places: 20 })
    const reads = vi.spyOn(api.options.store, 'listEvents')
    const poll = ({ authorization }: Client, query: string) =>
      ask(api, `/v1/events?kind=charge&${query}`, { authorization })
    const takeBatch = ({ authorization }: Client, wait: number) =>
      ask(api, '/v1/consumers/books/batches', {
        method: 'POST',
        authorization,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ wait, filter: { kinds: ['charge'] } }),
      })
    /** It has looked, found nothing, and waits. */
    async function hold(asked: () => ReturnType<typeof ask>) {
      const before = reads.mock.results.length
      const answer = asked()
      await until(() => reads.mock.results.length > before)
      await reads.mock.results[before]?.value
      return { answer }
    }
    return { api, poll, takeBatch, hold, shop: await asClient(api, ['events.read'], { name: 'shop' }) }
  }

  it('gets a tenth, polls and batches together, and gets what to do beyond', async () => {
    const { api, shop, poll, takeBatch, hold } = await start()
    const waiting = [await hold(() => poll(shop, 'wait=30')), await hold(() => takeBatch(shop, 30))]
    const refused = await poll(shop, 'wait=1')
    expect([refused.headers['retry-after'], JSON.parse(refused.body)]).toMatchObject([
      '5',
      {
        status: 429,
        code: 'too_many_requests',
        detail: expect.stringMatching(/^2 requests of this client wait already.*without "wait"$/),
      },
    ])
    expect((await takeBatch(shop, 1)).status).toBe(429)
    expect((await poll(shop, 'wait=0')).status).toBe(200)
    api.waiting.close()
    expect(await Promise.all(waiting.map(async ({ answer }) => (await answer).status))).toEqual([200, 200])
  })

  it('takes nothing away from another one, nor from the operator, who counts as one', async () => {
    const { api, shop, poll, hold } = await start()
    const till = await asClient(api, ['events.read'], { name: 'till' })
    const held: { answer: ReturnType<typeof ask> }[] = []
    for (const client of [shop, till, { authorization: `Bearer ${OPERATOR_TOKEN}` }]) {
      for (const _ of [1, 2]) held.push(await hold(() => poll(client, 'wait=30')))
      expect((await poll(client, 'wait=1')).status).toBe(429)
    }
    api.waiting.close()
    for (const { answer } of held) expect((await answer).status).toBe(200)
  })

  it('gives its places back, and may wait again', async () => {
    const { api, shop, poll, hold } = await start()
    for (const position of [0, 1]) {
      const query = `after=${cursorAfter(position)}&wait=30`
      const held = [await hold(() => poll(shop, query)), await hold(() => poll(shop, query))]
      expect((await poll(shop, query)).status).toBe(429)
      await receive(api, { kind: 'charge' })
      expect(await Promise.all(held.map(async ({ answer }) => (await answer).status))).toEqual([200, 200])
    }
  })
})
