import { describe, expect, it, vi } from 'vitest'
import { createConsumer } from '../../../src/cli/listen/consumer.ts'
import { publishedEventsOf } from '../../../src/domain/event-bus.ts'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import type { Realm } from '../../../src/domain/realm.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { until } from '../../support/until.ts'
import { asClient, ask, askJson, post, sharedApi, startApi } from '../api.ts'

interface Batch {
  readonly batch: string | null
  readonly data: { readonly id: string; readonly subject: string }[]
  readonly expiresAt: string | null
}
interface Gone {
  readonly status: number
  readonly next: string
}
type Api = Awaited<ReturnType<typeof startApi>>

const EMPTY = { batch: null, data: [], expiresAt: null }
const subjects = ({ data }: Batch) => data.map(({ subject }) => subject)

/** An API with a clock that can be moved, and so many events; their subjects are their positions. */
async function withEvents(count: number) {
  const clock = { now: NOON }
  const api = await startApi({ now: () => clock.now })
  for (let i = 0; i < count; i++) await receive(api)
  return { api, clock }
}

async function receive(
  api: Api,
  { kind = 'payment', environment = 'production' }: { kind?: string; environment?: Realm } = {},
): Promise<void> {
  const subject = String((await api.store.latestPosition()) + 1)
  const callback = aCallback({ environment, text: subject, facts: [aFact({ kind, subject })] })
  api.bus.publish(publishedEventsOf(callback, await api.store.storeCallback(callback)))
}

