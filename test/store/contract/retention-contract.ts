import { describe, expect, it } from 'vitest'
import type { AttemptOutcome, ClaimedDelivery } from '../../../src/domain/delivery.ts'
import type { EventFilter } from '../../../src/domain/event-record.ts'
import type { Removal, RemovedPart } from '../../../src/domain/retention.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { runReplay } from '../models/replaying.ts'
import type { StoreUnderTest } from './store-contract.ts'

const DAY = 86_400_000
const LATER = NOON + 500 * DAY

/** What every Store promises of what is old. */
export function describeRetention(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  const claim = { limit: 10, now: LATER, leaseUntil: LATER + 1000, freshSince: 0, backlogLimit: 10 }

  /** Takes what is older than `before`, as the gateway does, a few at a time. */
  async function remove(store: Store, part: RemovedPart, { before = LATER, kind = 'payment' } = {}) {
    const counts = { callbacks: 0, events: 0, kept: 0 }
    let after = null
    do {
      const found = await store.findRemovable({ part, kind, before, after }, 3)
      const removal: Removal = { part, before, callbackIds: found.callbacks.map(({ callbackId }) => callbackId) }
      const removed = await store.removeAged(removal, LATER)
      expect(removed.events).toBe(found.callbacks.reduce((sum, { events }) => sum + events, 0))
      counts.callbacks += removed.callbacks
      counts.events += removed.events
      counts.kept += found.kept
      after = found.next
    } while (after !== null)
    return counts
  }

  async function removeAll(store: Store, search: { before?: number; kind?: string } = {}) {
    await remove(store, 'payload', search)
    return remove(store, 'metadata', search)
  }

  async function storeNumbered(store: Store, count: number, changes: Parameters<typeof aCallback>[0] = {}) {
    for (let n = 1; n <= count; n++) await store.storeCallback(aCallback({ text: `{"n":${n}}`, ...changes }))
  }

  async function positions(store: Store, filter: EventFilter = {}) {
    return (await store.listEvents(filter, 100)).events.map((event) => event.position)
  }

  async function dataOf(store: Store) {
    return (await store.listEvents({}, 100)).events.map((event) => Buffer.from(event.body).toString())
  }

  function outcome(delivery: ClaimedDelivery, changes: Partial<AttemptOutcome> = {}): AttemptOutcome {
    const { deliveryId, attempt } = delivery
    const answer = Buffer.from('thanks for {"n":1}')
    const fields = { deliveryId, attempt, startedAt: LATER, durationMs: 1, status: 200, error: null, answer }
    return { ...fields, result: { state: 'delivered' }, ...changes }
  }

  async function deliverAll(store: Store, destinationId: number, changes: Partial<AttemptOutcome> = {}) {
    const { deliveries } = await store.claimDeliveries({ ...claim, destinationId })
    await store.recordAttempts(deliveries.map((delivery) => outcome(delivery, changes)))
    return deliveries
  }

  async function statesOf(store: Store) {
    return (await store.listDeliveries({}, 100)).map(({ state }) => state)
  }

  const FAILED = {
    status: 500,
    error: 'HTTP 500',
    result: { state: 'exhausted', reason: 'the schedule is used up' },
  } as const

  describe(`${name}: retention of payloads`, () => {
    it('takes bodies and answers of what is older, and leaves the event with its evidence', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      const { eventIds } = await store.storeCallback(aCallback({ text: '{"n":1}' }))
      await store.storeCallback(aCallback({ text: '{"n":2}', receivedAt: NOON + DAY }))
      await deliverAll(store, id)

      const counts = await remove(store, 'payload', { before: NOON + DAY })

      expect(counts).toEqual({ callbacks: 1, events: 1, kept: 0 })
      expect(await dataOf(store)).toEqual(['', '{"n":2}'])
      const found = await store.getEvent(eventIds[0] as string)
      expect(found?.event).toMatchObject({ subject: '42', status: 'LIQUIDADO', payloadRemovedAt: LATER })
      expect(found?.evidence).toMatchObject({ bodyRemovedAt: LATER, target: '/callbacks/payment' })
      expect(found?.evidence.body).toHaveLength(0)
      const answers = await Promise.all([1, 2].map((n) => store.listAttempts(n, 9)))
      expect(answers.flat().map(({ answer }) => Buffer.from(answer).toString())).toEqual(['', 'thanks for {"n":1}'])
      expect(await remove(store, 'payload', { before: NOON + DAY })).toEqual({ callbacks: 0, events: 0, kept: 0 })
    })

    it('goes by the kind, and an event of the future keeps nothing else', async () => {
      const store = await openStore()
      await storeNumbered(store, 1, { receivedAt: NOON + 10_000 * DAY })
      await store.storeCallback(aCallback({ text: '{"n":2}' }))
      await store.storeCallback(aHeldCallback('{"txid":"T","account":"own"}'))
      expect(await store.listStoredKinds()).toEqual(['charge', 'payment'])
      expect(await remove(store, 'payload')).toEqual({ callbacks: 1, events: 1, kept: 0 })
      expect(await dataOf(store)).toEqual(['{"n":1}', '', '{"txid":"T","account":"own"}'])
      await remove(store, 'metadata')
      expect(await positions(store)).toEqual([1, 3])
    })

    it('leaves what waits to be delivered, is blocked, or is under way, until that has ended', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination({ order: 'subject' }), NOON)
      await storeNumbered(store, 2)
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: id })
      expect(await remove(store, 'payload')).toEqual({ callbacks: 0, events: 0, kept: 2 })
      // Skipped while it is under way: it may still be delivered.
      await store.skipDelivery(deliveries[0]?.deliveryId as number, LATER)
      expect(await remove(store, 'payload')).toEqual({ callbacks: 0, events: 0, kept: 2 })
      await store.recordAttempts(deliveries.map((delivery) => outcome(delivery)))
      expect(await remove(store, 'payload')).toEqual({ callbacks: 1, events: 1, kept: 1 })
      expect(await dataOf(store)).toEqual(['', '{"n":2}'])
    })

    it('judges once more what was found: a replay may have come between', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination({ kinds: ['charge'] }), NOON)
      const { eventIds } = await store.storeCallback(aCallback())
      const found = await store.findRemovable({ part: 'payload', kind: 'payment', before: LATER, after: null }, 9)
      await store.replayEvent(eventIds[0] as string, id, LATER)
      const callbackIds = found.callbacks.map(({ callbackId }) => callbackId)
      const removed = await store.removeAged({ part: 'payload', before: LATER, callbackIds }, LATER)
      expect([callbackIds, removed.callbacks]).toEqual([[1], 0])
    })

    it('creates nothing any more of an event without its data, in words', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      const { eventIds } = await store.storeCallback(aCallback())
      await deliverAll(store, id, FAILED)
      await remove(store, 'payload')
      const words = { code: 'conflict', message: expect.stringContaining('the data of this event was removed') }
      await expect(store.replayEvent(eventIds[0] as string, null, LATER)).rejects.toMatchObject(words)
      await expect(store.retryDelivery(1, LATER)).rejects.toMatchObject(words)
      const replay = await runReplay(store, { destinationId: id, mode: 'all', filter: {} }, { now: LATER })
      expect([replay.state, replay.requeued, await statesOf(store)]).toEqual(['done', 0, ['exhausted']])
    })

    it('is judged once more by a replay that found the event before', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      await store.storeCallback(aCallback())
      await deliverAll(store, id)
      const wish = { destinationId: id, mode: 'all', filter: {} } as const
      const { replayId } = await store.createReplay({ ...wish, owner: null, matched: 1, leftOut: 0, upTo: 1 }, LATER)
      const { positions: found } = await store.findReplayable({ ...wish, after: 0, upTo: 1 }, 9)
      await remove(store, 'payload')
      const { replay } = await store.advanceReplay({ replayId, from: 0, to: 1, positions: found }, LATER)
      expect([found, replay.requeued, await statesOf(store)]).toEqual([[1], 0, ['delivered']])
    })

    it('lets a subject go on that an exhausted delivery held', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination({ order: 'subject', onExhausted: 'hold' }), NOON)
      await storeNumbered(store, 1)
      await store.storeCallback(aCallback({ text: '{"n":2}', receivedAt: NOON + DAY }))
      await deliverAll(store, id, FAILED)
      expect(await statesOf(store)).toEqual(['exhausted', 'blocked'])
      const removed = await store.removeAged({ part: 'payload', before: NOON + 1, callbackIds: [1] }, LATER)
      expect([removed.destinationIds, await statesOf(store)]).toEqual([[id], ['exhausted', 'pending']])
    })

    it('decides about what was held for too long, and counts from the release of what was let in', async () => {
      const store = await openStore()
      await store.storeCallback(aHeldCallback('{"txid":"T1","account":"theirs"}'))
      await store.storeCallback(aHeldCallback('{"txid":"T2","account":"theirs"}'))
      await store.releaseQuarantined(2, { by: 'operator', at: NOON + 80 * DAY })
      expect(await remove(store, 'payload', { kind: 'charge', before: NOON + 80 * DAY })).toMatchObject({ kept: 1 })
      const [held, released] = await store.listQuarantine({}, 9)
      expect(held).toMatchObject({ state: 'discarded', decidedBy: 'retention', payloadRemovedAt: LATER })
      expect(released).toMatchObject({ state: 'released', payloadRemovedAt: null })
      expect((await store.getQuarantined(1))?.fact.body).toHaveLength(0)
      await remove(store, 'payload', { kind: 'charge', before: NOON + 81 * DAY })
      expect(await dataOf(store)).toEqual([''])
    })
  })

  describe(`${name}: retention of metadata`, () => {
    it('takes the rows of what has no payload any more with all that belongs to them, and never their positions', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      const { id } = await store.createDestination(aDestination(), NOON)
      await storeNumbered(store, 4)
      await store.storeCallback(aHeldCallback('{"pix":[{"account":"own"},{"account":"theirs"}]}', ['/pix']))
      await deliverAll(store, id)
      expect(await remove(store, 'metadata')).toEqual({ callbacks: 0, events: 0, kept: 0 })
      expect(await removeAll(store)).toEqual({ callbacks: 4, events: 4, kept: 0 })
      await removeAll(store, { kind: 'charge' })
      await store.close()

      const reopened = await underTest.reopen()
      expect([await positions(reopened), await reopened.latestPosition()]).toEqual([[], 5])
      expect([await reopened.listDeliveries({}, 9), await reopened.listQuarantine({}, 9)]).toEqual([[], []])
      expect(await reopened.listAttempts(1, 9)).toEqual([])
      // What was removed is not recognised again.
      const { eventIds, duplicates } = await reopened.storeCallback(aCallback({ text: '{"n":1}' }))
      expect([duplicates, eventIds[0]]).toEqual([0, expect.stringMatching(/^evt_6_/)])
    })

    it('tells a caller that has not read what is gone, once, and by what is asked for', async () => {
      const store = await openStore()
      await storeNumbered(store, 2)
      await store.storeCallback(aHeldCallback('{"txid":"T","account":"own"}'))
      await storeNumbered(store, 1, { text: '{"n":3}', environment: 'sandbox' })
      const missed = async (filter: EventFilter) =>
        (await store.listEvents({ gapsReportedAt: 0, ...filter }, 9)).removed.isMissed
      expect(await missed({})).toBe(false)
      await removeAll(store, { before: LATER })

      const asked: EventFilter[] = [
        {},
        { after: 1 },
        { after: 2, environment: 'production' },
        { after: 2 },
        { after: 4 },
        { kinds: ['charge'] },
        { kinds: ['payment', 'charge'], environment: 'sandbox', after: 3 },
        { kinds: ['probe', 'operator'] },
      ]
      expect(await Promise.all(asked.map(missed))).toEqual([true, true, false, true, false, false, true, false])
      const { announcedAt } = (await store.listEvents({}, 9)).removed
      expect(await missed({ gapsReportedAt: announcedAt })).toBe(false)

      // More is removed, of which no one was reported yet.
      await removeAll(store, { kind: 'charge' })
      expect([
        await missed({ gapsReportedAt: announcedAt }),
        await missed({ gapsReportedAt: announcedAt, after: 3 }),
      ]).toEqual([true, false])
    })

    it('tells of what is gone of one institution those alone that ask for it, or for every one', async () => {
      const store = await openStore()
      await storeNumbered(store, 1, { environment: 'bank-a/production' })
      await storeNumbered(store, 1, { text: '{"n":2}', receivedAt: LATER })
      const missed = async (filter: EventFilter) =>
        (await store.listEvents({ gapsReportedAt: 0, ...filter }, 9)).removed.isMissed
      await removeAll(store)
      const asked: [EventFilter, boolean][] = [
        [{}, true],
        [{ environment: 'production' }, true],
        [{ institution: 'bank-a' }, true],
        [{ institution: 'bank-a', environment: 'production' }, true],
        [{ institution: 'bank-a', environment: 'sandbox' }, false],
        [{ institution: 'bank-b' }, false],
        [{ institution: 'bank-a', kinds: ['charge'] }, false],
        [{ institution: 'bank-a', after: 1 }, false],
      ]
      for (const [filter, expected] of asked) expect([filter, await missed(filter)]).toEqual([filter, expected])
      expect(await positions(store, { institution: 'bank-a' })).toEqual([])
      expect(await positions(store)).toEqual([2])
    })

    it('is announced ahead, so that a poller learns of many small steps at one time', async () => {
      const store = await openStore()
      await storeNumbered(store, 6)
      await remove(store, 'payload')
      const { reach } = await store.findRemovable({ part: 'metadata', kind: 'payment', before: LATER, after: null }, 9)
      expect(reach).toEqual([{ kind: 'payment', environment: 'production', through: 6 }])
      await store.announceRemoval(reach, LATER)
      const { announcedAt: gapsReportedAt } = (await store.listEvents({}, 9)).removed
      for (const callbackIds of [[1, 2], [3]]) {
        await store.removeAged({ part: 'metadata', before: LATER, callbackIds }, LATER + 1)
        const page = await store.listEvents({ gapsReportedAt, after: 0 }, 2)
        expect(page.removed).toEqual({ isMissed: false, through: 6, announcedAt: gapsReportedAt })
      }
      expect(await positions(store)).toEqual([4, 5, 6])
      // Also where the clock was set back.
      await storeNumbered(store, 1, { text: '{"n":7}' })
      await store.announceRemoval([{ kind: 'payment', environment: 'production', through: 7 }], NOON)
      expect((await store.listEvents({ gapsReportedAt, after: 6 }, 9)).removed.isMissed).toBe(true)
    })

    it('is announced also where it is behind what was removed before: something had stayed longer', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination({ kinds: ['charge'] }), NOON)
      await store.storeCallback(aHeldCallback('{"txid":"T","account":"own"}'))
      await storeNumbered(store, 3)
      await store.storeCallback(aHeldCallback('{"txid":"U","account":"own"}'))
      await deliverAll(store, id)
      await remove(store, 'payload', { kind: 'charge' })
      await store.announceRemoval([{ kind: 'charge', environment: 'production', through: 5 }], LATER)
      await store.removeAged({ part: 'metadata', before: LATER, callbackIds: [5] }, LATER)
      const { announcedAt: gapsReportedAt } = (await store.listEvents({}, 9)).removed
      const search = { part: 'metadata', kind: 'charge', before: LATER, after: null } as const
      const { reach } = await store.findRemovable(search, 9)
      expect(reach).toEqual([{ kind: 'charge', environment: 'production', through: 1 }])
      await store.announceRemoval(reach, LATER)
      expect((await store.listEvents({ gapsReportedAt, after: 0 }, 9)).removed).toMatchObject({
        isMissed: true,
        through: 5,
      })
    })

    it('is reported again only to readers before the later removal, if that reaches less far', async () => {
      const store = await openStore()
      await storeNumbered(store, 4)
      const announce = (through: number) =>
        store.announceRemoval([{ kind: 'payment', environment: 'production', through }], LATER)
      await announce(4)
      const { announcedAt: gapsReportedAt } = (await store.listEvents({}, 9)).removed
      const missedAfter = async (after: number) =>
        (await store.listEvents({ gapsReportedAt, after }, 9)).removed.isMissed
      await announce(3)
      await announce(2)
      expect(await Promise.all([1, 2, 3].map(missedAfter))).toEqual([true, true, false])
      await announce(4)
      expect(await Promise.all([1, 2, 3, 4].map(missedAfter))).toEqual([true, true, true, false])
    })

    it('tells a consumer until it is moved', async () => {
      const store = await openStore()
      await storeNumbered(store, 3)
      const key = { owner: null, name: 'books' }
      const batch = { id: 'one', expiresAt: NOON + 1000 }
      await store.leaseBatch(key, { after: 0, end: 1, gapsReportedAt: 0 }, batch, NOON)
      await store.acknowledgeBatch(key, 'one', null, NOON)
      await removeAll(store)
      const { position: after, gapsReportedAt } = (await store.getConsumer(key)) ?? {}
      const asMissed = async (known = 0) =>
        (await store.listEvents({ after: after ?? 0, gapsReportedAt: known }, 9)).removed.isMissed
      const sought = await store.seekConsumer(key, 1, LATER)
      expect([gapsReportedAt, await asMissed(gapsReportedAt), await asMissed(sought?.gapsReportedAt)]).toEqual([
        0,
        true,
        false,
      ])
      expect((await store.seekConsumer({ owner: null, name: 'new' }, 0, LATER))?.gapsReportedAt).toBe(
        sought?.gapsReportedAt,
      )
    })

    it('leaves a held fact that was the same as an event which goes', async () => {
      const store = await openStore()
      const text = '{"txid":"T","account":"theirs"}'
      const held = aHeldCallback(text, [], { receivedAt: LATER })
      await store.storeCallback(held)
      const facts = held.facts.map(({ quarantine: _held, ...fact }) => fact)
      await store.storeCallback({ ...held, receivedAt: NOON, facts })
      expect((await store.releaseQuarantined(1, { by: 'operator', at: NOON })).isNew).toBe(false)
      await removeAll(store, { kind: 'charge' })
      expect(await store.listQuarantine({}, 9)).toMatchObject([{ state: 'released', eventId: null }])
    })

    it('removes single facts of many, in whatever callback they came', async () => {
      const store = await openStore()
      await store.storeCallback(anInterpretedCallback('{"pix":[{"id":1},{"id":2},{"id":3}]}', ['/pix']))
      await storeNumbered(store, 2)
      expect(await removeAll(store)).toEqual({ callbacks: 3, events: 5, kept: 0 })
    })
  })
}
