import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AttemptOutcome, ClaimedDelivery, ClaimRequest } from '../../../src/domain/delivery.ts'
import type { DestinationSettings } from '../../../src/domain/destination.ts'
import {
  REPLAY_MODES,
  REPLAYS_AT_ONCE,
  type ReplayFilter,
  type ReplayMode,
  type ReplayRecord,
} from '../../../src/domain/replay.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { runReplay, stepReplay } from '../models/replaying.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** How an event fared at a destination; `again`: delivered, and exhausted when it was replayed. `none`: it never got. */
const FATES = ['none', 'waiting', 'delivered', 'exhausted', 'canceled', 'again'] as const
type EventFate = (typeof FATES)[number]

const RESULTS = {
  delivered: { state: 'delivered' },
  exhausted: { state: 'exhausted', reason: 'schedule used up' },
} as const

/** What every Store promises of replays. */
export function describeReplays(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()

  async function withDestination(settings: Partial<DestinationSettings> = {}) {
    const underTest = createStoreUnderTest()
    const store = await underTest.open()
    const { id: destinationId } = await store.createDestination(aDestination(settings), NOON)
    return { underTest, store, destinationId, wish: { destinationId, mode: 'all', filter: {} } as const }
  }

  /** An event of this subject, which is its text, too. */
  async function receive(store: Store, subject: string, changes: Parameters<typeof aCallback>[0] = {}) {
    const facts = [aFact({ subject })]
    return store.storeCallback(aCallback({ text: subject, receivedAt: NOON, facts, ...changes }))
  }

  function claim(store: Store, destinationId: number, changes: Partial<ClaimRequest> = {}) {
    const times = { now: NOON + 10, leaseUntil: NOON + 45_000, freshSince: 0 }
    return store.claimDeliveries({ destinationId, limit: 1000, backlogLimit: 1000, ...times, ...changes })
  }

  async function record(store: Store, claimed: readonly ClaimedDelivery[], result: AttemptOutcome['result']) {
    const answer = { startedAt: NOON, durationMs: 1, status: 200, error: null, answer: new Uint8Array() }
    await store.recordAttempts(claimed.map(({ deliveryId, attempt }) => ({ deliveryId, attempt, ...answer, result })))
  }

  async function deliverAll(store: Store, destinationId: number) {
    const { deliveries } = await claim(store, destinationId)
    await record(store, deliveries, RESULTS.delivered)
    return deliveries
  }

  const textsOf = (claimed: readonly ClaimedDelivery[]) => claimed.map(({ body }) => Buffer.from(body).toString())
  const states = async (store: Store) => (await store.listDeliveries({}, 1000)).map(({ state }) => state)

  describe(`${name}: a replay`, () => {
    /** Makes one event with this fate at the destination, which gets it. */
    async function bringAbout(store: Store, destinationId: number, fate: Exclude<EventFate, 'none'>): Promise<string> {
      const { eventIds } = await receive(store, 's')
      const [eventId] = eventIds as [string]
      if (fate === 'waiting') return eventId
      const { deliveries } = await claim(store, destinationId)
      // What waits of earlier events is left alone.
      const its = deliveries.filter(({ event }) => event.id === eventId)
      await store.releaseClaims(deliveries.filter((one) => !its.includes(one)))
      if (fate === 'canceled') await store.skipDelivery(its[0]?.deliveryId as number, NOON)
      if (fate === 'canceled') await store.releaseClaims(its)
      else await record(store, its, fate === 'exhausted' ? RESULTS.exhausted : RESULTS.delivered)
      if (fate !== 'again') return eventId
      await store.replayEvent(eventId, destinationId, NOON)
      const again = (await claim(store, destinationId)).deliveries
      await store.releaseClaims(again.filter(({ event }) => event.id !== eventId))
      const mine = again.filter(({ event }) => event.id === eventId)
      await record(store, mine, RESULTS.exhausted)
      return eventId
    }

    const isOwed = (mode: (typeof REPLAY_MODES)[number], before: EventFate, now: EventFate) => {
      if (now === 'waiting') return false
      // What still waited at the one before was canceled with it.
      const fates = [before === 'waiting' ? 'canceled' : before, now]
      if (mode === 'all') return true
      if (fates.some((fate) => fate === 'delivered' || fate === 'again')) return false
      return mode === 'missing' || fates.some((fate) => fate === 'exhausted' || fate === 'canceled')
    }

    it.each(REPLAY_MODES)(
      'of mode %s creates what a simple model says, also after its destination was made again',
      async (mode) => {
        const aFate = fc.constantFrom(...FATES)
        await fc.assert(
          fc.asyncProperty(
            fc.array(aFate, { maxLength: 6 }),
            fc.array(aFate, { maxLength: 6 }),
            async (earlier, later) => {
              const store = await openStore()
              const fates = new Map<string, readonly [EventFate, EventFate]>()
              const bring = async (fate: EventFate, destinationId: number) =>
                fate === 'none'
                  ? ((await receive(store, 's', NOBODYS)).eventIds[0] as string)
                  : bringAbout(store, destinationId, fate)
              const first = await store.createDestination(aDestination(NOT_SANDBOX), NOON)
              for (const fate of earlier) fates.set(await bring(fate, first.id), [fate, 'none'])
              await store.deleteDestination(first.id)
              await store.cancelDeliveries(first.id, 1000, NOON)
              const anew = await store.createDestination(aDestination(NOT_SANDBOX), NOON)
              for (const fate of later) fates.set(await bring(fate, anew.id), ['none', fate])
              // From now on it wants those, too.
              await store.updateDestination(anew.id, { environments: null }, NOON)

              const { deliveries: waiting } = await claim(store, anew.id)
              await store.releaseClaims(waiting)
              const wish = { destinationId: anew.id, mode, filter: {} }
              const replay = await runReplay(store, wish, { now: NOON + 5, step: 2 })
              const expected = [...fates].filter(([, [before, now]]) => isOwed(mode, before, now)).map(([id]) => id)
              const { deliveries } = await claim(store, anew.id)
              const old = new Set(waiting.map(({ event }) => event.id))
              expect(
                deliveries
                  .map(({ event }) => event.id)
                  .filter((id) => !old.has(id))
                  .sort(),
              ).toEqual(expected.sort())
              expect(replay).toMatchObject({ state: 'done', requeued: expected.length, waiting: expected.length })
              await store.releaseClaims(deliveries)
              // What waits now is left as it is.
              expect(await runReplay(store, { ...wish, mode: 'all' }, { now: NOON + 6 })).toMatchObject({
                requeued: fates.size - expected.length - waiting.length,
              })
              await store.close()
            },
          ),
          { numRuns: 4 },
        )
      },
    )

    const FILTERED: readonly (readonly [ReplayFilter, readonly string[]])[] = [
      [{}, ['a', 'b', 'c', 'd']],
      [{ kinds: ['payment'] }, ['a', 'b', 'd']],
      [{ kinds: ['charge', 'probe'] }, []],
      [{ subject: 'b' }, ['b']],
      [{ subject: 'z' }, []],
      [{ status: 'LIQUIDADO' }, ['a', 'c', 'd']],
      [{ receivedFrom: NOON + 1 }, ['b', 'c', 'd']],
      [{ receivedTo: NOON + 1 }, ['a']],
      [{ environment: 'sandbox' }, []],
      [{ institution: 'bank-a' }, ['d']],
      [{ environment: 'production', receivedFrom: NOON + 1, status: 'LIQUIDADO' }, ['c', 'd']],
    ]

    it('creates what its filter finds, and nothing that its destination does not want', async () => {
      const { store, destinationId } = await withDestination({
        kinds: ['payment', 'registration'],
        environments: ['production'],
        authentication: 'mutual-tls',
        subjects: { exact: [], prefix: ['a', 'b', 'c', 'd'] },
      })
      const facts = (kind: string, subject: string, status = 'LIQUIDADO') => ({
        facts: [aFact({ kind, subject, status })],
      })
      await receive(store, 'a')
      await receive(store, 'b', { receivedAt: NOON + 1, ...facts('payment', 'b', 'CANCELADO') })
      await receive(store, 'c', { receivedAt: NOON + 2, ...facts('registration', 'c') })
      const ofBank = { environment: 'bank-a/production', receivedAt: NOON + 3 } as const
      await receive(store, 'd', { ...ofBank, ...facts('payment', 'd') })
      await receive(store, 'bank-a/sandbox', { environment: 'bank-a/sandbox', ...facts('payment', 'd') })
      await receive(store, 'charge', facts('charge', 'a'))
      await receive(store, 'sandbox', { environment: 'sandbox' })
      await receive(store, 'no prefix')
      for (const subject of ['a', 'b'])
        await receive(store, `${subject} by token`, { ...facts('payment', subject), authentication: 'path-token' })
      await deliverAll(store, destinationId)
      for (const [filter, expected] of FILTERED) {
        await runReplay(store, { destinationId, mode: 'all', filter }, { now: NOON + 5, step: 1 })
        expect([filter, textsOf(await deliverAll(store, destinationId))]).toEqual([filter, expected])
      }
    })

    it('counts the events that it leaves out, because their delivery waits or is being attempted', async () => {
      const { store, destinationId, wish } = await withDestination()
      await receive(store, 'a')
      await deliverAll(store, destinationId)
      await receive(store, 'b')
      await claim(store, destinationId)
      await receive(store, 'c')
      const found = async (mode: ReplayMode) => {
        const { positions, leftOut } = await store.findReplayable({ ...wish, mode, after: 0, upTo: 3 }, 9)
        return { positions, leftOut }
      }
      expect(await found('all')).toEqual({ positions: [1], leftOut: 2 })
      expect(await found('missing')).toEqual({ positions: [], leftOut: 2 })
      expect(await found('failed')).toEqual({ positions: [], leftOut: 0 })
    })

    it('of named events takes these alone, in steps', async () => {
      const { store, destinationId, wish } = await withDestination()
      const ids: string[] = []
      for (const subject of ['a', 'b', 'c', 'd']) ids.push(...(await receive(store, subject)).eventIds)
      await deliverAll(store, destinationId)
      const filter = { events: [ids[3], ids[0], ids[2]] as string[] }
      const search = { ...wish, filter, after: 0, upTo: 4 }
      const first = await store.findReplayable(search, 2)
      expect(first.positions).toEqual([1, 3])
      expect((await store.findReplayable({ ...search, after: first.next }, 2)).positions).toEqual([4])
      expect((await store.findReplayable({ ...search, filter: { ...filter, subject: 'c' } }, 9)).positions).toEqual([3])
    })

    it('goes on where it was after a crash between two steps, and creates nothing twice', async () => {
      const { underTest, store, destinationId, wish } = await withDestination()
      for (let n = 0; n < 7; n++) await receive(store, `${n}`)
      await deliverAll(store, destinationId)
      const upTo = await store.latestPosition()
      const { replayId } = await store.createReplay(
        { ...wish, owner: 'client-1', matched: 7, leftOut: 2, upTo },
        NOON + 1,
      )
      await receive(store, 'later')
      const begun = (await store.getReplay(replayId)) as ReplayRecord
      await stepReplay(store, begun, { now: NOON + 2, step: 3 })
      // The same step once more: it has been done.
      expect(await stepReplay(store, begun, { now: NOON + 3, step: 3 })).toMatchObject({ destinationIds: [] })
      await store.close()

      const reopened = await underTest.reopen()
      const [found] = await reopened.listReplays({ state: 'running', owner: 'client-1' }, 10)
      expect(found).toEqual({
        replayId,
        destinationId,
        destinationName: 'books',
        mode: 'all',
        filter: {},
        owner: 'client-1',
        state: 'running',
        reason: null,
        matched: 7,
        leftOut: 2,
        requeued: 3,
        waiting: 3,
        position: 3,
        upTo,
        createdAt: NOON + 1,
        endedAt: null,
      })
      await deliverAll(reopened, destinationId)
      const { replay } = await stepReplay(reopened, found as ReplayRecord, { now: NOON + 4 })
      expect(replay).toMatchObject({ state: 'done', requeued: 7, waiting: 4, position: upTo, endedAt: NOON + 4 })
      expect(await stepReplay(reopened, found as ReplayRecord, { now: NOON + 5 })).toEqual({
        replay,
        destinationIds: [],
      })
      expect(textsOf(await deliverAll(reopened, destinationId))).toEqual(['3', '4', '5', '6'])
      expect(await states(reopened)).toEqual(Array(8).fill('delivered'))
    })

    it('comes behind what is fresh and behind the backlog, in the places of the backlog', async () => {
      const { store, destinationId, wish } = await withDestination()
      await receive(store, 'old')
      await deliverAll(store, destinationId)
      await runReplay(store, wish, { now: NOON + 1 })
      await receive(store, 'backlog', { receivedAt: NOON + 2 })
      for (const n of [1, 2, 3]) await receive(store, `fresh ${n}`, { receivedAt: NOON + 3 })
      const take = async (changes: Partial<ClaimRequest>) => {
        const { deliveries, ...left } = await claim(store, destinationId, { freshSince: NOON + 3, ...changes })
        await store.releaseClaims(deliveries)
        return [
          deliveries.map(({ isBacklog }, i) => `${textsOf(deliveries)[i]}${isBacklog ? ' *' : ''}`),
          left.hasBacklog,
        ]
      }
      const fresh = ['fresh 1', 'fresh 2', 'fresh 3']
      expect(await take({})).toEqual([[...fresh, 'backlog *', 'old *'], false])
      expect(await take({ limit: 4 })).toEqual([[...fresh, 'backlog *'], true])
      expect(await take({ backlogLimit: 1 })).toEqual([[...fresh, 'backlog *'], true])
      expect(await take({ backlogLimit: 0 })).toEqual([fresh, true])
      expect(await take({ limit: 2, backlogShare: 1 })).toEqual([['fresh 1', 'backlog *'], true])
      expect(await take({ limit: 3, backlogShare: 2 })).toEqual([['fresh 1', 'backlog *', 'old *'], false])
      // A replay is none of what is fresh, whenever it is due.
      expect(await take({ freshSince: 0 })).toEqual([['backlog', ...fresh, 'old *'], false])
      // Nothing was due before: what was the backlog is fresh.
      expect(await take({ freshSince: 0, limit: 1, backlogLimit: 1 })).toEqual([['backlog'], true])
    })

    it('has its next try named to the part, as what is fresh has', async () => {
      const { store, destinationId, wish } = await withDestination()
      await receive(store, 'a')
      await deliverAll(store, destinationId)
      await runReplay(store, wish, { now: NOON + 1 })
      const { deliveries } = await claim(store, destinationId)
      await record(store, deliveries, { state: 'pending', at: NOON + 700, retriesUsed: 1 })
      expect(await claim(store, destinationId)).toMatchObject({
        deliveries: [],
        nextDueAt: NOON + 700,
        hasBacklog: false,
      })
      const late = { now: NOON + 700, backlogLimit: 0 }
      expect(await claim(store, destinationId, late)).toMatchObject({
        deliveries: [],
        nextDueAt: null,
        hasBacklog: true,
      })
    })

    it('that is canceled takes back what waits: as it was delivered, or canceled; what is under way goes on', async () => {
      const { store, destinationId, wish } = await withDestination()
      for (const text of ['exhausted', 'delivered', 'under way']) await receive(store, text)
      const { deliveries } = await claim(store, destinationId)
      await record(store, deliveries.slice(0, 1), RESULTS.exhausted)
      await record(store, deliveries.slice(1), RESULTS.delivered)
      const { replayId } = await runReplay(store, wish, { now: NOON + 1 })
      expect(await states(store)).toEqual(['pending', 'pending', 'pending'])
      const claimed = (await claim(store, destinationId)).deliveries
      await store.releaseClaims(claimed.slice(0, 2))

      const canceled = await store.cancelReplay(replayId, NOON + 5)
      expect(canceled).toMatchObject({
        replay: { state: 'canceled', endedAt: NOON + 5, waiting: 0 },
        destinationIds: [1],
        claimedIds: [3],
      })
      expect(await states(store)).toEqual(['canceled', 'delivered', 'canceled'])
      expect(await store.cancelReplay(replayId, NOON + 6)).toEqual({ ...canceled, destinationIds: [] })
      await record(store, claimed.slice(2), RESULTS.delivered)
      expect(await states(store)).toEqual(['canceled', 'delivered', 'delivered'])
      expect(await stepReplay(store, canceled.replay, { now: NOON + 7 })).toMatchObject({
        replay: { state: 'canceled' },
      })
    })

    it('that is canceled gives back what was claimed and not sent, as it was before the replay', async () => {
      const { store, destinationId, wish } = await withDestination()
      for (const text of ['exhausted', 'delivered', 'skipped']) await receive(store, text)
      const { deliveries } = await claim(store, destinationId)
      await record(store, deliveries.slice(0, 1), RESULTS.exhausted)
      await record(store, deliveries.slice(1), RESULTS.delivered)
      const before = await store.listDeliveries({}, 3)
      const { replayId } = await runReplay(store, wish, { now: NOON + 1 })
      const claimed = (await claim(store, destinationId)).deliveries
      await store.skipDelivery(3, NOON + 2)

      const { claimedIds } = await store.cancelReplay(replayId, NOON + 5)
      expect(claimedIds).toEqual([1, 2, 3])
      await store.releaseClaims(claimed)

      const after = await store.listDeliveries({}, 3)
      expect(after.map(({ state, reason, attempts }) => [state, reason, attempts])).toEqual([
        ['canceled', 'its replay was canceled', 1],
        ['delivered', null, 1],
        ['canceled', 'skipped by an operator', 1],
      ])
      expect(after[1]?.endedAt).toBe(before[1]?.endedAt)
      expect((await store.cancelReplay(replayId, NOON + 6)).claimedIds).toEqual([])
    })

    it('that has ended is canceled only while something of it waits', async () => {
      const { store, destinationId, wish } = await withDestination()
      await receive(store, 'a')
      await deliverAll(store, destinationId)
      const { replayId } = await runReplay(store, wish, { now: NOON + 1 })
      await deliverAll(store, destinationId)
      await expect(store.cancelReplay(replayId, NOON + 2)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('rpl_1 is done already, and none of its deliveries waits'),
      })
      await expect(store.cancelReplay(9, NOON)).rejects.toMatchObject({ code: 'not_found' })
      await expect(store.advanceReplay({ replayId: 9, from: 0, to: 1, positions: [] }, NOON)).rejects.toMatchObject({
        code: 'not_found',
      })
    })

    it('lets go of what somebody wants by itself: that is fresh again, and stays when the replay is canceled', async () => {
      const { store, destinationId, wish } = await withDestination()
      for (const text of ['a', 'b']) await receive(store, text)
      await deliverAll(store, destinationId)
      const { replayId } = await runReplay(store, wish, { now: NOON + 1 })
      await store.retryDelivery(1, NOON + 2)
      await store.cancelReplay(replayId, NOON + 3)
      expect(await states(store)).toEqual(['pending', 'delivered'])
      expect((await claim(store, destinationId)).deliveries).toMatchObject([{ isBacklog: false }])
    })

    it('fails when its destination is removed, and what it created is canceled with the rest', async () => {
      const { store, destinationId, wish } = await withDestination()
      for (const text of ['a', 'b']) await receive(store, text)
      await deliverAll(store, destinationId)
      const { replayId } = await store.createReplay({ ...wish, owner: null, matched: 2, leftOut: 0, upTo: 2 }, NOON + 1)
      const begun = (await store.getReplay(replayId)) as ReplayRecord
      const { replay } = await stepReplay(store, begun, { now: NOON + 1, step: 1 })
      await store.deleteDestination(destinationId)
      expect(await store.cancelDeliveries(destinationId, 10, NOON + 2)).toBe(1)
      expect(await stepReplay(store, replay, { now: NOON + 3 })).toMatchObject({
        replay: { state: 'failed', reason: 'its destination was removed', requeued: 1, waiting: 0 },
      })
      expect(await states(store)).toEqual(['canceled', 'delivered'])
    })

    it('is one of a few that run at once', async () => {
      const { store, destinationId, wish } = await withDestination()
      await receive(store, 'a')
      await deliverAll(store, destinationId)
      const create = () => store.createReplay({ ...wish, owner: null, matched: 1, leftOut: 0, upTo: 1 }, NOON)
      for (let n = 0; n < REPLAYS_AT_ONCE; n++) await create()
      await expect(create()).rejects.toMatchObject({ code: 'conflict' })
      await store.cancelReplay(1, NOON)
      expect(await create()).toMatchObject({ replayId: REPLAYS_AT_ONCE + 1, state: 'running' })
      expect((await store.listReplays({ after: 1 }, 2)).map(({ replayId }) => replayId)).toEqual([2, 3])
    })

    it('is too old one day, as everything is, counted from when it was made', async () => {
      const { store, destinationId, wish } = await withDestination()
      await receive(store, 'a')
      await deliverAll(store, destinationId)
      await runReplay(store, wish, { now: NOON + 1000 })
      expect(await store.exhaustDeliveries(destinationId, NOON + 1000, 10, NOON + 2000)).toMatchObject({ count: 0 })
      expect(await store.exhaustDeliveries(destinationId, NOON + 1001, 10, NOON + 2000)).toMatchObject({ count: 1 })
      expect(await store.countBacklog()).toEqual([])
    })
  })

  describe(`${name}: a replay to an ordered destination`, () => {
    const ordered = () => withDestination({ order: 'subject', onExhausted: 'continue' })

    /** Delivers what can be delivered, one after the other: its text, and whether it is marked as a replay. */
    async function drain(store: Store, destinationId: number): Promise<string[]> {
      const sent: string[] = []
      for (;;) {
        const { deliveries } = await claim(store, destinationId, { limit: 1, now: NOON + 50 })
        if (deliveries.length === 0) return sent
        sent.push(...textsOf(deliveries).map((text) => (deliveries[0]?.isReplay === true ? `${text} replayed` : text)))
        await record(store, deliveries, RESULTS.delivered)
      }
    }

    const fact = { facts: [aFact({ subject: 's' })] }
    const other = { facts: [aFact({ subject: 'other' })] }

    it('goes by its events, also where some of them never had one; what came later waits behind it', async () => {
      const { store, destinationId, wish } = await ordered()
      await store.updateDestination(destinationId, { kinds: ['payment'] }, NOON)
      await receive(store, '1', fact)
      await receive(store, '2', { facts: [aFact({ subject: 's', kind: 'charge' })] })
      await receive(store, '3', fact)
      await drain(store, destinationId)
      await store.updateDestination(destinationId, { kinds: null }, NOON)
      await runReplay(store, wish, { now: NOON + 1 })
      await receive(store, '4', { ...fact, receivedAt: NOON + 2 })
      await receive(store, 'other', { ...other, receivedAt: NOON + 2 })
      expect(await drain(store, destinationId)).toEqual(['other', '1 replayed', '2 replayed', '3 replayed', '4'])
    })

    it('marks what is older than the last that was delivered of its subject, and nothing else', async () => {
      const { store, destinationId, wish } = await ordered()
      for (const text of ['1', '2', '3']) await receive(store, text, fact)
      await receive(store, 'other', other)
      for (const result of [RESULTS.exhausted, RESULTS.delivered, RESULTS.exhausted])
        await record(store, (await claim(store, destinationId)).deliveries.slice(0, 1), result)
      await record(store, (await claim(store, destinationId, { now: NOON + 60_000 })).deliveries, RESULTS.exhausted)
      expect(await states(store)).toEqual(['exhausted', 'delivered', 'exhausted', 'exhausted'])
      await runReplay(store, { ...wish, mode: 'failed' }, { now: NOON + 1 })
      expect((await drain(store, destinationId)).sort()).toEqual(['1 replayed', '3', 'other'])
    })

    it('lets the subject go on when it is canceled', async () => {
      const { store, destinationId, wish } = await ordered()
      for (const text of ['1', '2']) await receive(store, text, fact)
      await drain(store, destinationId)
      const { replayId } = await runReplay(store, wish, { now: NOON + 1 })
      await receive(store, '3', { ...fact, receivedAt: NOON + 2 })
      expect(await states(store)).toEqual(['pending', 'blocked', 'blocked'])
      await store.cancelReplay(replayId, NOON + 3)
      expect(await states(store)).toEqual(['delivered', 'delivered', 'pending'])
      expect(await drain(store, destinationId)).toEqual(['3'])
    })
  })

  it(`${name}: what is sent once more without an order is marked where it had arrived before`, async () => {
    const { store, destinationId, wish } = await withDestination()
    for (const text of ['delivered', 'exhausted']) await receive(store, text)
    const { deliveries } = await claim(store, destinationId)
    await record(store, deliveries.slice(0, 1), RESULTS.delivered)
    await record(store, deliveries.slice(1), RESULTS.exhausted)
    await runReplay(store, wish, { now: NOON + 1 })
    const marks = (await claim(store, destinationId)).deliveries.map(({ isReplay }) => isReplay)
    expect(marks).toEqual([true, false])
  })
}

const NOT_SANDBOX = { environments: ['production'] } as const
/** An event that the destination does not get. */
const NOBODYS = { environment: 'sandbox' } as const