async function send<T>(api: Api, path: string, body: object, authorization?: string): Promise<T> {
  const answer = await ask(api, `/v1/consumers/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(authorization !== undefined && { authorization }),
  })
  return JSON.parse(answer.body) as T
}

const take = (api: Api, body: object = {}, name = 'books') => send<Batch>(api, `${name}/batches`, body)
const acknowledge = (api: Api, body: object) => send<Record<string, unknown>>(api, 'books/ack', body)
const show = (api: Api, query = '') => askJson(api, `/v1/consumers/books${query}`)

const [sharedWithOne, sharedWithFour] = [sharedApi({ now: () => NOON }), sharedApi({ now: () => NOON })]
/** For rows that change nothing. */
const withOne = once(async () => {
  const api = await sharedWithOne()
  await receive(api)
  return api
})
/** For rows that have a consumer each. */
const withFour = once(async () => {
  const api = await sharedWithFour()
  await receive(api)
  await receive(api, { kind: 'charge' })
  await receive(api, { kind: 'operator' })
  await receive(api, { environment: 'sandbox' as 'production' })
  return api
})
let readers = 0

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

describe('a consumer', () => {
  it('gets batch after batch, each once it has acknowledged the one before', async () => {
    const { api } = await withEvents(5)
    const seen: string[][] = []
    for (let i = 0; i < 3; i++) {
      const batch = await take(api, { limit: 2 })
      seen.push(subjects(batch))
      await acknowledge(api, { batch: batch.batch })
    }
    expect(seen).toEqual([['1', '2'], ['3', '4'], ['5']])
    expect(await take(api)).toEqual(EMPTY)
    expect(await show(api)).toEqual({
      name: 'books',
      owner: null,
      position: cursorAfter(5),
      behind: 0,
      behindSince: null,
      leased: null,
      createdAt: '2026-01-15T12:00:00.000Z',
      acknowledgedAt: '2026-01-15T12:00:00.000Z',
    })
  })

  it('gets no more than 4 MiB at once, and acknowledges what it got', async () => {
    const { api } = await withEvents(0)
    const text = '\u0001'.repeat(100_000)
    for (let i = 1; i <= 8; i++)
      await api.store.storeCallback(aCallback({ text: text + i, facts: [aFact({ subject: String(i) })] }))
    const first = await take(api)
    await acknowledge(api, { batch: first.batch })
    expect([subjects(first), subjects(await take(api))]).toEqual([
      ['1', '2', '3', '4', '5', '6'],
      ['7', '8'],
    ])
  })

  it('says until when a batch is leased, and how far it is behind', async () => {
    const { api } = await withEvents(3)
    const batch = await take(api, { limit: 1, leaseSeconds: 90 })
    expect(batch).toMatchObject({ batch: expect.stringMatching(/^bat_/), expiresAt: '2026-01-15T12:01:30.000Z' })
    expect(await show(api)).toMatchObject({
      position: cursorAfter(0),
      behind: 3,
      leased: { until: '2026-01-15T12:01:30.000Z' },
      acknowledgedAt: null,
      behindSince: new Date(NOON).toISOString(),
    })
    expect(await askJson(api, '/v1/consumers')).toMatchObject({
      data: [{ behind: 3, behindSince: new Date(NOON).toISOString() }],
    })
  })

  it('leases one batch at a time; it comes again when its time is over, and counts no more by its old name', async () => {
    const { api, clock } = await withEvents(2)
    const first = await take(api, { limit: 1, leaseSeconds: 10 })
    expect(await take(api)).toEqual({ ...EMPTY, leased: { until: '2026-01-15T12:00:10.000Z' } })
    clock.now += 10_000
    const again = await take(api, { limit: 1 })
    expect([subjects(first), subjects(again)]).toEqual([['1'], ['1']])
    expect(await acknowledge(api, { batch: first.batch })).toMatchObject({ status: 409, code: 'conflict' })
    expect(await acknowledge(api, { batch: again.batch })).toMatchObject({ position: cursorAfter(1) })
    expect(await acknowledge(api, { batch: again.batch })).toMatchObject({ status: 409 })
    expect(await acknowledge(api, { batch: 'bat_0000000000' })).toMatchObject({ status: 409 })
  })

  it('is not acknowledged after its time, also where no one asked meanwhile', async () => {
    const { api, clock } = await withEvents(1)
    const { batch } = await take(api, { leaseSeconds: 1 })
    clock.now += 1000
    expect(await acknowledge(api, { batch })).toMatchObject({ status: 409 })
    expect(await show(api)).toMatchObject({ behind: 1, leased: null })
  })

  it('that was leased by a clock that was ahead waits no longer than a lease lasts', async () => {
    const { api, clock } = await withEvents(1)
    clock.now = NOON + 365 * 86_400_000
    const ahead = await take(api, { leaseSeconds: 3600 })
    // Set back a little, the lease holds; set right, it does not.
    clock.now -= 60_000
    expect(await take(api)).toMatchObject({ batch: null, leased: { until: ahead.expiresAt } })
    clock.now = NOON
    const again = await take(api, { wait: 30 })
    expect([subjects(ahead), subjects(again)]).toEqual([['1'], ['1']])
    expect(await acknowledge(api, { batch: ahead.batch as string })).toMatchObject({ status: 409 })
    expect(await acknowledge(api, { batch: again.batch as string })).toMatchObject({ leased: null })
  })

  it('acknowledges a part by an event or a cursor, and the rest comes again', async () => {
    const { api } = await withEvents(4)
    const first = await take(api)
    await acknowledge(api, { batch: first.batch, position: first.data[1]?.id })
    const second = await take(api)
    expect(subjects(second)).toEqual(['3', '4'])
    for (const position of [cursorAfter(1), cursorAfter(5), 'evt', ''])
      expect(await acknowledge(api, { batch: second.batch, position })).toMatchObject({
        status: 400,
        code: 'request_invalid',
        errors: [{ pointer: '#/position', detail: expect.any(String) }],
      })
    await acknowledge(api, { batch: second.batch, position: cursorAfter(2) })
    const third = await take(api)
    expect(subjects(third)).toEqual(['3', '4'])
    await acknowledge(api, { batch: third.batch, position: cursorAfter(3) })
    expect(subjects(await take(api))).toEqual(['4'])
  })

  it('passes over what the filter of a request skips, for good', async () => {
    const { api } = await withEvents(0)
    for (const kind of ['payment', 'charge', 'payment', 'charge', 'registration']) await receive(api, { kind })
    const first = await take(api, { filter: { kinds: ['charge'] }, limit: 1 })
    expect(subjects(first)).toEqual(['2'])
    await acknowledge(api, { batch: first.batch })
    const second = await take(api, { filter: { kinds: ['charge'] } })
    await acknowledge(api, { batch: second.batch })
    // Nothing was there behind the last charge: the page had been read to its end.
    expect(await show(api)).toMatchObject({ position: cursorAfter(5), behind: 0 })
    await receive(api)
    expect(await take(api, { filter: { subject: 'nobody' } })).toEqual(EMPTY)
    expect(await show(api)).toMatchObject({ behind: 0 })
  })

  it.each<[object, string[]]>([
    [{ kinds: ['charge', 'operator'] }, ['2', '3']],
    [{ environment: 'sandbox' }, ['4']],
    [{ subject: '1' }, ['1']],
    [{ status: 'CANCELADO' }, []],
    [{ from: '2026-01-15T12:00:00Z', to: '2026-01-15T12:00:00.001Z' }, ['1', '2', '4']],
    [{ from: '2026-01-16' }, []],
  ])('is given what %j asks for', async (filter, expected) => {
    const api = await withFour()
    expect(subjects(await take(api, { filter }, `reader-${++readers}`))).toEqual(expected)
  })

  it('is given the events of one institution', async () => {
    const { api } = await withEvents(0)
    for (const environment of ['production', 'bank-a/production', 'bank-a/sandbox', 'bank-b/sandbox'] as const)
      await receive(api, { environment })
    expect(subjects(await take(api, { filter: { institution: 'bank-a' } }, 'a'))).toEqual(['2', '3'])
    const filter = { institution: 'bank-a', environment: 'sandbox' }
    expect(subjects(await take(api, { filter }, 'b'))).toEqual(['3'])
    const hint = "no event has institution 'bank-c'"
    expect(await take(api, { filter: { institution: 'bank-c' } }, 'c')).toEqual({ ...EMPTY, hint })
  })

  it('gets a hint with an empty batch where no event has ever had what its filter names', async () => {
    const { api } = await withEvents(1)
    const hint = "no event has kind 'pix'; kinds of this gateway: registration, payment, charge, probe, operator"
    expect(await take(api, { filter: { kinds: ['pix'] } }, 'pix')).toEqual({ ...EMPTY, hint })
    expect(await take(api, { filter: { subject: 'none' } }, 'none')).toEqual(EMPTY)
  })

  it('is made by its first request, also where there is nothing yet', async () => {
    const { api } = await withEvents(0)
    expect((await ask(api, '/v1/consumers/books')).status).toBe(404)
    expect(await take(api)).toEqual(EMPTY)
    expect(await askJson(api, '/v1/consumers')).toMatchObject({ data: [{ name: 'books', behind: 0 }], more: false })
  })

  it('is moved, and what it had leased counts no more', async () => {
    const { api } = await withEvents(0)
    for (let i = 0; i < 4; i++) {
      const callback = aCallback({ text: `${i}`, receivedAt: NOON + i * 1000, facts: [aFact({ subject: `${i + 1}` })] })
      await api.store.storeCallback(callback)
    }
    const [first] = (await askJson<Batch>(api, '/v1/events')).data
    const places: [object, number][] = [
      [{ position: 'latest' }, 4],
      [{ position: 'start' }, 0],
      [{ position: cursorAfter(3) }, 3],
      [{ position: first?.id }, 1],
      [{ time: '2026-01-15T12:00:02Z' }, 2],
      [{ time: '2026-01-15T12:00:02.001Z' }, 3],
      [{ time: '2027-01-01' }, 4],
      [{ time: '1969-01-01' }, 0],
    ]
    for (const [place, position] of places) {
      await send(api, 'books/seek', { position: 'start' })
      const { batch } = await take(api)
      expect(await send(api, 'books/seek', place)).toMatchObject({
        position: cursorAfter(position),
        leased: null,
      })
      expect(await acknowledge(api, { batch })).toMatchObject({ status: 409 })
    }
  })

  it('learns of a removal between a 410 and its move', async () => {
    const { api } = await withEvents(4)
    const removed = { kind: 'payment', environment: 'production' } as const
    await acknowledge(api, { batch: (await take(api, { limit: 1 })).batch })
    await api.store.announceRemoval([{ ...removed, through: 2 }], NOON)
    const first = await send<Gone>(api, 'books/batches', {})
    await api.store.announceRemoval([{ ...removed, through: 3 }], NOON)
    await send(api, 'books/seek', { position: first.next })
    const second = await send<Gone>(api, 'books/batches', {})
    await send(api, 'books/seek', { position: second.next })
    expect([first, second]).toMatchObject([{ status: 410 }, { status: 410 }])
    expect(subjects(await take(api))).toEqual(['2', '3', '4'])
  })

  it.each([
    [{}, '#'],
    [{ position: 'start', time: '2026-01-15' }, '#'],
    [{ time: 'yesterday' }, '#/time'],
    [{ position: 'end' }, '#/position'],
    [{ position: cursorAfter(2) }, '#/position'],
    [{ position: 'start', place: 'start' }, '#/place'],
  ])('is not moved to %j', async (body, pointer) => {
    const api = await withOne()
    expect(await send(api, 'books/seek', body)).toMatchObject({ status: 400, errors: [{ pointer }] })
  })

  it('is deleted, and begins at the start when it comes again', async () => {
    const { api } = await withEvents(1)
    const { batch } = await take(api)
    expect((await ask(api, '/v1/consumers/books', { method: 'DELETE' })).status).toBe(204)
    expect((await ask(api, '/v1/consumers/books', { method: 'DELETE' })).status).toBe(404)
    expect(await acknowledge(api, { batch })).toMatchObject({ status: 409 })
    expect(subjects(await take(api))).toEqual(['1'])
  })

  it.each(['a b', '-a', 'x'.repeat(64), 'é'])('is not named %s', async (name) => {
    const answer = await post(await withOne(), `/v1/consumers/${encodeURIComponent(name)}/batches`)
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('the name of a consumer must be')])
  })

  it('asks for nothing that there is not', async () => {
    const answer = await post(await withOne(), '/v1/consumers/books/batches', {
      limit: 1001,
      wait: 31,
      leaseSeconds: 0,
      colour: 'red',
      filter: { kinds: [], environment: 'staging', to: 'now' },
    })
    const { errors } = JSON.parse(answer.body) as { errors: { pointer: string }[] }
    const places = ['limit', 'wait', 'leaseSeconds', 'filter/kinds', 'filter/environment', 'filter/to', 'colour']
    expect([answer.status, errors.map(({ pointer }) => pointer)]).toEqual([400, places.map((place) => `#/${place}`)])
  })
})

