import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Fact, NewCallback } from '../../../src/domain/event.ts'
import { publishedEventsOf } from '../../../src/domain/event-bus.ts'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { openEventStream, type StreamOptions } from '../../support/event-stream.ts'
import { OPERATOR_TOKEN } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { type ApiChanges, asClient, ask, askJson, startApi } from '../api.ts'

type Api = Awaited<ReturnType<typeof startApi>>
type Change = Pick<Partial<Fact>, 'kind' | 'subject' | 'status'> &
  Pick<Partial<NewCallback>, 'environment' | 'receivedAt'> & { readonly text?: string }

const PATH = '/v1/events/stream'

let count = 0
/** Like the gateway: stores a callback, then publishes it. */
async function receive(
  api: Api,
  { kind = 'payment', subject = '42', status = 'LIQUIDADO', ...rest }: Change = {},
): Promise<string> {
  const callback = aCallback({ text: `{"n":${++count}}`, ...rest, facts: [aFact({ kind, subject, status })] })
  const stored = await api.store.storeCallback(callback)
  api.bus.publish(publishedEventsOf(callback, stored))
  return stored.eventIds[0] as string
}

const open = (api: Api, query = '', options?: StreamOptions) => openEventStream(api, `${PATH}${query}`, options)
type Reader = Awaited<ReturnType<typeof open>>

const idsIn = (reader: Reader) =>
  reader.parser.messages
    .filter(({ type }) => type === 'event')
    .map(({ data }) => (JSON.parse(data) as { id: string }).id)

/** Retention removes everything before a time. */
async function remove({ store }: Api, before: number): Promise<void> {
  for (const part of ['payload', 'metadata'] as const) {
    const found = await store.findRemovable({ part, kind: 'payment', before, after: null }, 100)
    await store.removeAged({ part, before, callbackIds: found.callbacks.map(({ callbackId }) => callbackId) }, NOON)
  }
}

const quick: ApiChanges = { streams: { heartbeatMs: 20, recheckMs: 20 } }

