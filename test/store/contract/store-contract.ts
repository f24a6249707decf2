import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AttemptOutcome, ClaimedDelivery } from '../../../src/domain/delivery.ts'
import type { DestinationSettings } from '../../../src/domain/destination.ts'
import type { NewCallback } from '../../../src/domain/event.ts'
import type { EventFilter, EventPage, EventWithBody } from '../../../src/domain/event-record.ts'
import type { Environment } from '../../../src/domain/realm.ts'
import { parseSearch } from '../../../src/domain/search/search-query.ts'
import type { Store } from '../../../src/domain/store.ts'
import {
  aCallback,
  aDestination,
  aFact,
  aHeldCallback,
  anInterpretedCallback,
  CALLER,
  NOON,
} from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
import { aCommand, createModel } from '../models/order-model.ts'

export interface StoreUnderTest {
  /** A new, empty store. It is closed at the end of the test, unless the test has closed it. */
  open(): Promise<Store>
  /** The same data in a new process's eyes, closed as the first one. */
  reopen(): Promise<Store>
}

/** What every Store promises, whatever it is made of. */
export function describeStore(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  const claim = { limit: 10, now: NOON, leaseUntil: NOON + 45_000, freshSince: 0, backlogLimit: 10 }

  function outcome(delivery: ClaimedDelivery, changes: Partial<AttemptOutcome> = {}): AttemptOutcome {
    return {
      deliveryId: delivery.deliveryId,
      attempt: delivery.attempt,
      startedAt: NOON,
      durationMs: 12,
      status: 200,
      error: null,
      answer: Buffer.from('ok'),
      result: { state: 'delivered' },
      ...changes,
    }
  }

  async function withOneDelivery(store: Store) {
    const destination = await store.createDestination(aDestination(), NOON)
    await store.storeCallback(aCallback())
    const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: destination.id })
    return { destination, delivery: deliveries[0] as ClaimedDelivery }
  }

  describe(`${name}: keeping`, () => {
    it('gives back an event with the exact bytes and the evidence that it was stored with', async () => {
      const store = await openStore()
      const body = Buffer.from([0x7b, 0x22, 0x00, 0xff, 0x7d])
      const { eventIds } = await store.storeCallback(aCallback({ body, mark: 'unparsed' }))
      const found = await store.getEvent(eventIds[0] as string)
      expect(found?.event).toMatchObject({
        kind: 'payment',
        environment: 'production',
        subject: '42',
        status: 'LIQUIDADO',
        mark: 'unparsed',
        receivedAt: NOON,
        duplicates: 0,
      })
      expect(Buffer.from(found?.evidence.body ?? [])).toEqual(body)
      expect(found?.evidence).toMatchObject({
        target: '/callbacks/payment',
        tlsVersion: 'TLSv1.3',
        remoteAddress: '127.0.0.1',
        peer: { fingerprint: CALLER.fingerprint, subject: 'CN=service' },
      })
    })

    it('remembers who called and when, to the hour, and whose chain let it in last', async () => {
      const store = await openStore()
      const peer = aCallback().peer
      const call = (receivedAt: number, environment: Environment = 'production') =>
        store.storeCallback(aCallback({ receivedAt, environment, facts: [aFact({ hash: null })] }))
      const [minute, hour] = [60_000, 3_600_000]

      for (const at of [NOON, NOON + minute, NOON + hour, NOON + hour + minute]) await call(at)
      expect(await store.listPeers(NOON + hour)).toEqual([
        { ...peer, environment: 'production', firstSeenAt: NOON, lastSeenAt: NOON + hour },
      ])
      expect(await store.listPeers(NOON + hour + 1)).toEqual([])

      await call(NOON + hour + 2 * minute, 'sandbox')
      expect(await store.listPeers(0)).toMatchObject([{ environment: 'sandbox', firstSeenAt: NOON }])
    })

    it('keeps an empty body, and texts with quotes, NUL and lone surrogates', async () => {
      const store = await openStore()
      const { eventIds } = await store.storeCallback(
        aCallback({ body: new Uint8Array(), facts: [aFact({ subject: `a'"\0b\ud800` })] }),
      )
      expect((await store.getEvent(eventIds[0] as string))?.event.body.length).toBe(0)
    })

    it('finds nothing under an id that it did not give', async () => {
      const store = await openStore()
      const { eventIds } = await store.storeCallback(aCallback())
      expect(await store.getEvent((eventIds[0] as string).replace(/.$/, '~'))).toBeNull()
      expect(await store.getEvent('evt_1_0000000000')).toBeNull()
      expect(await store.getEvent("'; drop table events")).toBeNull()
    })

    it('gives positions in the order of storing and never again after a restart', async () => {
      const under = createStoreUnderTest()
      const first = await under.open()
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => first.storeCallback(aCallback({ text: `{"identificador":"${i}"}` }))),
      )
      await first.close()
      const second = await under.reopen()
      await second.storeCallback(aCallback({ text: '{"identificador":"later"}' }))
      const { events } = await second.listEvents({}, 100)
      expect(events.map((event) => event.position)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1))
    })

    it('splits a callback of three facts into three events with their own bytes', async () => {
      const store = await openStore()
      await store.storeCallback(
        anInterpretedCallback('{"a":1.50,"pix":[{"txid":"x"}, {"txid":"y","valor":150.10},{"txid":"z"}],"z":0}', [
          '/pix',
        ]),
      )
      const { events } = await store.listEvents({}, 10)
      expect(
        events.map((event) => [event.subject, event.part, event.parts, Buffer.from(event.body).toString()]),
      ).toEqual([
        ['x', 1, 3, '{"a":1.50,"pix":[{"txid":"x"}],"z":0}'],
        ['y', 2, 3, '{"a":1.50,"pix":[{"txid":"y","valor":150.10}],"z":0}'],
        ['z', 3, 3, '{"a":1.50,"pix":[{"txid":"z"}],"z":0}'],
      ])
    })

    it('gives every event of long split callbacks its own bytes, in every list and search, and in what is delivered', async () => {
      const store = await openStore()
      const { id: destinationId } = await store.createDestination(aDestination(), NOON)
      const expected = new Map<string, string>()
      for (const [batch, parts] of [70, 1, 120, 3].entries()) {
        const envelope = (items: readonly string[]) => `{"lote":"lote${batch}","pix":[${items.join(', ')}],"z":0}`
        const items = Array.from({ length: parts }, (_, n) => `{"txid":"t${batch}x${n}"}`)
        for (const [n, item] of items.entries()) expected.set(`t${batch}x${n}`, envelope([item]))
        await store.storeCallback(anInterpretedCallback(envelope(items), ['/pix']))
        expected.set(`w${batch}`, `{"whole":${batch}}`)
        await store.storeCallback(
          aCallback({ text: `{"whole":${batch}}`, facts: [aFact({ subject: `w${batch}`, hash: null })] }),
        )
      }
      await indexAll(store)
      const textOf = ({ body }: { readonly body: Uint8Array }) => Buffer.from(body).toString()
      async function pages(filter: EventFilter, limit: number) {
        const found: EventWithBody[] = []
        let page = await store.listEvents(filter, limit)
        for (; page.more; page = await store.listEvents(after(filter, page.next), limit)) found.push(...page.events)
        return [...found, ...page.events].map((event) => [event.subject, textOf(event)])
      }
      const after = (filter: EventFilter, next: number) =>
        filter.newestFirst === true ? { ...filter, before: next } : { ...filter, after: next }

      const all = [...expected]
      for (const limit of [7, 500]) {
        expect(await pages({}, limit)).toEqual(all)
        expect(await pages({ newestFirst: true }, limit)).toEqual(all.toReversed())
        expect(await pages({ delivery: { states: ['pending'] } }, limit)).toEqual(all)
        expect(await pages({ search: parseSearch('lote2'), newestFirst: true }, limit)).toEqual(
          all.filter(([, text]) => text.includes('lote2')).toReversed(),
        )
        expect(await pages({ search: parseSearch('t0x11 lote0'), newestFirst: true }, limit)).toEqual([
          ['t0x11', expected.get('t0x11')],
        ])
      }
      expect(await pages({ subject: 't2x119' }, 7)).toEqual([['t2x119', expected.get('t2x119')]])
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId, limit: 500 })
      expect(deliveries.map(textOf)).toEqual([...expected.values()])
    })
  })

  describe(`${name}: the same fact`, () => {
    it('is one event that counts its duplicates, and a callback of duplicates only is not stored again', async () => {
      const store = await openStore()
      const first = await store.storeCallback(aCallback())
      const second = await store.storeCallback(aCallback({ receivedAt: NOON + 5000 }))
      expect(second).toEqual({ callbackId: null, eventIds: [], duplicates: 1, destinationIds: [] })
      const { events } = await store.listEvents({}, 10)
      expect(events).toHaveLength(1)
      expect(events[0]).toMatchObject({ id: first.eventIds[0], duplicates: 1, lastSeenAt: NOON + 5000 })
    })

    it('is recognised when both copies are stored at the same moment', async () => {
      const store = await openStore()
      const answers = await Promise.all(Array.from({ length: 30 }, () => store.storeCallback(aCallback())))
      expect(answers.filter((answer) => answer.eventIds.length === 1)).toHaveLength(1)
      expect((await store.listEvents({}, 10)).events[0]?.duplicates).toBe(29)
    })

    it('is recognised after a restart', async () => {
      const under = createStoreUnderTest()
      const first = await under.open()
      await first.storeCallback(aCallback({ receivedAt: Date.now() }))
      await first.close()
      const second = await under.reopen()
      expect(await second.storeCallback(aCallback({ receivedAt: Date.now() }))).toMatchObject({
        callbackId: null,
        duplicates: 1,
      })
    })

    it('is not assumed of facts without a hash, and of facts whose bytes differ', async () => {
      const store = await openStore()
      await store.storeCallback(aCallback({ text: 'notification=t', facts: [aFact()] }))
      await store.storeCallback(aCallback({ text: 'notification=t', facts: [aFact()] }))
      await store.storeCallback(aCallback({ text: '{"a":1}' }))
      await store.storeCallback(aCallback({ text: '{"a":2}' }))
      expect((await store.listEvents({}, 10)).events).toHaveLength(4)
    })

    it('in a callback with new facts is left out, the new ones keep their part numbers', async () => {
      const store = await openStore()
      await store.storeCallback(anInterpretedCallback('[{"txid":"a"}]', ['']))
      const second = await store.storeCallback(anInterpretedCallback('[{"txid":"a"},{"txid":"b"}]', ['']))
      expect(second).toMatchObject({ duplicates: 1 })
      const { events } = await store.listEvents({}, 10)
      expect(events.map((event) => [event.subject, event.part, event.parts, event.duplicates])).toEqual([
        ['a', 1, 1, 1],
        ['b', 2, 2, 0],
      ])
    })
  })

  describe(`${name}: matching`, () => {
    it('creates an event to every destination that was there before it, and to no other', async () => {
      const store = await openStore()
      const before = await store.createDestination(aDestination({ name: 'before' }), NOON)
      const stored = store.storeCallback(aCallback())
      const created = store.createDestination(aDestination({ name: 'after' }), NOON)
      expect((await stored).destinationIds).toEqual([before.id])
      await created
    })

    it('respects what destinations are for', async () => {
      const store = await openStore()
      const wishes: readonly (readonly [string, Partial<DestinationSettings>])[] = [
        ['another-kind', { kinds: ['charge'] }],
        ['this-kind', { kinds: ['payment'] }],
        ['the-other-environment', { environments: ['sandbox'] }],
        ['this-environment', { environments: ['production'] }],
        ['this-subject', { subjects: { exact: ['41', '42'], prefix: [] } }],
        ['subjects-that-begin-so', { subjects: { exact: [], prefix: ['4'] } }],
        ['other-subjects', { subjects: { exact: ['4'], prefix: ['421'] } }],
      ]
      for (const [name, settings] of wishes) await store.createDestination(aDestination({ name, ...settings }), NOON)
      const { destinationIds } = await store.storeCallback(aCallback())
      const named = (await store.listDestinations()).filter(({ id }) => destinationIds.includes(id))
      const owed = ['this-kind', 'this-environment', 'this-subject', 'subjects-that-begin-so']
      expect(named.map((destination) => destination.name).sort()).toEqual(owed.toSorted())
    })

    it('gives a destination for mutual-tls nothing that came with a path token, also from quarantine', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination({ authentication: 'mutual-tls' }), NOON)
      const { id: any } = await store.createDestination(aDestination({ name: 'any' }), NOON)
      const byToken = { listener: 'charges', authentication: 'path-token', peer: null } as const
      expect((await store.storeCallback(aCallback())).destinationIds).toEqual([id, any])
      expect((await store.storeCallback(aCallback({ text: '1', ...byToken }))).destinationIds).toEqual([any])
      await store.storeCallback(aHeldCallback('{"account":"other"}', [], byToken))
      const decision = { at: NOON, by: 'operator' }
      expect(await store.releaseQuarantined(1, decision)).toMatchObject({ destinationIds: [any] })
    })

    it('creates probes only to destinations that name them, and lists them only to those who ask', async () => {
      const store = await openStore()
      await store.createDestination(aDestination({ name: 'all' }), NOON)
      const asking = await store.createDestination(aDestination({ name: 'asking', kinds: ['probe'] }), NOON)
      const { destinationIds } = await store.storeCallback(aCallback({ facts: [aFact({ kind: 'probe' })] }))
      expect(destinationIds).toEqual([asking.id])
      expect((await store.listEvents({}, 10)).events).toEqual([])
      expect((await store.listEvents({ kinds: ['probe'] }, 10)).events).toHaveLength(1)
    })

    it('creates a paused destination too, a deleted one nothing', async () => {
      const store = await openStore()
      const paused = await store.createDestination(aDestination({ name: 'paused' }), NOON)
      const deleted = await store.createDestination(aDestination({ name: 'deleted' }), NOON)
      await store.pauseDestination(paused.id, 'by an operator')
      await store.deleteDestination(deleted.id)
      expect((await store.storeCallback(aCallback())).destinationIds).toEqual([paused.id])
    })
  })

  describe(`${name}: claims`, () => {
    it('hands a due delivery out once, with its bytes, until its lease ends', async () => {
      const store = await openStore()
      const { destination, delivery } = await withOneDelivery(store)
      expect(delivery).toMatchObject({
        attempt: 1,
        retriesUsed: 0,
        contentType: 'application/json',
        event: { kind: 'payment', environment: 'production', authentication: 'mutual-tls', receivedAt: NOON },
      })
      expect(Buffer.from(delivery.body).toString()).toContain('identificador')
      expect(await store.claimDeliveries({ ...claim, destinationId: destination.id })).toEqual({
        deliveries: [],
        nextDueAt: claim.leaseUntil,
        hasBacklog: false,
        isHeldDue: false,
      })
      const again = await store.claimDeliveries({ ...claim, now: claim.leaseUntil, destinationId: destination.id })
      expect(again.deliveries.map((d) => d.attempt)).toEqual([2])
    })

    it('hands a delivery out with the CDN-Loop that its callback came with, and without one where it came with none', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      const all = [
        [
          ['cdn-loop', 'one;a="b, c"'],
          ['host', 'x'],
          ['cdn-loop', 'two'],
        ],
        [
          ['x-other', '["cdn-loop","no"]'],
          ['y', 'cdn-loop'],
        ],
      ]
      for (const headers of all)
        await store.storeCallback(aCallback({ headers: JSON.stringify(headers), facts: [aFact({ hash: null })] }))
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: id })
      expect(deliveries.map((delivery) => delivery.loop)).toEqual(['one;a="b, c", two', undefined])
    })

    it('hands out no more bodies at once than memory allows, one at least, and says that the rest is due', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      const mebibyte = 1024 * 1024
      for (const size of [3 * mebibyte, mebibyte, 1, 9 * mebibyte, 1])
        await store.storeCallback(aCallback({ body: Buffer.alloc(size), facts: [aFact({ hash: null })] }))
      const handedOut = async () => {
        const { deliveries, nextDueAt } = await store.claimDeliveries({ ...claim, destinationId: id })
        return [deliveries.map(({ body }) => body.length), nextDueAt]
      }
      expect(await handedOut()).toEqual([[3 * mebibyte, mebibyte], NOON])
      expect(await handedOut()).toEqual([[1, 9 * mebibyte], NOON])
      expect(await handedOut()).toEqual([[1], claim.leaseUntil])
    })

    it('makes attempts due that a clock far ahead has postponed, once it is plausible again', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      for (const n of [1, 2])
        await store.storeCallback(aCallback({ text: `{"n":${n}}`, facts: [aFact({ hash: null })] }))
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: id })
      const [sensible, postponed] = deliveries as [ClaimedDelivery, ClaimedDelivery]
      const later = (at: number) => ({ result: { state: 'pending', at, retriesUsed: 1 } as const })
      await store.recordAttempts([
        outcome(sensible, later(NOON + 86_400_000)),
        outcome(postponed, later(NOON + 30 * 86_400_000)),
      ])
      await store.recordClock({ distrustedSince: NOON })
      await store.recordClock({ heartbeatAt: NOON + 1000 })
      const again = await store.claimDeliveries({ ...claim, now: NOON + 1000, destinationId: id })
      expect(again.deliveries.map(({ deliveryId }) => deliveryId)).toEqual([postponed.deliveryId])
    })

    it('attempts are due sooner by what the clock was set back', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      const storeOne = (n: number) =>
        store.storeCallback(aCallback({ text: `{"n":${n}}`, facts: [aFact({ hash: null })] }))
      await storeOne(1)
      const [tried] = (await store.claimDeliveries({ ...claim, destinationId: id })).deliveries as [ClaimedDelivery]
      await store.recordAttempts([outcome(tried, { result: { state: 'pending', at: NOON + 30_000, retriesUsed: 1 } })])
      await storeOne(2)
      const HOUR = 3_600_000
      for (const heartbeatAt of [NOON, NOON - HOUR, NOON - HOUR - 10_000]) await store.recordClock({ heartbeatAt })
      const dueAt = async (now: number) => {
        const { deliveries } = await store.claimDeliveries({
          ...claim,
          now,
          leaseUntil: now + 45_000,
          destinationId: id,
        })
        return deliveries.map(({ attempt }) => attempt)
      }
      expect([await dueAt(NOON - HOUR), await dueAt(NOON - HOUR + 30_000)]).toEqual([[1], [2]])
    })

    it('records what became of an attempt', async () => {
      const store = await openStore()
      const { destination, delivery } = await withOneDelivery(store)
      const failed = outcome(delivery, {
        status: 503,
        error: 'answered HTTP 503',
        result: { state: 'pending', at: NOON + 5000, retriesUsed: 1 },
      })
      expect(await store.recordAttempts([failed])).toBe(1)
      expect((await store.listDeliveries({}, 10))[0]).toMatchObject({
        state: 'pending',
        attempts: 1,
        nextAttemptAt: NOON + 5000,
        lastStatus: 503,
        lastError: 'answered HTTP 503',
      })
      const { deliveries } = await store.claimDeliveries({ ...claim, now: NOON + 5000, destinationId: destination.id })
      expect(deliveries[0]).toMatchObject({ attempt: 2, retriesUsed: 1 })
      await store.recordAttempts([outcome(deliveries[0] as ClaimedDelivery)])
      expect((await store.listDeliveries({}, 10))[0]).toMatchObject({
        state: 'delivered',
        attempts: 2,
        nextAttemptAt: null,
        lastStatus: 200,
        lastError: null,
      })
      expect((await store.listAttempts(delivery.deliveryId, 10)).map((a) => [a.attempt, a.status])).toEqual([
        [1, 503],
        [2, 200],
      ])
    })

    it('ignores an outcome whose claim is no longer held; that nothing was recorded of its attempt is on record', async () => {
      const store = await openStore()
      const { destination, delivery } = await withOneDelivery(store)
      await store.claimDeliveries({ ...claim, now: claim.leaseUntil, destinationId: destination.id })
      expect(await store.recordAttempts([outcome(delivery)])).toBe(0)
      expect((await store.listDeliveries({}, 10))[0]).toMatchObject({ state: 'pending', attempts: 2 })
      expect(await store.listAttempts(1, 10)).toMatchObject([
        { attempt: 1, startedAt: NOON, durationMs: 45_000, error: expect.stringMatching(/^interrupted/) },
      ])
    })

    it('gives out nothing again that its claimer still holds, however long ago the lease ended, and takes its outcome', async () => {
      const store = await openStore()
      const { destination, delivery } = await withOneDelivery(store)
      const later = { now: NOON + 3_600_000, leaseUntil: NOON + 3_645_000, destinationId: destination.id }
      expect(await store.claimDeliveries({ ...claim, ...later, held: [1, 99] })).toEqual({
        deliveries: [],
        nextDueAt: later.leaseUntil,
        hasBacklog: false,
        isHeldDue: true,
      })
      expect(await store.recordAttempts([outcome(delivery)])).toBe(1)
      expect((await store.listDeliveries({}, 10))[0]).toMatchObject({ state: 'delivered', attempts: 1 })
    })

    it('keeps the outcome of an attempt at a destination that was removed meanwhile', async () => {
      const store = await openStore()
      const { destination, delivery } = await withOneDelivery(store)
      await store.deleteDestination(destination.id)
      await store.cancelDeliveries(destination.id, 100, NOON)
      expect(await store.recordAttempts([outcome(delivery)])).toBe(1)
      expect(await store.recordAttempts([outcome(delivery)])).toBe(0)
      expect((await store.listDeliveries({}, 10))[0]).toMatchObject({ state: 'delivered', reason: null })
    })

    it('lists the latest attempts, oldest first', async () => {
      const store = await openStore()
      const { destination } = await withOneDelivery(store)
      for (let attempt = 1; attempt <= 4; attempt++) {
        const lease = { now: NOON + attempt, leaseUntil: NOON + attempt }
        await store.claimDeliveries({ ...claim, ...lease, limit: 1, destinationId: destination.id })
        const retry = { state: 'pending', at: NOON, retriesUsed: 1 } as const
        const result = { deliveryId: 1, attempt, startedAt: NOON, durationMs: 1, status: 500, error: 'x' }
        await store.recordAttempts([{ ...result, answer: new Uint8Array(), result: retry }])
      }
      expect((await store.listAttempts(1, 2)).map(({ attempt }) => attempt)).toEqual([3, 4])
    })

    it('gives a released claim back without a step or an attempt', async () => {
      const store = await openStore()
      const { destination, delivery } = await withOneDelivery(store)
      await store.releaseClaims([delivery])
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: destination.id })
      expect(deliveries[0]).toMatchObject({ attempt: 1, retriesUsed: 0 })
    })

    it('voids the claims of a process that is gone, and keeps its attempt on record as interrupted', async () => {
      const under = createStoreUnderTest()
      const first = await under.open()
      const { destination, delivery } = await withOneDelivery(first)
      await first.close()
      const second = await under.reopen()
      const { deliveries } = await second.claimDeliveries({
        ...claim,
        now: Date.now(),
        leaseUntil: Date.now() + 1000,
        destinationId: destination.id,
      })
      expect(deliveries.map((d) => d.attempt)).toEqual([2])
      expect((await second.listAttempts(delivery.deliveryId, 10))[0]?.error).toMatch(/^interrupted/)
    })

    it('cancels what a removed destination would still get, visibly', async () => {
      const store = await openStore()
      const destination = await store.createDestination(aDestination(), NOON)
      for (let i = 0; i < 3; i++) await store.storeCallback(aCallback({ text: `{"i":${i}}` }))
      await store.deleteDestination(destination.id)
      expect(await store.cancelDeliveries(destination.id, 2, NOON)).toBe(2)
      expect(await store.cancelDeliveries(destination.id, 2, NOON)).toBe(1)
      expect((await store.listDeliveries({ state: 'canceled' }, 10)).map((d) => d.reason)).toEqual(
        Array(3).fill('its destination was removed'),
      )
    })
  })

  describe(`${name}: destinations`, () => {
    it('refuses a second one of a name, and a removal of one that the configuration file made', async () => {
      const store = await openStore()
      await store.createDestination(aDestination(), NOON)
      await expect(store.createDestination(aDestination(), NOON)).rejects.toMatchObject({ code: 'conflict' })
      await store.syncDestinations([aDestination({ name: 'configured' })], NOON)
      const configured = (await store.listDestinations()).find((d) => d.name === 'configured')
      await expect(store.deleteDestination(configured?.id as number)).rejects.toMatchObject({ code: 'conflict' })
      await expect(store.pauseDestination(999, 'x')).rejects.toMatchObject({ code: 'not_found' })
    })

    it('retires those that leave the configuration file; a pause survives restarts and the way out and back', async () => {
      const under = createStoreUnderTest()
      const first = await under.open()
      await first.syncDestinations([aDestination({ name: 'a' }), aDestination({ name: 'b' })], NOON)
      const [a] = await first.listDestinations()
      await first.pauseDestination(a?.id as number, 'by an operator')
      await first.close()
      const second = await under.reopen()
      expect(await second.syncDestinations([aDestination({ name: 'b' })], NOON)).toEqual({ retired: ['a'] })
      expect((await second.listDestinations()).map((d) => d.name)).toEqual(['b'])
      // Without a delivery, too.
      expect(await second.cancelDeliveries(a?.id as number, 9, NOON)).toBe(0)
      await second.syncDestinations(
        [aDestination({ name: 'a', url: 'https://new.example/' }), aDestination({ name: 'b' })],
        NOON,
      )
      expect(await second.listDestinations()).toMatchObject([
        { id: a?.id, name: 'a', state: 'paused', pauseReason: 'by an operator', url: 'https://new.example/' },
        { name: 'b', state: 'active' },
      ])
    })
  })

  describe(`${name}: pages`, () => {
    async function withEvents(): Promise<Store> {
      const store = await openStore()
      const stored: NewCallback[] = []
      for (let i = 1; i <= 10; i++) {
        const kind = i % 2 === 0 ? 'payment' : 'charge'
        stored.push(
          aCallback({ text: `{"i":${i}}`, receivedAt: NOON + i, facts: [aFact({ kind, subject: String(i % 3) })] }),
        )
      }
      for (const callback of stored) await store.storeCallback(callback)
      return store
    }

    it('go on after the last one, and end', async () => {
      const store = await withEvents()
      const first = await store.listEvents({}, 4)
      const second = await store.listEvents({ after: first.next }, 100)
      expect([first.more, second.more]).toEqual([true, false])
      expect([...first.events, ...second.events].map((e) => e.position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect((await store.listEvents({ after: second.next }, 100)).events).toEqual([])
    })

    const FILTERED: readonly (readonly [EventFilter, readonly number[]])[] = [
      [{ kinds: ['payment'] }, [2, 4, 6, 8, 10]],
      [{ subject: '0' }, [3, 6, 9]],
      [{ receivedFrom: NOON + 3, receivedTo: NOON + 5 }, [3, 4]],
      [{ environment: 'sandbox' }, []],
      [{ delivery: { states: ['pending'] } }, []],
      [{ delivery: { destination: 'books' } }, []],
    ]

    it('are filtered, and move past what the filter skipped', async () => {
      const store = await withEvents()
      for (const [filter, positions] of FILTERED) {
        const page = await store.listEvents(filter, 100)
        expect([filter, page.events.map((e) => e.position), page.next]).toEqual([filter, positions, 10])
      }
    })
  })

  describe(`${name}: pages of so many bytes`, () => {
    async function withBodies(): Promise<Store> {
      const store = await openStore()
      for (let n = 1; n <= 5; n++) {
        const text = JSON.stringify({ nome: 'Ana', n, filler: 'x'.repeat(1000) })
        await store.storeCallback(aCallback({ text, receivedAt: NOON + n, facts: [aFact({ hash: null })] }))
      }
      await indexAll(store)
      return store
    }

    it('end early, have at least one event, and go on behind it', async () => {
      const store = await withBodies()
      async function pagesOf(filter: EventFilter) {
        const pages: number[][] = []
        for (let more = true, from: EventFilter = {}; more; ) {
          const page: EventPage = await store.listEvents({ ...filter, ...from }, 100)
          pages.push(page.events.map(({ position }) => position))
          more = page.more
          from = filter.newestFirst === true ? { before: page.next } : { after: page.next }
        }
        return pages
      }

      expect(await pagesOf({ mostBytes: 1 })).toEqual([[1], [2], [3], [4], [5]])
      expect(await pagesOf({ mostBytes: 2500 })).toEqual([[1, 2], [3, 4], [5]])
      const newestFirst = { newestFirst: true }
      for (const filter of [newestFirst, { ...newestFirst, search: parseSearch('ana') }]) {
        expect(await pagesOf({ ...filter, mostBytes: 1 })).toEqual([[5], [4], [3], [2], [1]])
        expect(await pagesOf({ ...filter, mostBytes: 2500 })).toEqual([[5, 4], [3, 2], [1]])
      }
    })
  })

  describe(`${name}: the lines of ordered subjects`, () => {
    const ordered = aDestination({ order: 'subject' })
    const subjectOf = (subject: string | null) => aCallback({ text: `${subject}`, facts: [aFact({ subject })] })

    async function withLine(settings = ordered) {
      const store = await openStore()
      const { id } = await store.createDestination(settings, NOON)
      for (let i = 0; i < 3; i++) await store.storeCallback(subjectOf('a'))
      const claimAll = async (now = NOON) =>
        (await store.claimDeliveries({ ...claim, now, leaseUntil: now + 45_000, destinationId: id })).deliveries
      const states = async () => (await store.listDeliveries({}, 100)).map(({ state }) => state)
      return { store, id, claimAll, states }
    }

    const exhausted = { error: 'x', status: 422, result: { state: 'exhausted', reason: 'schedule used up' } } as const

    it('only the head is claimable, and the transaction that ends it releases the next', async () => {
      const { store, claimAll, states } = await withLine()
      expect(await states()).toEqual(['pending', 'blocked', 'blocked'])
      const [head, ...others] = await claimAll()
      expect(others).toEqual([])
      await store.recordAttempts([outcome(head as ClaimedDelivery)])
      expect(await states()).toEqual(['delivered', 'pending', 'blocked'])
    })

    it('a callback tells what of it is behind others', async () => {
      const { store, id } = await withLine()
      expect(await store.storeCallback(subjectOf('a'))).toMatchObject({ destinationIds: [], blocked: 1 })
      const free = await store.storeCallback(subjectOf('b'))
      expect([free.destinationIds, free.blocked]).toEqual([[id], undefined])
    })

    it('one subject of two environments is in two lines, also when it is replayed', async () => {
      const { store, claimAll, states } = await withLine()
      const sandbox = { ...subjectOf('a'), environment: 'sandbox' as const }
      const { eventIds } = await store.storeCallback(sandbox)
      expect(await states()).toEqual(['pending', 'blocked', 'blocked', 'pending'])
      const claimed = await claimAll()
      expect(claimed.map(({ deliveryId, hasOrderKey }) => [deliveryId, hasOrderKey])).toEqual([
        [1, true],
        [4, true],
      ])
      await store.recordAttempts([outcome(claimed[1] as ClaimedDelivery)])
      await store.replayEvent(eventIds[0] as string, null, NOON)
      expect(await states()).toEqual(['pending', 'blocked', 'blocked', 'pending'])
      const other = await store.createDestination(aDestination({ name: 'other', order: 'subject' }), NOON)
      const { events } = await store.listEvents({}, 10)
      for (const { id } of events) await store.replayEvent(id, other.id, NOON)
      expect((await states()).slice(4)).toEqual(['pending', 'blocked', 'blocked', 'pending'])
    })

    it('an event without a subject is in no line, and holds none when it is too old', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(ordered, NOON)
      for (const subject of [null, 'a', 'a']) await store.storeCallback(subjectOf(subject))
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: id })
      expect(deliveries.map(({ deliveryId, hasOrderKey }) => [deliveryId, hasOrderKey])).toEqual([
        [1, false],
        [2, true],
      ])
      await store.releaseClaims(deliveries)
      expect(await store.exhaustDeliveries(id, NOON + 1, 10, NOON + 2)).toEqual({ count: 2, holding: 1 })
    })

    it('what is let go has the first wait of its destination, counted from when it came', async () => {
      const { store, claimAll } = await withLine({ ...ordered, schedule: [60_000, 1] })
      await store.storeCallback({ ...subjectOf('a'), receivedAt: NOON + 200_000 })
      const due = async (index: number) => (await store.listDeliveries({}, 10))[index]?.nextAttemptAt
      for (const startedAt of [NOON + 100_000, NOON + 150_000]) {
        const [head] = await claimAll(startedAt)
        await store.recordAttempts([outcome(head as ClaimedDelivery, { startedAt })])
      }
      // Long past: it stays where it was in the backlog.
      expect(await due(2)).toBe(NOON + 60_000)
      const [third] = await claimAll(NOON + 210_000)
      await store.recordAttempts([outcome(third as ClaimedDelivery, { startedAt: NOON + 210_000 })])
      expect(await due(3)).toBe(NOON + 260_000)
    })

    it('a lease that ends and a release leave the head the head', async () => {
      const { store, claimAll } = await withLine()
      const [first] = await claimAll()
      const [second] = await claimAll(NOON + 45_000)
      expect([first?.deliveryId, second?.deliveryId, second?.attempt]).toEqual([1, 1, 2])
      await store.releaseClaims([second as ClaimedDelivery])
      expect((await claimAll(NOON + 90_000)).map(({ deliveryId }) => deliveryId)).toEqual([1])
    })

    it('the end of a held line comes with retry, skip, or a destination that is to continue', async () => {
      const { store, claimAll, states } = await withLine()
      const [head] = await claimAll()
      await store.recordAttempts([outcome(head as ClaimedDelivery, exhausted)])
      expect([await states(), await claimAll()]).toEqual([['exhausted', 'blocked', 'blocked'], []])
      await store.retryDelivery(1, NOON)
      expect((await claimAll()).map(({ deliveryId, attempt }) => [deliveryId, attempt])).toEqual([[1, 2]])
      await store.skipDelivery(1, NOON)
      expect(await states()).toEqual(['canceled', 'pending', 'blocked'])
    })

    it('a configuration that takes the order away lets everything go that waited for another one', async () => {
      const store = await openStore()
      await store.syncDestinations([ordered], NOON)
      for (let i = 0; i < 3; i++) await store.storeCallback(subjectOf('a'))
      await store.syncDestinations([{ ...ordered, order: 'none' }], NOON)
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: 1 })
      expect(deliveries.map(({ deliveryId }) => deliveryId)).toEqual([1, 2, 3])
    })

    it('a configuration that says continue lets go what was held', async () => {
      const store = await openStore()
      await store.syncDestinations([ordered], NOON)
      for (let i = 0; i < 2; i++) await store.storeCallback(subjectOf('a'))
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: 1 })
      await store.recordAttempts([outcome(deliveries[0] as ClaimedDelivery, exhausted)])
      await store.syncDestinations([{ ...ordered, onExhausted: 'continue' }], NOON)
      expect((await store.listDeliveries({}, 10)).map(({ state }) => state)).toEqual(['exhausted', 'pending'])
    })

    it('a destination that left the configuration and comes back is held by nothing old', async () => {
      const store = await openStore()
      await store.syncDestinations([ordered], NOON)
      for (let i = 0; i < 2; i++) await store.storeCallback(subjectOf('a'))
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: 1 })
      await store.recordAttempts([outcome(deliveries[0] as ClaimedDelivery, exhausted)])
      await store.syncDestinations([], NOON)
      expect(await store.cancelDeliveries(1, 100, NOON)).toBe(1)
      await store.syncDestinations([ordered], NOON)
      await store.storeCallback(subjectOf('a'))
      expect((await store.listDeliveries({}, 10)).map(({ state }) => state)).toEqual([
        'exhausted',
        'canceled',
        'pending',
      ])
    })

    it('behave as a simple model does, whatever is done in whatever order', async () => {
      const under = createStoreUnderTest()
      let store = await under.open()
      let runs = 0
      const commands = fc.array(aCommand, { minLength: 5, maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(commands, async (list) => {
          const names = ['hold', 'continue', 'none']
          const made = await Promise.all(
            names.map((kind) =>
              store.createDestination(
                aDestination({
                  name: `${kind}-${++runs}`,
                  order: kind === 'none' ? 'none' : 'subject',
                  onExhausted: kind === 'continue' ? 'continue' : 'hold',
                }),
                NOON,
              ),
            ),
          )
          const before = (await store.listDeliveries({ newestFirst: true, before: Number.MAX_SAFE_INTEGER }, 1))[0]
          const model = createModel(made, await store.latestPosition())
          try {
            for (const command of list) {
              model.now += 60_000
              if (command.do === 'restart') {
                await store.close()
                store = await under.reopen()
              }
              await model.run(command, store)
              const real = await store.listDeliveries({ after: before?.deliveryId ?? 0 }, 1000)
              expect(
                real.map((d) => [d.deliveryId, d.state, d.attempts]),
                command.do,
              ).toEqual(model.rows())
              model.check()
            }
            await model.attempts(store)
          } finally {
            for (const { id } of made) {
              await store.deleteDestination(id)
              await store.cancelDeliveries(id, 1000, NOON)
            }
          }
        }),
        { numRuns: 12 },
      )
    })
  })

  describe(`${name}: what an operator does to deliveries`, () => {
    const STATES = ['waiting', 'in flight', 'blocked', 'delivered', 'exhausted', 'holding', 'canceled'] as const

    /** A delivery in this state, and one of its subject before it where it is blocked. */
    async function inState(state: (typeof STATES)[number]) {
      const store = await openStore()
      const isOrdered = state === 'blocked' || state === 'holding'
      const { id } = await store.createDestination(aDestination({ order: isOrdered ? 'subject' : 'none' }), NOON)
      const numbers = state === 'blocked' ? [0, 1] : [0]
      let eventId = ''
      for (const i of numbers) {
        const stored = await store.storeCallback(aCallback({ text: `{"i":${i}}`, facts: [aFact()] }))
        eventId = stored.eventIds[0] as string
      }
      if (!['waiting', 'blocked', 'canceled'].includes(state)) {
        const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: id })
        const [only] = deliveries as [ClaimedDelivery]
        const isGood = state === 'delivered'
        const result = isGood ? ({ state: 'delivered' } as const) : ({ state: 'exhausted', reason: 'used up' } as const)
        if (state !== 'in flight') await store.recordAttempts([outcome(only, { result, error: isGood ? null : 'x' })])
      }
      if (state === 'canceled') await store.skipDelivery(1, NOON)
      const deliveryId = numbers.length
      const read = async () => (await store.listDeliveries({ after: deliveryId - 1 }, 1))[0]
      return { store, id, deliveryId, eventId, read }
    }

    const due = { state: 'pending', nextAttemptAt: NOON + 9, endedAt: null, reason: null }
    const inFlight = { state: 'pending', nextAttemptAt: claim.leaseUntil, attempts: 1 }
    const inFlightAgain = { ...due, attempts: 1 }
    const skipped = { state: 'canceled', reason: 'skipped by an operator', nextAttemptAt: null, endedAt: NOON + 9 }
    const same = (state: string) => ({ state })
    it.each([
      ['waiting', due, skipped, same('pending')],
      ['in flight', inFlightAgain, skipped, inFlight],
      ['blocked', 'conflict', skipped, same('blocked')],
      ['delivered', due, 'conflict', due],
      ['exhausted', due, 'conflict', due],
      ['holding', due, skipped, due],
      ['canceled', due, 'conflict', due],
    ] as const)('%s: retry, skip and replay do what they say', async (state, retried, skip, replayed) => {
      for (const [action, expected] of [
        ['retry', retried],
        ['skip', skip],
        ['replay', replayed],
      ] as const) {
        const t = await inState(state)
        const before = await t.read()
        const done =
          action === 'replay'
            ? t.store.replayEvent(t.eventId, null, NOON + 9)
            : t.store[`${action}Delivery`](t.deliveryId, NOON + 9)
        if (expected === 'conflict') {
          await expect(done).rejects.toMatchObject({ code: 'conflict' })
          expect(await t.read()).toEqual(before)
        } else {
          const ids = [t.deliveryId]
          const leftIds = before?.state === 'pending' || before?.state === 'blocked' ? ids : []
          expect(await done).toEqual(
            {
              retry: { destinationId: t.id },
              skip: { destinationId: t.id },
              replay: { deliveryIds: ids, destinationIds: [t.id], leftIds },
            }[action],
          )
          expect(await t.read()).toMatchObject({ ...expected, deliveryId: t.deliveryId, eventId: t.eventId })
        }
        await t.store.close()
      }
    })

    it('unknown deliveries and events are not found, and change nothing', async () => {
      const { store, eventId } = await inState('waiting')
      const answers = await Promise.allSettled([
        store.retryDelivery(99, NOON),
        store.skipDelivery(99, NOON),
        store.replayEvent('evt_1_0000000000', null, NOON),
        store.replayEvent('nonsense', null, NOON),
        store.replayEvent(eventId, 99, NOON),
      ])
      expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual([
        ...Array(4).fill('not_found'),
        'conflict',
      ])
    })

    it('of a removed destination nothing is sent again; a replay to another one creates it there, once', async () => {
      const { store, id, eventId } = await inState('exhausted')
      const other = await store.createDestination(aDestination({ name: 'other' }), NOON)
      await store.deleteDestination(id)
      await expect(store.retryDelivery(1, NOON)).rejects.toMatchObject({ code: 'conflict' })
      await expect(store.replayEvent(eventId, id, NOON)).rejects.toMatchObject({ code: 'conflict' })
      await expect(store.replayEvent(eventId, null, NOON)).rejects.toMatchObject({ code: 'conflict' })
      const once = await store.replayEvent(eventId, other.id, NOON)
      expect(once.leftIds).toEqual([])
      expect(await store.replayEvent(eventId, other.id, NOON)).toEqual({ ...once, leftIds: once.deliveryIds })
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: other.id })
      expect(deliveries.map(({ event, attempt }) => [event.id, attempt])).toEqual([[eventId, 1]])
    })

    it('begin the schedule and the age again', async () => {
      const { store, id } = await inState('exhausted')
      await store.retryDelivery(1, NOON + 500)
      const { deliveries } = await store.claimDeliveries({ ...claim, now: NOON + 500, destinationId: id })
      expect(deliveries).toMatchObject([{ attempt: 2, retriesUsed: 0, agesFrom: NOON + 500, dueAt: NOON + 500 }])
    })

    const failed = { status: 503, error: 'answered HTTP 503' }
    const used = { ...failed, result: { state: 'exhausted', reason: 'schedule used up' } } as const

    async function skippedInFlight(settings: Partial<DestinationSettings> = {}) {
      const under = createStoreUnderTest()
      const store = await under.open()
      const { id } = await store.createDestination(aDestination(settings), NOON)
      const { eventIds } = await store.storeCallback(aCallback({ facts: [aFact()] }))
      const { deliveries } = await store.claimDeliveries({ ...claim, destinationId: id })
      await store.skipDelivery(1, NOON)
      const [old] = deliveries as [ClaimedDelivery]
      const claimHolding = (held: number[]) =>
        store.claimDeliveries({ ...claim, now: NOON + 9, destinationId: id, held })
      const tries = async (of: Store = store) =>
        (await of.listAttempts(1, 10)).map(({ attempt, error }) => [attempt, error])
      return { under, store, old, eventId: eventIds[0] as string, claimHolding, tries }
    }

    it.each([
      ['delivered', {}, { state: 'delivered', reason: null, endedAt: NOON + 12 }],
      ['exhausted', used, { state: 'canceled', reason: 'skipped by an operator', lastStatus: 503, endedAt: NOON }],
      [
        'pending',
        { ...failed, result: { state: 'pending', at: NOON + 5000, retriesUsed: 1 } as const },
        { state: 'canceled', reason: 'skipped by an operator', lastStatus: 503, nextAttemptAt: null },
      ],
    ])('a skip of one in flight keeps what came of the attempt: %s', async (_, result, expected) => {
      const { store, old, tries } = await skippedInFlight()
      expect(await store.recordAttempts([outcome(old, result)])).toBe(1)
      expect(await store.recordAttempts([outcome(old, result)])).toBe(0)
      expect((await store.listDeliveries({}, 1))[0]).toMatchObject({ ...expected, attempts: 1 })
      expect(await tries()).toHaveLength(1)
    })

    it('an attempt at a skipped delivery that a killed process had under way is on record', async () => {
      const { under, store, tries } = await skippedInFlight()
      await store.close()
      const again = await under.reopen()
      expect(await tries(again)).toEqual([[1, expect.stringMatching(/^interrupted/)]])
      expect((await again.listDeliveries({}, 1))[0]).toMatchObject({ state: 'canceled', nextAttemptAt: null })
    })

    it.each(['retry', 'replay'] as const)(
      'a %s of one that was skipped in flight waits for the old attempt, and begins the schedule again when that fails',
      async (action) => {
        const { store, old, eventId, claimHolding, tries } = await skippedInFlight()
        await (action === 'retry' ? store.retryDelivery(1, NOON + 1) : store.replayEvent(eventId, null, NOON + 1))
        expect(await claimHolding([1])).toMatchObject({ deliveries: [], isHeldDue: true })
        await store.recordAttempts([outcome(old, used)])
        const { deliveries } = await claimHolding([])
        expect(deliveries).toMatchObject([{ attempt: 2, retriesUsed: 0, agesFrom: NOON + 1 }])
        expect(await tries()).toEqual([[1, 'answered HTTP 503']])
      },
    )

    it('a retry of one that was skipped in flight is over when the old attempt delivers it', async () => {
      const { store, old, claimHolding } = await skippedInFlight()
      await store.retryDelivery(1, NOON + 1)
      await store.recordAttempts([outcome(old)])
      expect((await store.listDeliveries({}, 1))[0]).toMatchObject({ state: 'delivered', attempts: 1 })
      expect((await claimHolding([])).deliveries).toEqual([])
    })

    it.each([
      ['goes before a later one of its subject that no one has claimed', false, ['pending', 'blocked', 'blocked']],
      ['waits behind a later one of its subject that is under way', true, ['blocked', 'pending', 'blocked']],
    ])('one that was skipped in flight and retried %s, until it is delivered', async (_what, isUnderWay, expected) => {
      const { store, old, claimHolding } = await skippedInFlight({ order: 'subject' })
      for (let i = 0; i < 2; i++) await store.storeCallback(aCallback({ text: `${i}`, facts: [aFact()] }))
      if (isUnderWay) await claimHolding([])
      await store.retryDelivery(1, NOON + 10)
      const [retried] = await store.listDeliveries({ after: 0, before: 2 }, 1)
      expect(retried?.waitsFor).toBe(isUnderWay ? 'subject' : null)
      const states = async () => (await store.listDeliveries({}, 9)).map(({ state }) => state)
      expect(await states()).toEqual(expected)
      await store.recordAttempts([outcome(old)])
      expect(await states()).toEqual(['delivered', 'pending', 'blocked'])
    })
  })

  describe(`${name}: the two parts of a claim`, () => {
    it('gives the latest due one that was never tried, where that is asked for; without one, what is due', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      for (const i of [0, 1, 2, 3])
        await store.storeCallback(aCallback({ text: `{"i":${i}}`, receivedAt: NOON + i * 1000 }))
      const wanted = { ...claim, limit: 1, destinationId: id, isUntriedFirst: true }
      const at = async (seconds: number) => {
        const { deliveries } = await store.claimDeliveries({ ...wanted, now: NOON + seconds * 1000 })
        const [delivery] = deliveries
        if (delivery === undefined) return null
        const result = { state: 'pending' as const, at: NOON + seconds * 1000, retriesUsed: 0 }
        await store.recordAttempts([outcome(delivery, { status: 503, error: 'answered HTTP 503', result })])
        return delivery.deliveryId
      }
      // The fourth is due after two seconds only; at last those that were tried take turns.
      expect([await at(2), await at(2), await at(4), await at(5), await at(6), await at(7)]).toEqual([3, 2, 4, 1, 2, 3])
    })

    it('gives what is due since a moment before what was due earlier, and of that only so many', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      for (const i of [0, 1, 2, 3, 4])
        await store.storeCallback(aCallback({ text: `{"i":${i}}`, receivedAt: NOON + i * 1000 }))
      const wanted = { ...claim, now: NOON + 9000, freshSince: NOON + 3000, destinationId: id }
      const first = await store.claimDeliveries({ ...wanted, limit: 4, backlogLimit: 1 })
      expect(first.deliveries.map(({ deliveryId }) => deliveryId)).toEqual([4, 5, 1])
      expect(first.hasBacklog).toBe(true)
      const none = await store.claimDeliveries({ ...wanted, backlogLimit: 0 })
      expect([none.deliveries, none.hasBacklog]).toEqual([[], true])
      const negative = await store.claimDeliveries({ ...wanted, backlogLimit: -3 })
      expect(negative.deliveries).toEqual([])
      const rest = await store.claimDeliveries({ ...wanted, backlogLimit: Number.POSITIVE_INFINITY })
      expect(rest.deliveries.map(({ deliveryId }) => deliveryId)).toEqual([2, 3])
      expect(rest.hasBacklog).toBe(false)
    })

    it.each([
      [0, 9, [4, 5, 6]],
      [1, 9, [4, 5, 1]],
      [1, 0, [4, 5, 6]],
      [9, 9, [1, 2, 3]],
    ])(
      'keeps %i places for the backlog where %i may be claimed of it',
      async (backlogShare, backlogLimit, expected) => {
        const store = await openStore()
        const { id } = await store.createDestination(aDestination(), NOON)
        for (const i of [0, 1, 2, 3, 4, 5])
          await store.storeCallback(aCallback({ text: `{"i":${i}}`, receivedAt: NOON + i * 1000 }))
        const lanes = { limit: 3, freshSince: NOON + 3000, backlogLimit, backlogShare }
        const { deliveries } = await store.claimDeliveries({ ...claim, ...lanes, now: NOON + 9000, destinationId: id })
        expect(deliveries.map(({ deliveryId }) => deliveryId)).toEqual(expected)
      },
    )

    it('sweeps what is too old in batches, but nothing that is claimed', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      for (const i of [0, 1, 2, 3]) await store.storeCallback(aCallback({ text: `{"i":${i}}` }))
      await store.claimDeliveries({ ...claim, limit: 1, leaseUntil: NOON + 1, destinationId: id })
      const none = { holding: 0 }
      expect(await store.exhaustDeliveries(id, NOON + 5000, 2, NOON + 6000)).toEqual({ ...none, count: 2 })
      expect(await store.exhaustDeliveries(id, NOON + 5000, 2, NOON + 6000)).toEqual({ ...none, count: 1 })
      expect((await store.listDeliveries({}, 10)).map(({ state }) => state)).toEqual([
        'pending',
        ...Array(3).fill('exhausted'),
      ])
    })
  })
}
