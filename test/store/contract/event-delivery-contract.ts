import { describe, expect, it } from 'vitest'
import { type AttemptOutcome, wordOf } from '../../../src/domain/delivery.ts'
import type { DeliveryCondition, EventFilter, EventPage } from '../../../src/domain/event-record.ts'
import { parseSearch } from '../../../src/domain/search/search-query.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
import type { StoreUnderTest } from './store-contract.ts'

const OWNER = 'cli_0123456789'
const RESULTS: readonly AttemptOutcome['result'][] = [
  { state: 'delivered' },
  { state: 'exhausted', reason: 'schedule used up' },
  { state: 'pending', at: NOON + 60_000, retriesUsed: 1 },
]

/** What every Store promises of lists of events by their deliveries. */
export function describeEventsByDelivery(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  /** Twelve events of three subjects, with deliveries in every state to two destinations. */
  async function withDeliveries(): Promise<Store> {
    const store = await createStoreUnderTest().open()
    const { id: books } = await store.createDestination(aDestination({ order: 'subject' }), NOON)
    const { id: shop } = await store.createDestination(aDestination({ name: 'shop' }), NOON, OWNER)
    for (let n = 0; n < 12; n++)
      await store.storeCallback(
        aCallback({ text: `{"nome":"Ana","n":${n}}`, receivedAt: NOON + n, facts: [aFact({ subject: `s${n % 3}` })] }),
      )
    await indexAll(store)
    const times = { now: NOON + 100, leaseUntil: NOON + 45_000, freshSince: 0 }
    const answer = { startedAt: NOON, durationMs: 1, status: 200, error: null, answer: new Uint8Array() }
    for (const destinationId of [books, shop]) {
      const { deliveries } = await store.claimDeliveries({ destinationId, limit: 6, backlogLimit: 6, ...times })
      const outcomes = deliveries.map(({ deliveryId, attempt }, at) => {
        const result = RESULTS[at % RESULTS.length] as AttemptOutcome['result']
        const failure = result.state === 'delivered' ? {} : { status: 500, error: 'HTTP 500' }
        return { ...answer, ...failure, deliveryId, attempt, result }
      })
      await store.recordAttempts(outcomes)
    }
    const waiting = await store.listDeliveries({ destinationId: shop, state: 'pending', newestFirst: true }, 2)
    for (const { deliveryId } of waiting) await store.skipDelivery(deliveryId, NOON + 200)
    const [delivered] = await store.listDeliveries({ destinationId: shop, state: 'delivered' }, 1)
    await store.replayEvent(delivered?.eventId as string, shop, NOON + 300)
    return store
  }

  async function positionsIn(store: Store, filter: EventFilter): Promise<number[]> {
    const found: number[] = []
    for (let more = true, from: EventFilter = {}; more; ) {
      const page: EventPage = await store.listEvents({ ...filter, ...from }, 2)
      found.push(...page.events.map(({ position }) => position))
      more = page.more
      from = filter.newestFirst === true ? { before: page.next } : { after: page.next }
    }
    return found
  }

  /** From the deliveries themselves. */
  async function expected(store: Store, { states, destination, owner }: DeliveryCondition): Promise<number[]> {
    const destinations = await store.listDestinations({ removed: true })
    const isMeant = (id: number) => {
      const found = destinations.find((one) => one.id === id)
      const isNamed = destination === undefined || destination === found?.name || destination === `dst_${id}`
      return isNamed && (owner === undefined || owner === found?.owner)
    }
    const { events } = await store.listEvents({}, 100)
    const deliveries = (await store.listDeliveries({}, 1000)).filter(
      (one) =>
        isMeant(one.destinationId) &&
        (states === undefined || states.includes(one.state) || states.includes(wordOf(one))),
    )
    return events.filter(({ id }) => deliveries.some(({ eventId }) => eventId === id)).map(({ position }) => position)
  }

  describe(`${name}: events by their deliveries`, () => {
    it('are those with one delivery that fulfils the whole condition, in both orders and over pages', async () => {
      const store = await withDeliveries()
      const all = await store.listDeliveries({}, 1000)
      expect([...new Set(all.map(({ state }) => state))].sort()).toEqual([
        'blocked',
        'canceled',
        'delivered',
        'exhausted',
        'pending',
      ])
      const states: NonNullable<DeliveryCondition['states']>[] = [
        ...(['blocked', 'canceled', 'delivered', 'exhausted', 'pending'] as const).map((state) => [state]),
        ['exhausted', 'canceled'],
        ['pending', 'blocked'],
        ['exhausted', 'delivered'],
        ['failing'],
        ['waiting'],
        ['waiting', 'exhausted', 'failing'],
      ]
      const places = [{}, { destination: 'books' }, { destination: 'dst_2' }, { destination: 'none' }, { owner: OWNER }]
      for (const place of places)
        for (const condition of [place, ...states.map((some) => ({ ...place, states: some }))]) {
          const wanted = await expected(store, condition)
          const found = async (more: EventFilter) => positionsIn(store, { delivery: condition, ...more })
          expect([condition, await found({})]).toEqual([condition, wanted])
          expect([condition, await found({ newestFirst: true })]).toEqual([condition, wanted.toReversed()])
          const search = parseSearch('ana')
          expect([condition, await found({ newestFirst: true, search })]).toEqual([condition, wanted.toReversed()])
        }
    })

    it('divide what has not ended into failing and waiting, which are counted and listed alike', async () => {
      const store = await withDeliveries()
      const all = await store.listDeliveries({}, 1000)
      for (const state of ['failing', 'waiting'] as const) {
        const wanted = all.filter((one) => wordOf(one) === state)
        expect(wanted.length).toBeGreaterThan(0)
        expect(await store.listDeliveries({ state }, 1000)).toEqual(wanted)
        const ofShop = wanted.filter(({ destinationId }) => destinationId === 2)
        expect(await store.listDeliveries({ state, destinationId: 2, newestFirst: true }, 1000)).toEqual(
          ofShop.toReversed(),
        )
      }
      const { events } = await store.listEvents({}, 100)
      for (const { position, counts } of await store.countEventDeliveries(events.map((one) => one.position))) {
        const id = events.find((one) => one.position === position)?.id
        const own = all.filter(({ eventId }) => eventId === id)
        expect(counts.failing).toBe(own.filter((one) => wordOf(one) === 'failing').length)
        expect(counts.pending).toBe(own.filter((one) => one.state === 'pending').length)
      }
    })

    it('combine with the other filters', async () => {
      const store = await withDeliveries()
      const delivery = { states: ['exhausted'], destination: 'shop' } as const
      const all = await expected(store, delivery)
      const since = (await store.listEvents({ after: (all[0] as number) - 1 }, 1)).events[0]?.receivedAt as number
      expect(await positionsIn(store, { delivery, receivedFrom: since + 1, newestFirst: true })).toEqual(
        all.slice(1).toReversed(),
      )
      expect(await positionsIn(store, { delivery, subject: 's1' })).toEqual(
        all.filter((position) => (position - 1) % 3 === 1),
      )
      expect(await positionsIn(store, { delivery, kinds: ['charge'] })).toEqual([])
    })
  })
}