describe('the stream of events', () => {
  it('sends what is stored and then what comes, each as in the list, with the cursor behind it', async () => {
    const api = await startApi()
    const first = await receive(api)
    const reader = await open(api)
    await reader.messages(1)
    const second = await receive(api)
    const messages = await reader.messages(2)
    expect(idsIn(reader)).toEqual([first, second])
    expect(messages.map(({ lastEventId }) => lastEventId)).toEqual([cursorAfter(1), cursorAfter(2)])
    const list = await askJson<{ data: unknown[] }>(api, '/v1/events')
    expect(messages.map(({ data }) => JSON.parse(data) as unknown)).toEqual(list.data)
    expect([reader.status, reader.headers['content-type'], reader.headers['cache-control']]).toEqual([
      ...[200, 'text/event-stream', 'no-store'],
    ])
    expect([reader.headers['x-accel-buffering'], reader.parser.retryMs]).toEqual(['no', 2000])
  })

  it('goes on behind Last-Event-ID, whatever after says, and misses and repeats nothing', async () => {
    const api = await startApi()
    const all: string[] = []
    const seen: string[] = []
    let lastEventId: string | undefined
    for (let round = 0; round < 4; round++) {
      all.push(await receive(api), await receive(api))
      const reader = await open(api, `?after=${cursorAfter(0)}`, lastEventId === undefined ? {} : { lastEventId })
      all.push(await receive(api))
      await reader.messages(3)
      seen.push(...idsIn(reader))
      lastEventId = reader.parser.lastEventId
      reader.close()
    }
    expect(seen).toEqual(all)
  })

  it('tells where it began before any event comes, so that nothing is missed after a break', async () => {
    const api = await startApi()
    await receive(api)
    const reader = await open(api, '?after=latest')
    await until(() => reader.parser.lastEventId)
    reader.close()
    const missed = await receive(api)
    const next = await open(api, '?after=latest', { lastEventId: reader.parser.lastEventId })
    await next.messages(1)
    expect(idsIn(next)).toEqual([missed])
  })

  it.each<[string, Change, Change]>([
    ['?kind=charge', { kind: 'charge' }, { kind: 'payment' }],
    ['?environment=sandbox', { environment: 'sandbox' }, { environment: 'production' }],
    ['?institution=bank-a', { environment: 'bank-a/production' }, { environment: 'bank-b/production' }],
    ['?subject=wanted', { subject: 'wanted' }, { subject: 'other' }],
    ['?status=CANCELADO', { status: 'CANCELADO' }, { status: 'LIQUIDADO' }],
    ['?from=2026-01-15T12:00:01Z', { receivedAt: NOON + 1000 }, { receivedAt: NOON + 999 }],
    ['?to=2026-01-15T12:00:01Z', { receivedAt: NOON + 999 }, { receivedAt: NOON + 1000 }],
  ])('takes the filter %s', async (query, wanted, other) => {
    const api = await startApi()
    const reader = await open(api, query)
    await receive(api, other)
    const first = await receive(api, wanted)
    await receive(api, other)
    const second = await receive(api, wanted)
    await reader.messages(2)
    expect(idsIn(reader)).toEqual([first, second])
  })

  it('moves the id past events that the filter skips, without a message', async () => {
    const api = await startApi()
    for (let i = 0; i < 3; i++) await receive(api)
    const reader = await open(api, '?kind=charge')
    await until(() => reader.parser.lastEventId)
    expect([reader.parser.lastEventId, reader.parser.messages]).toEqual([cursorAfter(3), []])
  })

  it('shows a client of one environment nothing of the other', async () => {
    const api = await startApi()
    await receive(api, { environment: 'sandbox' })
    const own = await receive(api)
    const { authorization } = await asClient(api, ['events.read'], { environment: 'production' })
    const reader = await open(api, '', { authorization })
    await receive(api, { environment: 'sandbox' })
    const next = await receive(api)
    await reader.messages(2)
    expect(idsIn(reader)).toEqual([own, next])
    expect((await ask(api, `${PATH}?environment=sandbox`, { authorization })).status).toBe(403)
  })

  it('reports events that retention removed once, and goes on behind them', async () => {
    const api = await startApi()
    await receive(api)
    const first = await open(api)
    await first.messages(1)
    first.close()
    await receive(api, { receivedAt: NOON + 1 })
    await remove(api, NOON + 10)
    const left = await receive(api, { receivedAt: NOON + 20 })
    const reader = await open(api, '', { lastEventId: first.parser.lastEventId })
    const [gap] = await reader.messages(2)
    expect(gap?.type).toBe('gap')
    const { next, detail } = JSON.parse(gap?.data ?? '') as { next: string; detail: string }
    expect([next, detail]).toEqual([gap?.lastEventId, expect.stringContaining('are gone before they were read')])
    expect(idsIn(reader)).toEqual([left])
    const again = await open(api, '', { lastEventId: next })
    await again.messages(1)
    expect(again.parser.messages.map(({ type }) => type)).toEqual(['event'])
  })

  it('keeps the lines of a payload that is pretty-printed, and numbers as they were written', async () => {
    const api = await startApi()
    const reader = await open(api)
    await receive(api, { text: '{\r\n  "valor": 150.10,\r  "a": "id: x"\n}' })
    const [message] = await reader.messages(1)
    expect(message?.data).toContain('"valor": 150.10')
    expect((JSON.parse(message?.data ?? '') as { data: unknown }).data).toEqual({ valor: 150.1, a: 'id: x' })
  })

  it('sends a comment while nothing comes', async () => {
    const reader = await open(await startApi(quick))
    await until(() => reader.parser.comments.length > 2)
    expect(reader.parser.messages).toEqual([])
  })

  it('answers HEAD with its head only, and what it refuses in words', async () => {
    const api = await startApi()
    await receive(api)
    const head = await ask(api, PATH, { method: 'HEAD' })
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream'])
    const statusOf = async (query: string, headers = {}) => {
      const { status, body } = await ask(api, `${PATH}${query}`, { headers })
      return [status, (JSON.parse(body) as { detail: string }).detail]
    }
    expect(await statusOf('?limit=3')).toEqual([400, expect.stringContaining('limit')])
    expect(await statusOf('?after=x')).toEqual([400, expect.stringContaining('a cursor that "next"')])
    expect(await statusOf(`?after=${cursorAfter(2)}`)).toEqual([400, expect.stringContaining('another database')])
    expect(await statusOf('', { 'last-event-id': 'x' })).toEqual([400, expect.stringContaining('Last-Event-ID')])
    expect(await statusOf('', { accept: 'application/json' })).toEqual([406, expect.stringContaining('poll')])
  })

  it.each(['text/event-stream', 'text/*;q=0.1', '*/*', ''])('takes Accept: %s', async (accept) => {
    const api = await startApi()
    expect((await ask(api, PATH, accept === '' ? {} : { headers: { accept } })).status).toBe(200)
  })
})

