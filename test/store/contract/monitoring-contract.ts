import { describe, expect, it } from 'vitest'
import type { AttemptOutcome } from '../../../src/domain/delivery.ts'
import { inactivityOf } from '../../../src/domain/inactivity.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, aHeldCallback, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

const HOUR = 3_600_000

/** A notification about a subject, unlike any other. */
function about(subject: string, receivedAt: number) {
  return aCallback({ text: `{"at":${receivedAt},"of":"${subject}"}`, receivedAt, facts: [aFact({ subject })] })
}

async function exhaustNext(store: Store, destinationId: number): Promise<void> {
  const wanted = { destinationId, limit: 1, now: NOON, leaseUntil: NOON + HOUR, freshSince: 0, backlogLimit: 1 }
  const { deliveries } = await store.claimDeliveries(wanted)
  const outcomes = deliveries.map(({ deliveryId, attempt }): AttemptOutcome => {
    const facts = { startedAt: NOON, durationMs: 1, status: 500, error: 'HTTP 500', answer: new Uint8Array() }
    return { deliveryId, attempt, ...facts, result: { state: 'exhausted', reason: 'schedule used up' } }
  })
  await store.recordAttempts(outcomes)
}

/** What every Store promises to those who watch over it. */
export function describeMonitoring(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()

  describe(`${name}: the stock`, () => {
    it('says what each destination gets and since when, whatever state its deliveries are in', async () => {
      const store = await openStore()
      const { id: plain } = await store.createDestination(aDestination({ name: 'plain' }), NOON)
      const { id: ordered } = await store.createDestination(aDestination({ name: 'ordered', order: 'subject' }), NOON)
      await store.createDestination(aDestination({ name: 'idle', kinds: ['charge'] }), NOON)
      const { id: gone } = await store.createDestination(aDestination({ name: 'gone' }), NOON)
      await store.deleteDestination(gone)
      for (const [minutes, subject] of [
        [4, 'a'],
        [3, 'a'],
        [2, 'a'],
        [1, 'b'],
      ] as const)
        await store.storeCallback(about(subject, NOON - minutes * 60_000))
      await exhaustNext(store, plain)
      await exhaustNext(store, ordered)

      expect((await store.takeSnapshot()).backlogs).toEqual([
        { destination: 'plain', owner: null, waiting: 3, blocked: 0, heldSubjects: 0, oldestSince: NOON - 3 * 60_000 },
        // Its first delivery was given up, and holds two of its subject.
        {
          destination: 'ordered',
          owner: null,
          waiting: 1,
          blocked: 2,
          heldSubjects: 1,
          oldestSince: NOON - 4 * 60_000,
        },
        { destination: 'idle', owner: null, waiting: 0, blocked: 0, heldSubjects: 0, oldestSince: null },
      ])
    })

    it('counts what is due once more from when it was asked for', async () => {
      const store = await openStore()
      const { id: destinationId } = await store.createDestination(aDestination(), NOON)
      const { eventIds } = await store.storeCallback(about('a', NOON - 9 * HOUR))
      await exhaustNext(store, destinationId)
      await store.replayEvent(eventIds[0] as string, destinationId, NOON)
      expect((await store.takeSnapshot()).backlogs).toMatchObject([{ waiting: 1, oldestSince: NOON }])
    })

    it('says how far each consumer is behind', async () => {
      const store = await openStore()
      for (const minutes of [3, 2, 1]) await store.storeCallback(about('a', NOON - minutes * 60_000))
      await store.seekConsumer({ owner: null, name: 'late' }, 1, NOON)
      await store.seekConsumer({ owner: 'cli_1', name: 'done' }, 3, NOON)
      expect((await store.takeSnapshot()).lags).toEqual([
        { owner: null, name: 'late', events: 2, oldestAt: NOON - 2 * 60_000 },
        { owner: 'cli_1', name: 'done', events: 0, oldestAt: null },
      ])
    })

    it('counts what is held back, and not what was decided', async () => {
      const store = await openStore()
      for (const text of ['{"account":"one"}', '{"account":"two"}']) await store.storeCallback(aHeldCallback(text))
      await store.discardQuarantined(1, { by: 'operator', at: NOON })
      expect((await store.takeSnapshot()).quarantined).toBe(1)
    })
  })

  describe(`${name}: runs and outages`, () => {
    it('of each process, with its signs of life and its end, the newest first', async () => {
      const store = await openStore()
      const [one, two] = [await store.beginRun('one', NOON), await store.beginRun('two', NOON + 1)]
      await store.continueRun(one, NOON + HOUR, false)
      await store.continueRun(two, NOON + 2 * HOUR, true)
      expect(await store.listRuns(9)).toEqual([
        { id: two, node: 'two', startedAt: NOON + 1, seenAt: NOON + 2 * HOUR, endedAt: NOON + 2 * HOUR },
        { id: one, node: 'one', startedAt: NOON, seenAt: NOON + HOUR, endedAt: null },
      ])
      expect((await store.listRuns(1)).map(({ id }) => id)).toEqual([two])
    })

    it('are listed while they go on, and if they began or ended later, and have one event', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      const { id: destination } = await store.createDestination(aDestination({ kinds: ['operator'] }), NOON)
      const old = await store.beginOutage({ beganAt: NOON, endedAt: NOON + HOUR, cause: 'down' })
      const id = await store.beginOutage({ beganAt: NOON + 1, endedAt: null, cause: 'refusing' })
      const outage = { id, beganAt: NOON + 1, endedAt: null, cause: 'refusing', raisedAt: null, reconciledAt: null }
      expect(await store.listOutages(NOON + HOUR)).toEqual([outage])
      expect((await store.listOutages(NOON + HOUR - 1)).map((one) => one.id)).toEqual([id, old])
      const event = { environment: 'production', subject: 'service', status: 'outage', body: '{}' } as const
      expect(await store.raiseOutage(id, { ...event, madeAt: NOON + HOUR })).toMatchObject({
        destinationIds: [destination],
      })
      await store.endOutage(id, NOON + 2 * HOUR)
      await store.outageReconciled(id, NOON + 3 * HOUR)
      await store.close()

      const reopened = await underTest.reopen()
      expect(await reopened.raiseOutage(id, { ...event, madeAt: NOON + 4 * HOUR })).toBeNull()
      const ended = { endedAt: NOON + 2 * HOUR, raisedAt: NOON + HOUR, reconciledAt: NOON + 3 * HOUR }
      expect(await reopened.listOutages(NOON + HOUR)).toEqual([{ ...outage, ...ended }])
      expect((await reopened.listEvents({ kinds: ['operator'] }, 10)).events).toMatchObject([{ subject: 'service' }])
    })
  })

  describe(`${name}: kinds that are silent`, () => {
    it('were heard when anything of theirs came: an event, a duplicate, or what is held back', async () => {
      const store = await openStore()
      expect(await store.lastReceivedAt('payment', 'production')).toBeNull()
      await store.storeCallback(aCallback({ receivedAt: NOON }))
      await store.storeCallback(aCallback({ receivedAt: NOON + HOUR, environment: 'sandbox', text: '"sandbox"' }))
      expect(await store.lastReceivedAt('payment', 'production')).toBe(NOON)
      await store.storeCallback(aCallback({ receivedAt: NOON + 2 * HOUR }))
      await store.storeCallback(
        aCallback({ receivedAt: NOON + 3 * HOUR, kind: 'charge', facts: [aFact({ kind: 'charge' })] }),
      )
      expect(await store.lastReceivedAt('payment', 'production')).toBe(NOON + 2 * HOUR)
      await store.storeCallback(aHeldCallback('{"account":"theirs"}', [], { receivedAt: NOON + 4 * HOUR }))
      expect(await store.lastReceivedAt('charge', 'production')).toBe(NOON + 4 * HOUR)
    })

    it('are reported once for each silence, in another process too, as an event of kind operator', async () => {
      const underTest = createStoreUnderTest()
      const silence = (lastReceivedAt: number | null) =>
        inactivityOf({ kind: 'payment', environment: 'production', alertAfterMs: HOUR }, { lastReceivedAt, now: NOON })
      const store = await underTest.open()
      const { id } = await store.createDestination(aDestination({ kinds: ['operator'] }), NOON)
      expect(await store.raiseInactivity(silence(null))).toMatchObject({ destinationIds: [id] })
      expect(await store.raiseInactivity(silence(null))).toBeNull()
      expect(await store.raiseInactivity(silence(NOON - 3 * HOUR))).not.toBeNull()
      await store.close()

      const reopened = await underTest.reopen()
      expect(await reopened.raiseInactivity(silence(NOON - 3 * HOUR))).toBeNull()
      expect(await reopened.raiseInactivity(silence(NOON - 2 * HOUR))).not.toBeNull()
      const { events } = await reopened.listEvents({ kinds: ['operator'] }, 10)
      expect(events).toHaveLength(3)
      expect(events[1]).toMatchObject({ subject: 'payment', status: 'silent', environment: 'production' })
      expect(JSON.parse(Buffer.from(events[1]?.body ?? []).toString())).toEqual({
        type: 'kind.silent',
        kind: 'payment',
        environment: 'production',
        silence: '1h',
        lastReceivedAt: new Date(NOON - 3 * HOUR).toISOString(),
      })
    })
  })

  describe(`${name}: the sums of hours`, () => {
    const OF_KIND = { environment: 'production', kind: 'payment', destinationId: null } as const
    const OF_DESTINATION = { environment: null, kind: null, destinationId: 7 } as const

    it('grow with each addition, also in another process, and are listed for whole hours', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      await store.addHourSums([
        { ...OF_KIND, hour: NOON, succeeded: 3, failed: 1 },
        { ...OF_DESTINATION, hour: NOON, succeeded: 2, failed: 0 },
        { ...OF_KIND, environment: 'bank-a/sandbox', hour: NOON + HOUR, succeeded: 1, failed: 0 },
      ])
      await store.close()

      const reopened = await underTest.reopen()
      await reopened.addHourSums([{ ...OF_KIND, hour: NOON, succeeded: 4, failed: 0 }])
      await reopened.addHourSums([])
      expect(await reopened.listHourSums({ from: NOON, to: NOON + HOUR })).toEqual([
        { ...OF_DESTINATION, hour: NOON, succeeded: 2, failed: 0 },
        { ...OF_KIND, hour: NOON, succeeded: 7, failed: 1 },
      ])
      expect(await reopened.listHourSums({ from: NOON + HOUR, to: NOON + 2 * HOUR })).toEqual([
        { ...OF_KIND, environment: 'bank-a/sandbox', hour: NOON + HOUR, succeeded: 1, failed: 0 },
      ])
    })

    it('are kept for 400 days', async () => {
      const store = await openStore()
      const days = (count: number) => NOON + count * 24 * HOUR
      for (const day of [0, 1, 400]) await store.addHourSums([{ ...OF_KIND, hour: days(day), succeeded: 1, failed: 0 }])
      expect((await store.listHourSums({ from: 0, to: days(500) })).map(({ hour }) => hour)).toEqual([
        days(0),
        days(1),
        days(400),
      ])
      await store.addHourSums([{ ...OF_KIND, hour: days(401), succeeded: 1, failed: 0 }])
      expect((await store.listHourSums({ from: 0, to: days(500) })).map(({ hour }) => hour)).toEqual([
        days(1),
        days(400),
        days(401),
      ])
    })
  })
}
