import { describe, expect, it } from 'vitest'
import type { RemovedPart } from '../../../src/domain/retention.ts'
import type { WaitingToken } from '../../../src/domain/service/notification-token.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { anEntry, anOutcome, aTokenCallback } from './token-contract.ts'

const DAY = 86_400_000
const LATER = NOON + 500 * DAY

/** What every Store promises about the data of tokens and of resolved events. */
export function describeTokenRetention(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()

  async function waiting(store: Store) {
    return store.listWaitingTokens({ environment: 'production' }, 9)
  }

  async function openJob(store: Store, token = 't', receivedAt = NOON): Promise<WaitingToken> {
    await store.storeCallback(aTokenCallback(token, { receivedAt }))
    return (await waiting(store)).find((job) => job.token === token) as WaitingToken
  }

  async function remove(store: Store, part: RemovedPart, before = LATER) {
    const { callbacks, bytes } = await store.findRemovable({ part, kind: 'charge', before, after: null }, 100)
    const callbackIds = callbacks.map(({ callbackId }) => callbackId)
    const removed = await store.removeAged({ part, before, callbackIds }, LATER)
    expect(removed.bytes).toBe(bytes)
    return removed.callbacks
  }

  async function redact(store: Store, subject: string) {
    const search = { subject, institution: null, environment: null }
    return store.redact({ ...search, ...(await store.findSubject(search, 9)) }, LATER)
  }

  async function bodies(store: Store) {
    const { events } = await store.listEvents({}, 9)
    const found = await Promise.all(events.map(({ id }) => store.getEvent(id)))
    return found.map((one) => [one?.event.body, one?.evidence.body].map((body) => Buffer.from(body ?? []).toString()))
  }

  const textOf = (id: number) => Buffer.from(anEntry(id).body).toString()

  describe(`${name}: retention of tokens`, () => {
    it('leaves a callback alone while its token waits, however old', async () => {
      const store = await openStore()
      await openJob(store)
      expect([await remove(store, 'payload'), await remove(store, 'metadata')]).toEqual([0, 0])
      expect(await waiting(store)).toHaveLength(1)
    })

    it('empties the own body of a resolved event with its callback, then removes both, and the token stays', async () => {
      const store = await openStore()
      await store.settleToken(anOutcome(await openJob(store), { entries: [anEntry(1)] }))
      const before = (await store.listEvents({}, 1)).events[0]
      expect(await remove(store, 'payload')).toBe(1)
      expect(await bodies(store)).toEqual([['', '']])
      expect(await store.getProof(before?.id as string)).toMatchObject({ isSound: true })
      expect(await remove(store, 'metadata')).toBe(1)
      expect((await store.listEvents({}, 9)).events).toEqual([])
      await store.settleToken(
        anOutcome(await openJob(store, 't', LATER), { at: LATER, entries: [anEntry(1), anEntry(2)] }),
      )
      expect(await bodies(store)).toEqual([[textOf(2), 'notification=t']])
    })

    it('an event that was resolved late keeps its data for its own time', async () => {
      const store = await openStore()
      const job = await openJob(store)
      await store.settleToken(anOutcome(job, { at: NOON + 30 * DAY, entries: [anEntry(1)] }))
      expect(await remove(store, 'payload', NOON + 30 * DAY)).toBe(0)
      expect(await remove(store, 'payload', NOON + 30 * DAY + 1)).toBe(1)
    })

    it('a callback without any entry stays until it is old, or until its token comes again', async () => {
      const store = await openStore()
      for (const receivedAt of [NOON, NOON + 1])
        await store.settleToken(anOutcome(await openJob(store, 't', receivedAt)))
      const { callbacks } = await store.findRemovable(
        { part: 'payload', kind: 'charge', before: LATER, after: null },
        9,
      )
      expect(callbacks).toEqual([{ callbackId: 2, events: 0 }])
      expect([await remove(store, 'payload'), await remove(store, 'metadata')]).toEqual([1, 1])
    })

    it('forgets a token 400 days after its last callback, unless it waits', async () => {
      const store = await openStore()
      await openJob(store, 'waiting')
      await store.settleToken(anOutcome(await openJob(store, 'old'), { at: NOON, entries: [anEntry(1)] }))
      await store.settleToken(
        anOutcome(await openJob(store, 'young', NOON + 1), { at: NOON + 1, entries: [anEntry(1)] }),
      )
      const at = NOON + 400 * DAY + 1
      await store.settleToken(anOutcome(await openJob(store, 'new', at), { at, entries: [anEntry(1)] }))
      for (const token of ['old', 'young'])
        await store.settleToken(anOutcome(await openJob(store, token, at), { at, entries: [anEntry(1)] }))
      // Only the forgotten one gives its entry a second time.
      expect((await store.listEvents({}, 9)).events).toHaveLength(4)
      expect((await waiting(store)).map(({ token }) => token)).toEqual(['waiting'])
    })
  })

  describe(`${name}: redaction of resolved events`, () => {
    it('takes the own body of each event of the subject, and leaves those of other subjects of the token', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      const entries = [anEntry(1, { subject: 'Ana' }), anEntry(2, { subject: 'Bo' })]
      await store.settleToken(anOutcome(await openJob(store), { entries }))
      expect(await redact(store, 'Ana')).toMatchObject({ events: 1, deliveryIds: [1], destinationIds: [id] })
      expect(await bodies(store)).toEqual([
        ['', 'notification=t'],
        [textOf(2), 'notification=t'],
      ])
      const [first] = (await store.listEvents({}, 1)).events
      expect((await store.getEvent(first?.id as string))?.evidence).toMatchObject({ bodyRemovedAt: null })
      expect(await redact(store, 'Bo')).toMatchObject({ events: 1 })
      expect(await bodies(store)).toEqual([
        ['', ''],
        ['', ''],
      ])
    })

    it('takes an unresolved token from its callback, and leaves its job and its entries', async () => {
      const store = await openStore()
      const job = await openJob(store, 'secret')
      await store.settleToken(anOutcome(job, { error: 'HTTP 503', nextAttemptAt: LATER, isUnresolved: true }))
      expect(await redact(store, 'secret')).toMatchObject({ events: 1 })
      expect(await bodies(store)).toEqual([['', '']])
      await store.settleToken(anOutcome(job, { entries: [anEntry(1)] }))
      expect((await bodies(store)).map(([body]) => body)).toEqual(['', textOf(1)])
    })

    it('leaves the callback of a waiting token as it came', async () => {
      const store = await openStore()
      const outcome = { entries: [anEntry(1, { subject: 'Ana' })], nextAttemptAt: LATER }
      await store.settleToken(anOutcome(await openJob(store), outcome))
      expect(await redact(store, 'Ana')).toMatchObject({ events: 1 })
      expect(await bodies(store)).toEqual([['', 'notification=t']])
    })

    it('an ordinary callback beside it is as before', async () => {
      const store = await openStore()
      await store.storeCallback(aCallback({ facts: [aFact({ subject: 'Ana' })] }))
      await redact(store, 'Ana')
      expect(await bodies(store)).toEqual([['', '']])
    })
  })
}
