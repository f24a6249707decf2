import { describe, expect, it } from 'vitest'
import type { AttemptOutcome } from '../../../src/domain/delivery.ts'
import type { EventFilter, EventWithBody } from '../../../src/domain/event-record.ts'
import { parseSearch } from '../../../src/domain/search/search-query.ts'
import type { Store } from '../../../src/domain/store.ts'
import { type ListedSubject, listSubjects } from '../../../src/domain/subject-list.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
import type { StoreUnderTest } from './store-contract.ts'

const STATUSES = ['CRIADO', 'EXECUTADO', 'LIQUIDADO']

/** What every Store gives for lists of subjects. */
export function describeSubjects(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  /** 24 events of five subjects, mixed, two of them with the same id in two kinds; and two events without a subject. Some name Ana. */
  async function withSubjects(): Promise<Store> {
    const store = await createStoreUnderTest().open()
    await store.createDestination(aDestination({ name: 'books', kinds: ['payment'] }), NOON)
    for (let n = 0; n < 26; n++) {
      const at = (n * 7) % 5
      const kind = at === 4 ? 'charge' : 'payment'
      const subject = n % 13 === 12 ? null : `s${at % 4}`
      const status = STATUSES[(n >> 1) % 3] ?? null
      const text = `{"n":${n},"nome":"${n % 4 === 1 ? 'Ana' : 'Bia'}"}`
      const environment = n % 11 === 10 ? 'sandbox' : 'production'
      const facts = [aFact({ kind, subject, status })]
      await store.storeCallback(aCallback({ kind, text, environment, receivedAt: NOON + n * 1000, facts }))
    }
    await indexAll(store)
    return store
  }

  const keyOf = ({ kind, environment, subject, id }: EventWithBody) => `${kind} ${environment} ${subject ?? id}`

  async function allOf(store: Store, filter: EventFilter, limit: number): Promise<ListedSubject[]> {
    const found: ListedSubject[] = []
    for (let more = true, before = Number.MAX_SAFE_INTEGER; more; ) {
      const page = await listSubjects(store, { ...filter, before }, { limit })
      expect(page.subjects.length).toBeLessThanOrEqual(limit)
      found.push(...page.subjects)
      more = page.more
      before = page.next
    }
    return found
  }

  /** By a plain reading of all events: each subject at its newest event of the filter, with its newest event. */
  async function expected(
    store: Store,
    { mostBytes: _, ...filter }: EventFilter,
  ): Promise<(readonly [string, number])[]> {
    const { events } = await store.listEvents({ newestFirst: true }, 100)
    const newest = new Map<string, EventWithBody>()
    for (const event of events) if (!newest.has(keyOf(event))) newest.set(keyOf(event), event)
    const { events: matching } = await store.listEvents({ ...filter, newestFirst: true }, 100)
    const isCurrent = (event: EventWithBody) => newest.get(keyOf(event))?.position === event.position
    const counted = filter.status === undefined ? matching : matching.filter(isCurrent)
    return [...new Set(counted.map(keyOf))].map((key) => [key, newest.get(key)?.position ?? 0] as const)
  }

  describe(`${name}: subjects`, () => {
    const FILTERS: readonly EventFilter[] = [
      {},
      { mostBytes: 1 },
      { kinds: ['charge'] },
      { environment: 'sandbox' },
      { status: 'LIQUIDADO' },
      { receivedFrom: NOON + 3000, receivedTo: NOON + 9000 },
      { search: parseSearch('ana') },
      { search: parseSearch('ana'), kinds: ['payment'] },
      { delivery: { destination: 'books', states: ['pending'] } },
      { subject: 's0' },
    ]

    it('lists each subject once by each filter, page by page', async () => {
      const store = await withSubjects()
      for (const filter of FILTERS) {
        const wanted = await expected(store, filter)
        expect(wanted.length).toBeGreaterThan(0)
        for (const limit of [1, 2, 100]) {
          const found = await allOf(store, filter, limit)
          const shown = found.map(({ events: [first] }) => [keyOf(first as EventWithBody), first?.position])
          expect([filter, limit, shown]).toEqual([filter, limit, wanted])
        }
      }
    })

    it('has the newest events of a subject with their deliveries, and says that there are older ones', async () => {
      const store = await createStoreUnderTest().open()
      const { id: destinationId } = await store.createDestination(aDestination({ name: 'books' }), NOON)
      for (let n = 0; n < 12; n++) {
        const facts = [aFact({ subject: n === 5 ? 'other' : 'one', status: `S${n}` })]
        await store.storeCallback(aCallback({ text: `{"n":${n}}`, facts }))
      }
      const times = { now: NOON, leaseUntil: NOON + 45_000, freshSince: 0, limit: 12, backlogLimit: 12 }
      const { deliveries } = await store.claimDeliveries({ destinationId, ...times })
      const failed: Omit<AttemptOutcome, 'deliveryId' | 'attempt'> = {
        startedAt: NOON,
        durationMs: 1,
        status: 500,
        error: 'answered HTTP 500',
        answer: new Uint8Array(),
        result: { state: 'pending', at: NOON + 5000, retriesUsed: 1 },
      }
      await store.recordAttempts(deliveries.map(({ deliveryId, attempt }) => ({ ...failed, deliveryId, attempt })))
      const { subjects } = await listSubjects(store, {}, { limit: 5 })
      const [one, other] = subjects
      expect(subjects).toHaveLength(2)
      expect(one?.events.map(({ status }) => status)).toEqual([11, 10, 9, 8, 7, 6, 4, 3, 2, 1].map((n) => `S${n}`))
      expect([one?.hasOlder, other?.hasOlder]).toEqual([true, false])
      expect(one?.deliveries.map(({ eventId }) => eventId)).toEqual(one?.events.map(({ id }) => id))
      expect(other?.deliveries).toMatchObject([
        { destinationName: 'books', state: 'pending', lastStatus: 500, nextAttemptAt: NOON + 5000 },
      ])
    })

    it('what a reader may not see is left out, and an event whose subject is hidden is listed by itself', async () => {
      const store = await withSubjects()
      const isShown = ({ position }: EventWithBody) => position % 2 === 0
      const { subjects } = await listSubjects(store, {}, { limit: 100, isShown, isNamed: () => false })
      const { events } = await store.listEvents({ newestFirst: true }, 100)
      const shown = events.filter(isShown).map(({ position }) => [position])
      expect(subjects.map((one) => one.events.map(({ position }) => position))).toEqual(shown)
    })
  })
}
