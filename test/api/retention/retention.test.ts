import { describe, expect, it, vi } from 'vitest'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aHeldCallback, NOON } from '../../support/builders.ts'
import { until } from '../../support/until.ts'
import { asClient, ask, askJson, post, sharedApi, startApi } from '../api.ts'

const shared = sharedApi()

const DAY = 86_400_000

interface Page {
  readonly data: readonly { readonly id: string; readonly data: unknown; readonly payloadRemovedAt: string | null }[]
  readonly next: string
  readonly more: boolean
}

async function fill(store: Store, count: number, changes: Parameters<typeof aCallback>[0] = {}): Promise<string[]> {
  const ids: string[] = []
  for (let n = 1; n <= count; n++) {
    const { eventIds } = await store.storeCallback(aCallback({ text: `{"n":${n}}`, ...changes }))
    ids.push(...eventIds)
  }
  return ids
}

async function removeRows(store: Store, callbackIds: readonly number[], now = NOON): Promise<void> {
  for (const part of ['payload', 'metadata'] as const)
    await store.removeAged({ part, before: NOON + DAY, callbackIds }, now)
}

function consume(api: { port: number }, filter: object = {}) {
  return post(api, '/v1/consumers/books/batches', { filter })
}

describe('an event without its data', () => {
  it('is no gap: it says since when, its original is gone, and no one gets it again', async () => {
    const api = await startApi()
    await api.store.createDestination(aDestination({ kinds: ['none'] }), NOON)
    const [id] = await fill(api.store, 2)
    await api.store.removeAged({ part: 'payload', before: NOON + 1, callbackIds: [1] }, NOON + DAY)

    const { data } = await askJson<Page>(api, '/v1/events')
    expect(data.map((event) => [event.data, event.payloadRemovedAt])).toEqual([
      [null, '2026-01-16T12:00:00.000Z'],
      [{ n: 2 }, null],
    ])
    expect(await askJson(api, `/v1/events/${id}`)).toMatchObject({
      data: null,
      payloadRemovedAt: '2026-01-16T12:00:00.000Z',
      evidence: { bytes: 0, bodyRemovedAt: '2026-01-16T12:00:00.000Z', remoteAddress: '127.0.0.1' },
    })
    const original = await ask(api, `/v1/events/${id}/original`)
    expect([original.status, JSON.parse(original.body)]).toMatchObject([
      410,
      { code: 'gone', detail: expect.stringContaining('2026-01-16T12:00:00.000Z, by retention or a redaction') },
    ])
    const replayed = await post(api, `/v1/events/${id}/replay?destination=books`)
    expect([replayed.status, JSON.parse(replayed.body)]).toMatchObject([
      409,
      { code: 'conflict', detail: expect.stringContaining('the data of this event was removed') },
    ])
  })
})