describe('a request for a batch that waits', () => {
  it('gets what comes', async () => {
    const { api } = await withEvents(1)
    const reads = vi.spyOn(api.options.store, 'listEvents')
    const batch = take(api, { wait: 30, filter: { kinds: ['charge'] } })
    await until(() => reads.mock.results[0])
    await reads.mock.results[0]?.value
    await receive(api)
    await receive(api, { kind: 'charge' })
    expect(subjects(await batch)).toEqual(['3'])
    expect(reads).toHaveBeenCalledTimes(2)
  })

  it.each<[string, (api: Api, batch: string | null) => Promise<unknown>, string[]]>([
    ['acknowledged', (api, batch) => acknowledge(api, { batch }), ['2']],
    ['taken back by a seek', (api) => send(api, 'books/seek', { position: 'start' }), ['1', '2']],
    ['gone with its consumer', (api) => ask(api, '/v1/consumers/books', { method: 'DELETE' }), ['1', '2']],
  ])('goes on as soon as the batch that is out is %s', async (_, end, expected) => {
    const { api } = await withEvents(2)
    const first = await take(api, { limit: 1 })
    const reads = vi.spyOn(api.options.store, 'getConsumer')
    const second = take(api, { wait: 30 })
    await until(() => reads.mock.results[0])
    await end(api, first.batch)
    expect(subjects(await second)).toEqual(expected)
  })

  it('goes on when the time of the batch that is out is over', async () => {
    const { api, clock } = await withEvents(1)
    await take(api, { leaseSeconds: 1 })
    const second = take(api, { wait: 30 })
    clock.now += 1000
    expect(subjects(await second)).toEqual(['1'])
  })

  it('comes away empty when its own time is over', async () => {
    const { api } = await withEvents(1)
    await take(api)
    expect(await take(api, { wait: 1 })).toEqual({ ...EMPTY, leased: { until: '2026-01-15T12:01:00.000Z' } })
    expect(await take(api, { wait: 1 }, 'other')).toMatchObject({ batch: expect.any(String) })
  })

  it('shares no event with the others that wait', async () => {
    const { api } = await withEvents(0)
    const waiting = Array.from({ length: 5 }, () => take(api, { wait: 2, limit: 1 }))
    const reads = vi.spyOn(api.options.store, 'listEvents')
    await until(() => reads.mock.results.length === 5)
    for (let i = 0; i < 5; i++) await receive(api)
    const batches = await Promise.all(waiting)
    expect(batches.flatMap(subjects)).toEqual(['1'])
  })
})

