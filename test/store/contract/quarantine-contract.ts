import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, aHeldCallback, NOON } from '../../support/builders.ts'
import { aQuarantineCommand, createQuarantineModel } from '../models/quarantine-model.ts'
import type { StoreUnderTest } from './store-contract.ts'

const LATER = { by: 'operator', at: NOON + 60_000 }
const FOREIGN = '{"txid":"T","account":"theirs"}'

/** What every Store promises of facts that are held back. */
export function describeQuarantine(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  const claim = { limit: 10, now: NOON + 90_000, leaseUntil: NOON + 200_000, freshSince: 0, backlogLimit: 10 }
  const positions = async (store: Store) =>
    (await store.listEvents({ kinds: ['charge', 'payment'] }, 100)).events.map((event) => event.position)
  const states = async (store: Store) => (await store.listQuarantine({}, 100)).map(({ state }) => state)

  /** The fact of `FOREIGN` as one that is let in. */
  function letIn(text = FOREIGN) {
    const callback = aHeldCallback(text)
    return { ...callback, facts: callback.facts.map(({ quarantine: _held, ...fact }) => fact) }
  }

  describe(`${name}: quarantine`, () => {
    it('keeps a fact with its bytes and its evidence, and it is no event: no position, no delivery', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      await store.createDestination(aDestination(), NOON)

      const stored = await store.storeCallback(aHeldCallback(FOREIGN))
      await store.close()
      const reopened = await underTest.reopen()

      expect(stored).toEqual({
        callbackId: 1,
        eventIds: [],
        duplicates: 0,
        destinationIds: [],
        quarantineIds: ['qtn_1'],
        quarantineReasons: ['account_foreign'],
      })
      expect(await positions(reopened)).toEqual([])
      expect(await reopened.listDeliveries({}, 10)).toEqual([])
      const found = await reopened.getQuarantined(1)
      const [listed] = await reopened.listQuarantine({}, 10)
      expect(listed).toEqual({
        id: 1,
        callbackId: 1,
        kind: 'charge',
        environment: 'production',
        reason: 'account_foreign',
        state: 'quarantined',
        listener: 'callbacks',
        authentication: 'mutual-tls',
        subject: 'T',
        status: null,
        mark: null,
        receivedAt: NOON,
        part: 1,
        parts: 1,
        seen: 1,
        lastSeenAt: NOON,
        decidedAt: null,
        decidedBy: null,
        eventId: null,
        payloadRemovedAt: null,
      })
      expect(found?.fact).toMatchObject({ ...listed, contentType: 'application/json' })
      expect(Buffer.from(found?.fact.body ?? []).toString()).toBe(FOREIGN)
      expect(found?.evidence).toMatchObject({ callbackId: 1, kind: 'charge', remoteAddress: '127.0.0.1', span: null })
      expect(found?.evidence.peer?.subject).toBe('CN=service')
      expect(await reopened.getQuarantined(2)).toBeNull()
    })

    it('lets the own facts of a callback in and keeps the others, in one commit', async () => {
      const store = await openStore()
      const items = ['theirs', 'own', 'other', 'own'].map((account, n) => `{"n":${n},"account":"${account}"}`)
      const stored = await store.storeCallback(aHeldCallback(`{"pix":[${items.join()}]}`, ['/pix']))
      expect([stored.eventIds.length, stored.quarantineIds, stored.duplicates]).toEqual([2, ['qtn_1', 'qtn_2'], 0])
      expect(stored.newFacts).toHaveLength(2)
      const { events } = await store.listEvents({}, 10)
      expect(events.map(({ position, part, body }) => [position, part, Buffer.from(body).toString()])).toEqual([
        [1, 2, `{"pix":[${items[1]}]}`],
        [2, 4, `{"pix":[${items[3]}]}`],
      ])
      const bodies = await Promise.all([1, 2].map(async (id) => (await store.getQuarantined(id))?.fact.body))
      expect(bodies.map((body) => Buffer.from(body ?? []).toString())).toEqual([
        `{"pix":[${items[0]}]}`,
        `{"pix":[${items[2]}]}`,
      ])
    })

    it('counts the same fact once more, stores its callback no more, and suppresses nothing', async () => {
      const store = await openStore()
      await store.storeCallback(aHeldCallback(FOREIGN))
      const again = await store.storeCallback(aHeldCallback(FOREIGN, [], { receivedAt: NOON + 5000 }))
      expect(again).toMatchObject({ callbackId: null, quarantineIds: ['qtn_1'], duplicates: 0 })
      expect(await store.listQuarantine({}, 10)).toMatchObject([{ seen: 2, receivedAt: NOON, lastSeenAt: NOON + 5000 }])

      const own = await store.storeCallback(letIn())
      expect([own.callbackId, own.eventIds.length, own.duplicates]).toEqual([2, 1, 0])
    })

    it('counts one that was discarded too, and one that is an event as its duplicate; what has no key is kept each time', async () => {
      const store = await openStore()
      await store.storeCallback(aHeldCallback(FOREIGN))
      await store.discardQuarantined(1, LATER)
      await store.storeCallback(aHeldCallback(FOREIGN))
      expect(await store.listQuarantine({}, 10)).toMatchObject([{ state: 'discarded', seen: 2 }])

      await store.storeCallback(letIn('{"known":1}'))
      const known = await store.storeCallback(aHeldCallback('{"known":1}'))
      expect(known).toMatchObject({ callbackId: null, duplicates: 1, eventIds: [] })
      expect(known.quarantineIds).toBeUndefined()

      for (let n = 0; n < 2; n++) await store.storeCallback(aHeldCallback('notification=abc'))
      expect(await store.listQuarantine({ reason: 'account_missing' }, 10)).toMatchObject([{ id: 2 }, { id: 3 }])
    })

    it('says of a fact that it releases behind others of its subject that it is there', async () => {
      const store = await openStore()
      await store.createDestination(aDestination({ order: 'subject' }), NOON)
      const subject = 'T'
      const mine = aFact({ kind: 'charge', subject, quarantine: 'account_foreign' })
      await store.storeCallback(aCallback({ text: '1', facts: [aFact({ kind: 'charge', subject })] }))
      await store.storeCallback(aCallback({ text: '2', facts: [mine] }))
      expect(await store.releaseQuarantined(1, LATER)).toMatchObject({ isNew: true, destinationIds: [], blocked: 1 })
    })

    it('releases a fact as an event at the end, with the time at which it came, for the destinations of now', async () => {
      const store = await openStore()
      const gone = await store.createDestination(aDestination({ name: 'gone' }), NOON)
      await store.storeCallback(aHeldCallback(FOREIGN))
      for (const receivedAt of [NOON + 1000, NOON + 2000])
        await store.storeCallback(aHeldCallback(FOREIGN, [], { receivedAt }))
      await store.storeCallback(aCallback())
      await store.deleteDestination(gone.id)
      const books = await store.createDestination(aDestination({ kinds: ['charge'] }), NOON)

      const released = await store.releaseQuarantined(1, LATER)

      const { events } = await store.listEvents({ kinds: ['charge'] }, 10)
      expect(events).toMatchObject([
        { position: 2, receivedAt: NOON, subject: 'T', duplicates: 2, lastSeenAt: NOON + 2000, callbackId: 1 },
      ])
      const eventId = events[0]?.id as string
      const [fact] = await store.listQuarantine({}, 1)
      expect(released).toEqual({ fact, isNew: true, destinationIds: [books.id], blocked: 0 })
      expect(fact).toMatchObject({ state: 'released', decidedAt: LATER.at, decidedBy: 'operator', eventId })
      expect((await store.getEvent(eventId))?.evidence).toMatchObject({ callbackId: 1, receivedAt: NOON })
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: books.id })
      expect(deliveries).toMatchObject([
        { dueAt: LATER.at, agesFrom: LATER.at, event: { id: eventId, receivedAt: NOON } },
      ])
    })

    it('lets decide once: what was released or discarded stays so', async () => {
      const store = await openStore()
      await store.storeCallback(aHeldCallback('{"n":1}'))
      await store.storeCallback(aHeldCallback('{"n":2}'))
      await store.releaseQuarantined(1, LATER)
      expect(await store.discardQuarantined(2, { by: 'cli_0123456789', at: NOON + 1 })).toMatchObject({
        state: 'discarded',
        decidedAt: NOON + 1,
        decidedBy: 'cli_0123456789',
        eventId: null,
      })
      for (const id of [1, 2]) {
        await expect(store.releaseQuarantined(id, LATER)).rejects.toMatchObject({ code: 'conflict' })
        await expect(store.discardQuarantined(id, LATER)).rejects.toMatchObject({ code: 'conflict' })
      }
      await expect(store.releaseQuarantined(3, LATER)).rejects.toMatchObject({ code: 'not_found' })
      await expect(store.discardQuarantined(3, LATER)).rejects.toMatchObject({ code: 'not_found' })
      expect([await positions(store), await states(store)]).toEqual([[1], ['released', 'discarded']])
    })

    it('of two releases at once makes one event', async () => {
      const store = await openStore()
      await store.storeCallback(aHeldCallback(FOREIGN))
      const ended = await Promise.allSettled([store.releaseQuarantined(1, LATER), store.releaseQuarantined(1, LATER)])
      expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      expect(await positions(store)).toEqual([1])
    })

    it('makes no second event where the same fact has become one meanwhile: that one counts it', async () => {
      const store = await openStore()
      await store.createDestination(aDestination(), NOON)
      for (let n = 0; n < 3; n++) await store.storeCallback(aHeldCallback(FOREIGN))
      const { eventIds } = await store.storeCallback({ ...letIn(), receivedAt: NOON + 1000 })

      const released = await store.releaseQuarantined(1, LATER)

      expect(released).toMatchObject({
        isNew: false,
        destinationIds: [],
        fact: { state: 'released', eventId: eventIds[0] },
      })
      const { events } = await store.listEvents({}, 10)
      expect(events).toMatchObject([{ duplicates: 3, lastSeenAt: NOON + 1000 }])
      expect(await store.listDeliveries({}, 10)).toHaveLength(1)
    })

    it('recognises a released fact when it comes again, in another process too', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      await store.storeCallback(aHeldCallback(FOREIGN))
      await store.releaseQuarantined(1, LATER)
      const again = aHeldCallback(FOREIGN)
      expect(await store.storeCallback(again)).toMatchObject({ callbackId: null, duplicates: 1 })
      await store.close()
      const reopened = await underTest.reopen()
      expect(await reopened.storeCallback(again)).toMatchObject({ callbackId: null, duplicates: 1 })
    })

    it('hides no event from those that recognise duplicates, however old what it releases is', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      const recent = (n: number) => aCallback({ text: `{"n":${n}}`, receivedAt: Date.now() })
      const ancient = Date.now() - 5000 * 86_400_000
      await store.storeCallback(aHeldCallback(FOREIGN, [], { receivedAt: ancient }))
      await store.storeCallback(recent(1))
      await store.releaseQuarantined(1, LATER)
      await store.storeCallback(recent(2))
      await store.close()

      const reopened = await underTest.reopen()
      for (const n of [1, 2]) expect(await reopened.storeCallback(recent(n))).toMatchObject({ duplicates: 1 })
    })

    it('puts what it releases behind what its subject gets already', async () => {
      const store = await openStore()
      const { id: destinationId } = await store.createDestination(aDestination({ order: 'subject' }), NOON)
      await store.storeCallback(aCallback({ facts: [aFact({ subject: 'T' })] }))
      await store.storeCallback(aHeldCallback(FOREIGN))
      expect((await store.releaseQuarantined(1, LATER)).destinationIds).toEqual([])
      expect((await store.listDeliveries({}, 10)).map(({ state }) => state)).toEqual(['pending', 'blocked'])
      expect((await store.claimDeliveries({ ...claim, destinationId })).deliveries).toHaveLength(1)
    })

    it('is listed by state, kind, environment and reason, page by page, in both directions', async () => {
      const store = await openStore()
      await store.storeCallback(aHeldCallback('{"n":1,"account":"theirs"}'))
      await store.storeCallback(aHeldCallback('{"n":2}', [], { environment: 'sandbox' }))
      await store.storeCallback(aHeldCallback('{"n":3}'))
      await store.storeCallback(aCallback({ facts: [aFact({ quarantine: 'account_missing' })] }))
      await store.storeCallback(aHeldCallback('{"n":5}', [], { environment: 'bank-a/sandbox' }))
      await store.discardQuarantined(3, LATER)
      const ids = async (filter: Parameters<Store['listQuarantine']>[0], limit = 10) =>
        (await store.listQuarantine(filter, limit)).map(({ id }) => id)
      expect(await ids({ state: 'quarantined' })).toEqual([1, 2, 4, 5])
      expect(await ids({ state: 'discarded' })).toEqual([3])
      expect(await ids({ kinds: ['payment', 'other'] })).toEqual([4])
      expect(await ids({ environment: 'sandbox' })).toEqual([2, 5])
      expect(await ids({ institution: 'bank-a' })).toEqual([5])
      expect(await ids({ institution: 'bank-a', environment: 'production' })).toEqual([])
      expect(await ids({ reason: 'account_foreign' })).toEqual([1])
      expect(await ids({ after: 1 }, 2)).toEqual([2, 3])
      expect(await ids({ before: 4, newestFirst: true }, 2)).toEqual([3, 2])
    })

    it('keeps to its rules whatever comes and is decided in whatever order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(aQuarantineCommand, { maxLength: 25 }), async (commands) => {
          const store = await openStore()
          const model = createQuarantineModel()
          for (const command of commands) await model.run(store, command)
          const { events } = await store.listEvents({}, 100)
          expect(events.map(({ subject, duplicates }) => [subject, duplicates])).toEqual(model.events())
          const held = await store.listQuarantine({}, 100)
          expect(held.map(({ subject, state, seen }) => [subject, state, seen])).toEqual(model.held())
          await store.close()
        }),
        { numRuns: 8 },
      )
    })
  })
}