describe('a cursor whose events are gone', () => {
  it('learns it once, by what is asked for, and goes on without missing anything that is still there', async () => {
    const api = await startApi()
    await fill(api.store, 3)
    await api.store.storeCallback(aHeldCallback('{"txid":"T","account":"own"}'))
    const first = await askJson<Page>(api, '/v1/events?limit=1')
    expect(first.next).toBe(cursorAfter(1))
    await fill(api.store, 1, { text: '{"n":5}' })
    await removeRows(api.store, [1, 2, 3], NOON + DAY)

    const gone = await ask(api, `/v1/events?limit=1&after=${first.next}`)
    const problem = JSON.parse(gone.body)
    expect([gone.status, problem]).toMatchObject([
      410,
      { code: 'gone', detail: expect.stringContaining('continue with "next"'), next: expect.any(String) },
    ])
    const second = await askJson<Page>(api, `/v1/events?limit=1&after=${problem.next}`)
    const third = await askJson<Page>(api, `/v1/events?limit=1&after=${second.next}`)
    expect([second, third].map(({ data }) => data.map((event) => event.data))).toEqual([
      [{ txid: 'T', account: 'own' }],
      [{ n: 5 }],
    ])
    // All that is gone is behind it.
    expect(third.next).toBe(cursorAfter(5))
    expect((await ask(api, `/v1/events?kind=charge&after=${first.next}`)).status).toBe(200)
    expect((await ask(api, `/v1/events?environment=sandbox&after=${first.next}`)).status).toBe(200)
    expect((await ask(api, '/v1/events?after=latest')).status).toBe(200)
  })

  it('that learned of one removal learns of the next', async () => {
    const api = await startApi()
    await fill(api.store, 4)
    await removeRows(api.store, [1])
    // Who begins was never there before.
    const begun = await askJson<Page>(api, '/v1/events?limit=1')
    expect(begun).toMatchObject({ data: [{ data: { n: 2 } }], next: cursorAfter(2) })
    await removeRows(api.store, [2, 3])
    const told = JSON.parse((await ask(api, `/v1/events?after=${begun.next}`)).body).next
    expect(told).not.toBe(begun.next)
    await fill(api.store, 1, { text: '{"n":5}' })
    await removeRows(api.store, [4])
    expect((await ask(api, `/v1/events?after=${told}`)).status).toBe(410)
  })

  it('that begins before a removal and reads on behind it keeps what it learned', async () => {
    const api = await startApi()
    await fill(api.store, 2)
    await api.store.storeCallback(aHeldCallback('{"txid":"T","account":"own"}'))
    await api.store.announceRemoval([{ kind: 'payment', environment: 'production', through: 2 }], NOON)
    const page = await askJson<Page>(api, '/v1/events?limit=1')
    expect(page.next).toBe(cursorAfter(1, NOON))
    await removeRows(api.store, [1, 2])
    const next = await askJson<Page>(api, `/v1/events?after=${page.next}`)
    expect(next).toMatchObject({ data: [{ data: { txid: 'T' } }], next: cursorAfter(3) })
  })

  it('is informed while it waits', async () => {
    const api = await startApi()
    await fill(api.store, 2, { environment: 'sandbox' })
    const reads = vi.spyOn(api.options.store, 'listEvents')
    const answer = ask(api, `/v1/events?environment=production&wait=30&after=${cursorAfter(0)}`)
    await until(() => reads.mock.results[0])
    await reads.mock.results[0]?.value
    await fill(api.store, 1, { text: '{"n":3}' })
    await removeRows(api.store, [3])
    api.bus.publish([{ kind: 'payment', environment: 'production', subject: '42', status: null, receivedAt: NOON }])
    const { status, body } = await answer
    // It had moved on past what was not asked for, and not past what came then.
    expect([status, JSON.parse(body).next]).toEqual([410, cursorAfter(2, NOON)])
  })
})

describe('a consumer whose events are gone', () => {
  it('learns it until it is moved, and then misses nothing that is still there', async () => {
    const api = await startApi()
    await fill(api.store, 3)
    const batch = JSON.parse((await post(api, '/v1/consumers/books/batches', { limit: 1 })).body)
    await post(api, '/v1/consumers/books/ack', { batch: batch.batch })
    await removeRows(api.store, [2])

    const answers = [await consume(api), await consume(api)]
    expect(answers.map(({ status }) => status)).toEqual([410, 410])
    const { next, detail } = JSON.parse(answers[0]?.body as string)
    expect(detail).toContain('seek')
    expect((await consume(api, { kinds: ['charge'] })).status).toBe(200)
    await post(api, '/v1/consumers/books/seek', { position: next })
    expect(JSON.parse((await consume(api)).body).data).toMatchObject([{ data: { n: 3 } }])
  })

  it('that is new was never there before', async () => {
    const api = await startApi()
    await fill(api.store, 2)
    await removeRows(api.store, [1])
    const { data, batch } = JSON.parse((await consume(api)).body)
    expect(data).toMatchObject([{ data: { n: 2 } }])
    expect((await post(api, '/v1/consumers/books/ack', { batch })).status).toBe(200)
    expect((await consume(api)).status).toBe(200)
  })
})