describe('the end of a stream', () => {
  it('comes when the client is revoked, its secret changed or its token expired', async () => {
    const clock = { now: NOON }
    const api = await startApi({ ...quick, now: () => clock.now })
    const clients = await Promise.all(['a', 'b', 'c', 'd'].map((name) => asClient(api, ['events.read'], { name })))
    const readers = await Promise.all(clients.map(({ authorization }) => open(api, '', { authorization })))
    const ended = () => readers.map((reader) => reader.isEnded())
    await api.clients.revoke(clients[0]?.id as string)
    await api.clients.rotate(clients[1]?.id as string, 0)
    await until(() => ended().slice(0, 2).every(Boolean))
    expect(ended()).toEqual([true, true, false, false])
    expect(readers[0]?.parser.comments).toContain('the access token is no longer valid: get another one')
    expect(api.refused).toEqual([])
    clock.now += 3_601_000
    await until(() => ended().every(Boolean))
  })

  it('comes before the next event when the client is revoked or its secret changed', async () => {
    const api = await startApi({ streams: { recheckMs: 600_000 } })
    const clients = await Promise.all(['a', 'b', 'c'].map((name) => asClient(api, ['events.read'], { name })))
    const readers = await Promise.all(clients.map(({ authorization }) => open(api, '', { authorization })))
    const earlier = await receive(api)
    await until(() => readers.every((reader) => idsIn(reader).length === 1))
    await api.clients.revoke(clients[0]?.id as string)
    await api.clients.rotate(clients[1]?.id as string, 0)
    const later = await receive(api)
    await until(() => readers.slice(0, 2).every((reader) => reader.isEnded()))
    await until(() => readers[2] !== undefined && idsIn(readers[2]).length === 2)
    expect(readers.map(idsIn)).toEqual([[earlier], [earlier], [earlier, later]])
    expect(readers[0]?.parser.comments).toContain('the access token is no longer valid: get another one')
  })

  it('comes at once when the gateway stops, with a last comment', async () => {
    const api = await startApi()
    const readers = await Promise.all([open(api), open(api), open(api, '?kind=charge')])
    api.streams.close()
    await until(() => readers.every((reader) => reader.isEnded()))
    expect(readers[0]?.parser.comments).toEqual(['the gateway is stopping: connect again'])
    const { status, body } = await ask(api, PATH)
    expect([status, JSON.parse(body)]).toMatchObject([503, { detail: expect.stringContaining('stopping') }])
  })

  it('comes when the store fails meanwhile, and before the first message it is a problem', async () => {
    const failing = { is: false }
    const api = await startApi({
      store: {
        async listEvents(...args) {
          if (failing.is) throw new PortariaError('store_unavailable', 'the disk fails')
          return api.store.listEvents(...args)
        },
      },
    })
    const reader = await open(api)
    await until(() => reader.parser.lastEventId)
    failing.is = true
    await receive(api)
    await until(() => reader.isEnded())
    expect(reader.parser.comments).toEqual(['the disk fails'])
    expect((await ask(api, PATH)).status).toBe(503)
  })

  it('comes when the caller ends its side of the connection', async () => {
    const api = await startApi({ streams: { places: 1 } })
    const socket = connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write(`GET ${PATH} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.end()
    await until(
      async () => (await ask(api, PATH)).status,
      (status) => status === 200,
    )
    socket.destroy()
  })
})

describe('the places of streams', () => {
  it('one address leaves the others theirs', async () => {
    const api = await startApi({ streams: { placesOfAddress: 1 } })
    const one = await openEventStream(api, PATH)
    const full = await ask(api, PATH)
    expect([full.status, full.headers['retry-after'], JSON.parse(full.body)]).toMatchObject([
      ...[503, '5', { code: 'queue_full', detail: expect.stringContaining('1 event streams from 127.0.0.1') }],
    ])
    const other = await openEventStream(api, PATH, { localAddress: '127.0.0.2' })
    for (const stream of [one, other]) stream.close()
  })

  it('are limited, in all and for each client, and are free again after a stream', async () => {
    const api = await startApi({ streams: { places: 20 } })
    const { authorization } = await asClient(api, ['events.read'])
    const readers = await Promise.all([open(api), open(api)])
    const { status, headers, body } = await ask(api, PATH)
    expect([status, headers['retry-after'], JSON.parse(body)]).toMatchObject([
      ...[503, '5', { code: 'queue_full', detail: expect.stringContaining('2 event streams of this client') }],
    ])
    expect((await ask(api, PATH, { authorization })).status).toBe(200)
    readers[0]?.close()
    await until(
      async () => (await ask(api, PATH)).status,
      (one) => one === 200,
    )
    const full = await startApi({ streams: { places: 1 } })
    await open(full)
    expect(JSON.parse((await ask(full, PATH)).body)).toMatchObject({
      detail: expect.stringContaining('1 event streams are open already'),
    })
  })
})

describe('a caller that reads slowly', () => {
  it('costs no memory: the rest is read from the store when it goes on, and comes whole', {
    timeout: 90_000,
  }, async () => {
    const asked = { after: 0, reads: 0 }
    const api = await startApi({
      store: {
        async listEvents(filter, limit) {
          Object.assign(asked, { after: filter.after, reads: asked.reads + 1 })
          return api.store.listEvents(filter, limit)
        },
      },
    })
    const large = 'x'.repeat(400_000)
    const all: string[] = []
    for (let i = 0; i < 60; i++) all.push(await receive(api, { text: `{"i":${i},"large":"${large}"}` }))
    const reader = await open(api)
    reader.response.pause()
    // The buffers of the kernel take some of the 24 MB. Reads are answered in order, so what the stream has asked for comes before this answer.
    for (let same = 0, before = -1; same < 20; same = asked.reads === before ? same + 1 : 0) {
      before = asked.reads
      await ask(api, '/v1/consumers')
    }
    expect(asked.after).toBeLessThan(50)
    reader.response.resume()
    // 24 MB, on a busy machine for longer than other conditions take.
    await reader.messages(60, 60_000)
    expect(idsIn(reader)).toEqual(all)
  })
})