describe('consumers of clients', () => {
  it('are their own: a name may be there once for each', async () => {
    const { api } = await withEvents(2)
    const [shop, other] = await Promise.all([
      asClient(api, ['events.read'], { name: 'shop' }),
      asClient(api, ['events.read'], { name: 'other' }),
    ])
    const watcher = await asClient(api, ['events.read', 'operations.read'], { name: 'watcher' })
    await take(api)
    const taken = await send<Batch>(api, 'books/batches', { limit: 1 }, shop.authorization)
    expect(subjects(taken)).toEqual(['1'])
    // No other client may acknowledge or move it.
    for (const authorization of [other.authorization, undefined])
      expect(await send(api, 'books/ack', { batch: taken.batch }, authorization)).toMatchObject({ status: 409 })
    const seen = await Promise.all(
      [shop, other, watcher, undefined].map(async (principal) => {
        const { data } = await askJson<{ data: { owner: string | null }[] }>(api, '/v1/consumers', principal)
        return data.map(({ owner }) => owner)
      }),
    )
    expect(seen).toEqual([[shop.id], [], [null, shop.id], [null, shop.id]])
    const statusOf = async (principal: { authorization: string } | undefined, method: string, query: string) =>
      (await ask(api, `/v1/consumers/books?owner=${query}`, { method, ...principal })).status
    expect(await statusOf(other, 'GET', shop.id)).toBe(404)
    expect(await statusOf(other, 'GET', 'operator')).toBe(404)
    expect(await statusOf(watcher, 'GET', shop.id)).toBe(200)
    expect(await statusOf(watcher, 'DELETE', shop.id)).toBe(404)
    expect(await statusOf(shop, 'GET', shop.id)).toBe(200)
    // By its name, too; for a client that sees only its own, no names are looked up.
    expect(await statusOf(watcher, 'GET', 'shop')).toBe(200)
    expect(await statusOf(undefined, 'GET', 'shop')).toBe(200)
    expect(await statusOf(undefined, 'GET', 'nothing')).toBe(404)
    expect(await statusOf(other, 'GET', 'shop')).toBe(404)
    expect(await statusOf(undefined, 'DELETE', shop.id)).toBe(204)
    expect(await statusOf(undefined, 'GET', 'operator')).toBe(200)
  })

  it('are moved by the operator only where they are', async () => {
    const { api } = await withEvents(1)
    const seek = (query: string) => post(api, `/v1/consumers/books/seek${query}`, { position: 'latest' })
    expect((await seek('?owner=cli_0123456789')).status).toBe(404)
    expect((await seek('?owner=operator')).status).toBe(404)
    expect((await seek('')).status).toBe(200)
    expect((await seek('?owner=operator')).status).toBe(200)
  })

  it('of one environment get events of that one alone', async () => {
    const { api } = await withEvents(2)
    await receive(api, { environment: 'sandbox' as 'production' })
    const { authorization } = await asClient(api, ['events.read'], { environment: 'sandbox' })
    const batch = await send<Batch>(api, 'books/batches', {}, authorization)
    expect(subjects(batch)).toEqual(['3'])
    const filter = { environment: 'production' }
    expect(await send(api, 'books/batches', { filter }, authorization)).toMatchObject({ status: 403 })
  })

  it('are at most so many', async () => {
    const { api } = await withEvents(0)
    await Promise.all(Array.from({ length: 100 }, (_, i) => take(api, {}, `reader-${i}`)))
    const answers = await Promise.all([
      post(api, '/v1/consumers/one-more/batches'),
      post(api, '/v1/consumers/one-more/seek', { position: 'start' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([409, 409])
    const { data, more } = await askJson<{ data: unknown[]; more: boolean }>(api, '/v1/consumers?limit=99')
    expect([data.length, more]).toEqual([99, true])
  })
})

describe('a consumer that is deleted beside its reader', () => {
  const remove = (api: Api) => ask(api, '/v1/consumers/books', { method: 'DELETE' })

  it('is not made again by a request that forbids it, also while this waits', async () => {
    const { api } = await withEvents(2)
    const wanted = { wait: 30, create: false }
    expect(await take(api, wanted)).toMatchObject({
      status: 404,
      detail: 'there is no consumer books',
      template: 'there is no consumer {id}',
      values: { id: 'books' },
    })
    await send(api, 'books/seek', { position: 'latest' })
    const subscribed = vi.spyOn(api.bus, 'subscribe')
    const waiting = take(api, wanted)
    await until(() => subscribed.mock.calls.length > 0)
    await remove(api)
    await receive(api)
    expect(await waiting).toMatchObject({ status: 404 })
    expect(await show(api)).toMatchObject({ status: 404 })
  })

  it('goes on for portaria listen where it was: an event comes again only if its acknowledgment came too late', async () => {
    const { api } = await withEvents(2)
    const restored = vi.fn()
    const consumer = createConsumer(
      {
        address: '',
        close: async () => undefined,
        async ask({ method, target, body }) {
          const sent = body === undefined ? {} : { body: JSON.stringify(body) }
          const answer = await ask(api, target, { method, headers: { 'content-type': 'application/json' }, ...sent })
          if (answer.status < 300) return answer.body
          const { code, detail } = JSON.parse(answer.body)
          throw new PortariaError(code, detail)
        },
      },
      {
        name: 'books',
        leaseSeconds: 60,
        filter: {},
        signal: new AbortController().signal,
        onConnection: () => undefined,
        onHeld: () => undefined,
        onRestored: restored,
      },
    )
    await consumer.begin({ position: 'start' })
    const first = await consumer.next()
    await remove(api)
    expect(await consumer.acknowledge(first)).toBe(false)
    const again = await consumer.next()
    await consumer.acknowledge(again)
    const second = await consumer.next()
    await consumer.acknowledge(second)
    expect([first, again, second].map(({ event }) => event.subject)).toEqual(['1', '1', '2'])
    await remove(api)
    const third = consumer.next()
    await until(() => restored.mock.calls.length === 2)
    await receive(api)
    expect((await third).event.subject).toBe('3')
  })
})