describe('pruning on demand', () => {
  it('removes what is old enough, and says how far it is', async () => {
    const api = await startApi()
    await fill(api.store, 2, { receivedAt: NOON - 500 * DAY })
    await fill(api.store, 1, { receivedAt: NOON - 100 * DAY, text: '{"n":3}' })
    await fill(api.store, 1, { text: '{"n":4}' })
    expect(await askJson(api, '/v1/storage/prune')).toMatchObject({ state: 'none' })
    // Three bodies such as {"n":3}.
    const total = { payloads: 3, bytes: 21, events: 2, callbacks: 2, kept: 0 }
    const counted = await post(api, '/v1/storage/prune', { dryRun: true })
    expect([counted.status, JSON.parse(counted.body)]).toEqual([200, total])
    expect((await post(api, '/v1/storage/prune')).status).toBe(202)
    const done = await until(
      () => askJson(api, '/v1/storage/prune'),
      ({ state }) => state === 'done',
    )
    expect(done).toEqual({ state: 'done', ...total, problem: null })
    const { data } = await askJson<Page>(api, '/v1/events')
    expect(data.map((event) => event.data)).toEqual([null, { n: 4 }])
    expect(api.lines).toContainEqual(
      expect.objectContaining({ event: 'retention.removed', payloads: 3, events: 2, kept: 0 }),
    )
  })
})

describe('redaction', () => {
  it('counts first, then removes the data for good, and its log line does not name the subject', async () => {
    const api = await startApi()
    await api.store.createDestination(aDestination(), NOON)
    await fill(api.store, 120)
    await fill(api.store, 1, { text: '{"n":0}', environment: 'sandbox' })
    const redact = async (body: object) => JSON.parse((await post(api, '/v1/storage/redact', body)).body)
    const count = await redact({ subject: '42', environment: 'production', dryRun: true })
    expect(count).toEqual({ events: 120, quarantined: 0, canceled: null, logEmptied: null })
    expect(await redact({ subject: '42', environment: 'production' })).toEqual({
      events: 120,
      quarantined: 0,
      canceled: 120,
      logEmptied: true,
    })
    const { data } = await askJson<Page>(api, '/v1/events?limit=1000')
    expect(data.filter((event) => event.data !== null)).toMatchObject([{ data: { n: 0 } }])
    expect(await redact({ subject: '42', environment: 'production' })).toMatchObject({ events: 0, canceled: 0 })
    const line = api.lines.find(({ event }) => event === 'subject.redacted')
    expect(line).toMatchObject({ environment: 'production', events: 120, canceled: 120 })
    expect(JSON.stringify(line)).not.toContain('42')
  })

  it('of one institution leaves the others, and its log line names it', async () => {
    const api = await startApi()
    await fill(api.store, 1, { text: '{"n":0}' })
    await fill(api.store, 1, { text: '{"n":0}', environment: 'bank-a/production' })
    const answer = await post(api, '/v1/storage/redact', { subject: '42', institution: 'bank-a' })
    expect(JSON.parse(answer.body)).toMatchObject({ events: 1 })
    const { data } = await askJson<{ data: object[] }>(api, '/v1/events')
    expect(data).toMatchObject([
      { institution: null, data: { n: 0 } },
      { institution: 'bank-a', data: null },
    ])
    const line = api.lines.find(({ event }) => event === 'subject.redacted')
    expect(line).toMatchObject({ institution: 'bank-a', events: 1 })
  })

  it('shows what was held back without its data', async () => {
    const api = await startApi()
    await api.store.storeCallback(aHeldCallback('{"txid":"T","account":"theirs"}'))
    await post(api, '/v1/storage/redact', { subject: 'T' })
    expect(await askJson(api, '/v1/quarantine/qtn_1')).toMatchObject({
      state: 'discarded',
      decidedBy: 'redaction',
      data: null,
      payloadRemovedAt: '2026-01-15T12:00:00.000Z',
    })
    expect((await post(api, '/v1/quarantine/qtn_1/release')).status).toBe(409)
  })

  it('and pruning are for the operator alone', async () => {
    const api = await shared()
    const { authorization } = await asClient(api, ['operations.write', 'events.read'])
    const paths = ['/v1/storage/prune', '/v1/storage/redact']
    const answers = await Promise.all(paths.map((path) => ask(api, path, { method: 'POST', authorization })))
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
  })

  it.each([[{}], [{ subject: '' }], [{ subject: 'a', environment: 'moon' }], [{ subject: 'a', all: true }]])(
    'of %j is refused',
    async (body) => {
      const api = await shared()
      expect((await post(api, '/v1/storage/redact', body)).status).toBe(400)
    },
  )
})
