import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { eventText } from '../../../src/api/events/serializer.ts'
import { sharedTexts, shareReads } from '../../../src/api/events/shared-reads.ts'
import type { NewCallback } from '../../../src/domain/event.ts'
import { type PublishedEvent, publishedEventsOf } from '../../../src/domain/event-bus.ts'
import type { EventPage } from '../../../src/domain/event-record.ts'
import { kindDefaults } from '../../../src/domain/kinds.ts'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { until } from '../../support/until.ts'
import { asClient, ask, askJson, startApi } from '../api.ts'

type Api = Awaited<ReturnType<typeof startApi>>

const EMPTY: EventPage = {
  events: [],
  next: 0,
  more: false,
  removed: { isMissed: false, through: 0, announcedAt: 0 },
}

describe('reads of events', () => {
  function start() {
    const listEvents = vi.fn(async () => ({ ...EMPTY }))
    return { listEvents, shared: shareReads({ listEvents }) }
  }

  it('that are equal and begin in one turn are one, also where a promise is between them', async () => {
    const { listEvents, shared } = start()
    const late = async () => {
      for (let hop = 0; hop < 20; hop++) await null
      return shared.listEvents({ after: 1 }, 10)
    }
    const [one, other] = await Promise.all([shared.listEvents({ after: 1 }, 10), late()])
    expect(one).toBe(other)
    expect(listEvents).toHaveBeenCalledTimes(1)
  })

  it('with another filter or limit are their own', async () => {
    const { listEvents, shared } = start()
    const filters = [
      {},
      { after: 1 },
      { after: 2 },
      { after: 1, environment: 'sandbox' },
      { after: 1, environment: 'production' },
      { after: 1, kinds: ['payment'] },
      { after: 1, gapsReportedAt: 0 },
      { after: 1, gapsReportedAt: Number.POSITIVE_INFINITY },
    ] as const
    await Promise.all(filters.flatMap((filter) => [shared.listEvents(filter, 10), shared.listEvents(filter, 11)]))
    expect(listEvents.mock.calls).toEqual(
      filters.flatMap((filter) => [
        [filter, 10],
        [filter, 11],
      ]),
    )
  })

  it('of a later turn read again, although the earlier read has not ended: it may miss an event', async () => {
    const { listEvents, shared } = start()
    listEvents.mockImplementationOnce(() => new Promise(() => undefined))
    void shared.listEvents({}, 10)
    await nextTurn()
    expect(await shared.listEvents({}, 10)).toEqual(EMPTY)
  })

  it('that fail are all told why, and do not hinder later ones', async () => {
    const { listEvents, shared } = start()
    listEvents.mockRejectedValueOnce(new Error('the disk failed'))
    const both = await Promise.allSettled([shared.listEvents({}, 10), shared.listEvents({}, 10)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await nextTurn()
    expect(await shared.listEvents({}, 10)).toEqual(EMPTY)
  })
})

describe('texts with the number of deliveries', () => {
  const page = { ...EMPTY }

  it('are read once for a page and a view, and not shared beyond', async () => {
    const countEventDeliveries = vi.fn(async () => [])
    const read = (of: EventPage, view: string) => sharedTexts({ countEventDeliveries }, of, { view, textOf: eventText })
    const texts = [read(page, 'one'), read(page, 'one'), read(page, 'other'), read({ ...EMPTY }, 'one')]
    const [first, second, third, fourth] = await Promise.all(texts)
    expect(first).toBe(second)
    expect(new Set([first, third, fourth]).size).toBe(3)
    expect(countEventDeliveries).toHaveBeenCalledTimes(3)
  })
})

let count = 0

async function storeEvent(api: Api, environment: NewCallback['environment']): Promise<PublishedEvent[]> {
  const text = `{"n":${++count},"cpf":"123.456.789-09"}`
  const callback = aCallback({ text, environment, facts: [aFact({ subject: String(count) })] })
  return publishedEventsOf(callback, await api.store.storeCallback(callback))
}

/** Requests that wait: each has looked alone, and found nothing. `reads` counts what follows. */
async function waitAll<T>(api: Api, begin: readonly (() => Promise<T>)[]) {
  const reads = vi.spyOn(api.options.store, 'listEvents')
  const answers: Promise<T>[] = []
  for (const one of begin) {
    reads.mockClear()
    answers.push(one())
    await until(() => reads.mock.settledResults[0]?.type === 'fulfilled')
  }
  reads.mockClear()
  return { answers: Promise.all(answers), reads }
}

const CURSOR = cursorAfter(1)

describe('pollers that one event wakes', () => {
  async function start() {
    const api = await startApi({
      maskedKinds: [{ name: 'payment', ...kindDefaults('payment'), personalData: ['/cpf'] }],
    })
    await storeEvent(api, 'production')
    return api
  }

  it('cost one read of the store, however many they are', async () => {
    const api = await start()
    const ask = () => askJson<{ data: unknown[] }>(api, `/v1/events?wait=30&after=${CURSOR}`)
    const { answers, reads } = await waitAll(
      api,
      Array.from({ length: 20 }, () => ask),
    )
    api.bus.publish(await storeEvent(api, 'production'))
    const pages = await answers
    expect(pages.map(({ data }) => data.length)).toEqual(pages.map(() => 1))
    expect(reads).toHaveBeenCalledTimes(1)
  })

  it('each get what they get alone: no environment, scope or form is mixed with another', async () => {
    const api = await start()
    const clients = await Promise.all([
      asClient(api, ['events.read'], { name: 'any' }),
      asClient(api, ['events.read'], { name: 'live', environment: 'production' }),
      asClient(api, ['events.read'], { name: 'trial', environment: 'sandbox' }),
      asClient(api, ['support.read'], { name: 'support' }),
      asClient(api, ['support.read'], { name: 'trial-support', environment: 'sandbox' }),
    ])
    const queries = ['', '&limit=1', '&kind=payment', '&include=deliveries', `&from=2026-01-01`]
    const all = clients.flatMap(({ authorization }) => queries.map((query) => ({ authorization, query })))
    const poll = ({ authorization, query }: (typeof all)[number], wait: number) =>
      askJson<object>(api, `/v1/events?after=${CURSOR}&wait=${wait}${query}`, { authorization })
    // Each client twice: the second one is answered from the first one's read.
    const { answers, reads } = await waitAll(
      api,
      [...all, ...all].map((one) => () => poll(one, 30)),
    )
    const published = [...(await storeEvent(api, 'production')), ...(await storeEvent(api, 'sandbox'))]
    api.bus.publish(published)
    const together = await answers
    const readTogether = reads.mock.calls.length
    const alone: object[] = []
    for (const one of all) alone.push(await poll(one, 0))
    expect(together).toEqual([...alone, ...alone])
    // Each client with four filters, as `include` changes no filter: no two see the same environment in the same form.
    expect(readTogether).toBe(5 * 4)
    expect(new Set(alone.map((page) => JSON.stringify(page))).size).toBeGreaterThan(8)
  })

  it('see the deliveries to their own destinations, all of them with support.read, the operator all', async () => {
    const api = await start()
    const shop = await asClient(api, ['events.read'], { name: 'shop' })
    const till = await asClient(api, ['events.read'], { name: 'till' })
    const { client } = await api.clients.create({
      name: 'both',
      environment: 'any',
      scopes: ['events.read', 'support.read'],
    })
    const { tokens } = api.options.identity
    const reader = { authorization: `Bearer ${await tokens.issue(client, ['events.read'], null)}` }
    const support = { authorization: `Bearer ${await tokens.issue(client, ['support.read'], null)}` }
    await api.store.createDestination(aDestination({ name: 'of the shop' }), NOON, shop.id)
    await api.store.createDestination(aDestination({ name: 'of the operator' }), NOON)
    const ask = (client: { authorization?: string }) => () =>
      askJson<{ data: { deliveries: { pending: number } }[] }>(
        api,
        `/v1/events?wait=30&include=deliveries&after=${CURSOR}`,
        client,
      )
    const all = [{}, shop, till, reader, support].map(ask)
    const { answers } = await waitAll(api, [...all, ...all])
    api.bus.publish(await storeEvent(api, 'production'))
    const pending = (await answers).map(({ data }) => data[0]?.deliveries.pending)
    expect(pending).toEqual([2, 1, 0, 0, 2, 2, 1, 0, 0, 2])
  })

  it('get all of a page that is shared as bytes', async () => {
    const api = await start()
    const ask = () => askJson<{ data: { data: unknown }[] }>(api, `/v1/events?wait=30&after=${CURSOR}`)
    const { answers } = await waitAll(api, [ask, ask, ask])
    const text = `"${'é'.repeat(50_000)}"`
    const callback = aCallback({ text, facts: [aFact()] })
    api.bus.publish(publishedEventsOf(callback, await api.store.storeCallback(callback)))
    expect((await answers).map(({ data }) => data.map((event) => event.data))).toEqual(
      Array.from({ length: 3 }, () => ['é'.repeat(50_000)]),
    )
  })
})

describe('a client that is revoked while it waits', () => {
  async function start() {
    const api = await startApi()
    const shop = await asClient(api, ['events.read'], { name: 'shop' })
    const till = await asClient(api, ['events.read'], { name: 'till' })
    return { api, shop, till }
  }

  it('gets 401 with the next event, and no page; the refusal is recorded', async () => {
    const { api, shop, till } = await start()
    const poll = ({ authorization }: typeof shop) => ask(api, '/v1/events?wait=30', { authorization })
    const { answers } = await waitAll(api, [() => poll(shop), () => poll(till)])
    await api.clients.revoke(shop.id)
    api.bus.publish(await storeEvent(api, 'production'))
    const [refused, answered] = await answers
    expect([refused?.status, refused?.headers['www-authenticate'], answered?.status]).toEqual([
      401,
      'Bearer error="invalid_token"',
      200,
    ])
    expect(refused?.body).not.toContain('"data"')
    expect(api.refused).toMatchObject([{ code: 'invalid_token', reason: expect.stringContaining('was revoked') }])
  })

  it('gets no batch, and leases none', async () => {
    const { api, shop } = await start()
    const take = () =>
      ask(api, '/v1/consumers/books/batches', {
        method: 'POST',
        authorization: shop.authorization,
        headers: { 'content-type': 'application/json' },
        body: '{"wait":30}',
      })
    const { answers } = await waitAll(api, [take])
    await api.clients.revoke(shop.id)
    const leases = vi.spyOn(api.options.store, 'leaseBatch')
    api.bus.publish(await storeEvent(api, 'production'))
    expect((await answers).map(({ status }) => status)).toEqual([401])
    expect(leases).not.toHaveBeenCalled()
  })
})
