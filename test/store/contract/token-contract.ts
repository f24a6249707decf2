import { describe, expect, it } from 'vitest'
import type { NewCallback } from '../../../src/domain/event.ts'
import { hashedValues } from '../../../src/domain/event-hash.ts'
import type {
  TokenEntry,
  TokenOutcome,
  WaitingToken,
  WaitingTokenQuery,
} from '../../../src/domain/service/notification-token.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

const LATER = NOON + 60_000

export function aTokenCallback(token: string, changes: Partial<NewCallback> = {}): NewCallback {
  const form = { kind: 'charge', listener: 'charges', authentication: 'path-token', peer: null } as const
  const body = Buffer.from(`notification=${token}`)
  const content = { contentType: 'application/x-www-form-urlencoded', body, facts: [], notificationToken: token }
  return aCallback({ ...form, ...content, ...changes })
}

export function anEntry(entryId: number, changes: Partial<TokenEntry> = {}): TokenEntry {
  const references = { charge: '77', subscription: null }
  const body = Buffer.from(`{"notification":{"token":"t","entries":[{"id":${entryId}}]}}`)
  return { entryId, kind: 'charge', subject: '77', status: 'paid', references, body, ...changes }
}

export function anOutcome(
  { id: tokenId, version }: Pick<WaitingToken, 'id' | 'version'>,
  changes: Partial<TokenOutcome> = {},
): TokenOutcome {
  return {
    tokenId,
    version,
    at: LATER,
    entries: [],
    error: null,
    nextAttemptAt: null,
    endsWithNewEntry: false,
    isUnresolved: false,
    ...changes,
  }
}

/** What every Store promises about tokens that wait to be resolved. */
export function describeTokens(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()

  async function waiting(store: Store) {
    return store.listWaitingTokens({ environment: 'production' }, 100)
  }

  async function openJob(store: Store, token = 't'): Promise<WaitingToken> {
    await store.storeCallback(aTokenCallback(token))
    return (await waiting(store)).find((job) => job.token === token) as WaitingToken
  }

  async function texts(store: Store) {
    const { events } = await store.listEvents({}, 100)
    return events.map(({ body }) => Buffer.from(body).toString())
  }

  const textsOf = (...ids: number[]) => ids.map((id) => Buffer.from(anEntry(id).body).toString())

  describe(`${name}: tokens`, () => {
    it('a token is a job and no event, and survives a restart', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      const stored = await store.storeCallback(aTokenCallback('t'))
      expect(stored).toEqual({ callbackId: 1, eventIds: [], duplicates: 0, destinationIds: [], tokenId: 1 })
      await store.close()
      const again = await underTest.reopen()
      expect(await again.listEvents({}, 9)).toMatchObject({ events: [] })
      expect(await waiting(again)).toEqual([
        {
          id: 1,
          environment: 'production',
          token: 't',
          version: 1,
          waitingSince: NOON,
          attempts: 0,
          nextAttemptAt: NOON,
          lastError: null,
          isUnresolved: false,
          entries: { through: 0, beyond: [] },
          sender: aTokenCallback('t').remoteAddress,
        },
      ])
      expect(await again.countWaitingTokens()).toEqual([{ environment: 'production', waiting: 1, oldestAt: NOON }])
    })

    it('a repeat joins the waiting job, and an answer from before it does not end the job', async () => {
      const store = await openStore()
      const job = await openJob(store)
      const joined = await store.storeCallback(aTokenCallback('t', { receivedAt: NOON + 5 }))
      expect(joined).toEqual({ callbackId: null, eventIds: [], duplicates: 0, destinationIds: [], tokenId: job.id })
      expect(await store.settleToken(anOutcome(job, { entries: [anEntry(1)] }))).toMatchObject({ nextAttemptAt: LATER })
      const [again] = await waiting(store)
      expect(again).toMatchObject({ version: 2, waitingSince: NOON, attempts: 0 })
      const settled = await store.settleToken(anOutcome(again as WaitingToken))
      expect(settled).toEqual({ eventIds: [], facts: [], destinationIds: [], nextAttemptAt: null })
      expect(await waiting(store)).toEqual([])
      expect(await texts(store)).toEqual(textsOf(1))
    })

    it('a token is asked for sooner by what the clock was set back', async () => {
      const store = await openStore()
      const job = await openJob(store)
      await store.settleToken(anOutcome(job, { error: 'HTTP 503', nextAttemptAt: LATER }))
      for (const heartbeatAt of [NOON, NOON - 3_600_000]) await store.recordClock({ heartbeatAt })
      expect(await waiting(store)).toMatchObject([{ nextAttemptAt: LATER - 3_600_000 }])
    })

    it('after a callback that joined during a query, an answer is asked for again now, and a failed query later', async () => {
      const store = await openStore()
      const job = await openJob(store)
      await store.settleToken(anOutcome(job, { nextAttemptAt: LATER + 9 }))
      await store.storeCallback(aTokenCallback('t', { receivedAt: NOON + 5 }))
      expect(await store.settleToken(anOutcome(job, { nextAttemptAt: LATER + 9 }))).toMatchObject({
        nextAttemptAt: LATER,
      })
      expect(await waiting(store)).toMatchObject([{ attempts: 0 }])
      const failed = anOutcome(job, { error: 'HTTP 503', nextAttemptAt: LATER + 9 })
      expect(await store.settleToken(failed)).toMatchObject({ nextAttemptAt: LATER + 9 })
      expect(await store.settleToken({ ...failed, nextAttemptAt: null })).toMatchObject({ nextAttemptAt: LATER })
      expect(await waiting(store)).toMatchObject([{ attempts: 2 }])
    })

    it('new entries become events in their order, each once, with the callback as evidence', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination(), NOON)
      const job = await openJob(store)
      const entries = [anEntry(2, { status: 'paid' }), anEntry(1, { status: 'new' })]
      const settled = await store.settleToken(anOutcome(job, { entries }))
      expect(settled).toMatchObject({ facts: [{ status: 'new' }, { status: 'paid' }], destinationIds: [id, id] })
      expect(await texts(store)).toEqual(textsOf(1, 2))
      const found = await store.getEvent(settled.eventIds[0] as string)
      expect(found?.event).toMatchObject({
        callbackId: 1,
        kind: 'charge',
        subject: '77',
        authentication: 'service',
        source: 'resolved',
        contentType: 'application/json',
        receivedAt: LATER,
        part: 1,
        parts: 1,
      })
      expect(found?.evidence).toMatchObject({
        callbackId: 1,
        authentication: 'path-token',
        receivedAt: NOON,
        contentType: 'application/x-www-form-urlencoded',
        span: null,
        bodyRemovedAt: null,
      })
      expect(Buffer.from(found?.evidence.body ?? []).toString()).toBe('notification=t')
      const request = { limit: 9, now: LATER, leaseUntil: LATER + 1, freshSince: 0, backlogLimit: 9 }
      const { deliveries } = await store.claimDeliveries({ ...request, destinationId: id })
      expect(deliveries.map(({ body }) => Buffer.from(body).toString())).toEqual(textsOf(1, 2))
      expect(deliveries[0]).toMatchObject({
        contentType: 'application/json',
        event: { authentication: 'service', source: 'resolved', receivedAt: LATER },
      })
    })

    it('a late entry with a smaller number is an event, also in a later wait, and no entry is one twice', async () => {
      const store = await openStore()
      await store.settleToken(anOutcome(await openJob(store), { entries: [1, 3, 6].map((n) => anEntry(n)) }))
      const second = await openJob(store)
      expect(second).toMatchObject({ id: 1, version: 2 })
      await store.settleToken(anOutcome(second, { entries: [1, 2, 2, 3, 5, 6].map((n) => anEntry(n)) }))
      await store.settleToken(
        anOutcome(await openJob(store), { entries: [1, 2, 3, 4, 5, 6, 7].map((n) => anEntry(n)) }),
      )
      expect(await texts(store)).toEqual(textsOf(1, 3, 6, 2, 5, 4, 7))
    })

    it('entries of two tokens, and of two environments, do not meet', async () => {
      const store = await openStore()
      await store.settleToken(anOutcome(await openJob(store), { entries: [anEntry(1)] }))
      await store.settleToken(anOutcome(await openJob(store, 'u'), { entries: [anEntry(1)] }))
      await store.storeCallback(aTokenCallback('t', { environment: 'sandbox' }))
      const [sandbox] = await store.listWaitingTokens({ environment: 'sandbox' }, 9)
      await store.settleToken(anOutcome(sandbox as WaitingToken, { entries: [anEntry(1)] }))
      expect(await texts(store)).toEqual(textsOf(1, 1, 1))
    })

    it('a job that waits too long becomes an event of the token once, and its entries still follow', async () => {
      const store = await openStore()
      const { id } = await store.createDestination(aDestination({ authentication: 'mutual-tls' }), NOON)
      const job = await openJob(store)
      const failed = anOutcome(job, { error: 'HTTP 503', nextAttemptAt: LATER + 9, isUnresolved: true })
      const settled = await store.settleToken(failed)
      expect(settled).toMatchObject({
        destinationIds: [],
        facts: [{ kind: 'charge', subject: 't', status: null }],
        nextAttemptAt: LATER + 9,
      })
      expect(await waiting(store)).toMatchObject([
        { attempts: 1, lastError: 'HTTP 503', isUnresolved: true, nextAttemptAt: LATER + 9 },
      ])
      expect((await store.settleToken(failed)).eventIds).toEqual([])
      const unresolved = await store.getEvent(settled.eventIds[0] as string)
      expect(unresolved?.event).toMatchObject({ source: 'unresolved', authentication: 'path-token', receivedAt: LATER })
      // The gateway itself asked the service for it.
      expect((await store.settleToken(anOutcome(job, { entries: [anEntry(1)] }))).destinationIds).toEqual([id])
      expect(await texts(store)).toEqual(['notification=t', ...textsOf(1)])
      expect(await waiting(store)).toEqual([])
    })

    it('an outcome for a job that is done, or for none, changes nothing', async () => {
      const store = await openStore()
      const job = await openJob(store)
      await store.settleToken(anOutcome(job, { entries: [anEntry(1)] }))
      const nothing = { eventIds: [], facts: [], destinationIds: [], nextAttemptAt: null }
      expect(await store.settleToken(anOutcome(job, { entries: [anEntry(2)] }))).toEqual(nothing)
      expect(await store.settleToken(anOutcome({ id: 99, version: 1 }, { entries: [anEntry(2)] }))).toEqual(nothing)
      expect(await texts(store)).toEqual(textsOf(1))
    })

    it('an answer with a new entry ends the job if it shall, and one without does not', async () => {
      const store = await openStore()
      const outcome = anOutcome(await openJob(store), { nextAttemptAt: LATER + 9, endsWithNewEntry: true })
      expect(await store.settleToken(outcome)).toMatchObject({ nextAttemptAt: LATER + 9 })
      expect(await waiting(store)).toMatchObject([{ attempts: 1, lastError: null }])
      expect(await store.settleToken({ ...outcome, entries: [anEntry(1)] })).toMatchObject({ nextAttemptAt: null })
      expect(await waiting(store)).toEqual([])
    })

    it('fresh jobs are listed apart from repeated ones, and overdue ones until they are events', async () => {
      const store = await openStore()
      const [a, b] = [await openJob(store, 'a'), await openJob(store, 'b')]
      await store.settleToken(anOutcome(a, { nextAttemptAt: LATER, error: 'HTTP 503' }))
      await store.settleToken(anOutcome(b, { nextAttemptAt: LATER + 1, error: 'HTTP 503', isUnresolved: true }))
      await store.storeCallback(aTokenCallback('c', { receivedAt: NOON + 1 }))
      const list = async (query: Partial<WaitingTokenQuery>) =>
        (await store.listWaitingTokens({ environment: 'production', ...query }, 9)).map(({ token }) => token)
      expect(await list({ isFresh: true })).toEqual(['c'])
      expect(await list({ isFresh: false })).toEqual(['a', 'b'])
      expect(await list({})).toEqual(['c', 'a', 'b'])
      expect(await list({ waitingSinceBy: NOON })).toEqual(['a'])
      expect(await store.countWaitingTokens()).toEqual([{ environment: 'production', waiting: 3, oldestAt: NOON }])
      await store.settleToken(anOutcome(a, { nextAttemptAt: LATER, error: 'HTTP 503', isUnresolved: true }))
      expect(await store.countWaitingTokens()).toEqual([{ environment: 'production', waiting: 3, oldestAt: NOON + 1 }])
      expect(await list({ waitingSinceBy: NOON + 1, isFresh: true })).toEqual(['c'])
    })

    it('jobs are listed in turns of their senders, from the longest and the latest due', async () => {
      const store = await openStore()
      const sent = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].entries()
      for (const [index, token] of sent)
        await store.storeCallback(
          aTokenCallback(token, { receivedAt: NOON + index, remoteAddress: `10.0.0.${token[0]}` }),
        )
      await store.settleToken(anOutcome({ id: 1, version: 1 }, { nextAttemptAt: LATER, error: 'HTTP 503' }))
      const query = { environment: 'production', isFresh: true, inTurns: true } as const
      const listed = await store.listWaitingTokens(query, 7)
      expect(listed.map(({ token }) => token)).toEqual(['a2', 'a5', 'b1', 'b2', 'c1', 'a3', 'a4'])
      expect(listed[0]?.sender).toBe('10.0.0.a')
      expect((await store.listWaitingTokens({ ...query, dueBy: NOON + 3 }, 1)).map(({ token }) => token)).toEqual([
        'a2',
      ])
    })

    it('jobs are listed by environment, the longest due first', async () => {
      const store = await openStore()
      for (const [token, receivedAt] of [
        ['b', NOON + 2],
        ['a', NOON + 1],
        ['c', NOON + 3],
      ] as const)
        await store.storeCallback(aTokenCallback(token, { receivedAt }))
      const due = await store.listWaitingTokens({ environment: 'production', dueBy: NOON + 2 }, 9)
      expect(due.map(({ token }) => token)).toEqual(['a', 'b'])
      expect(await store.listWaitingTokens({ environment: 'production' }, 1)).toMatchObject([{ token: 'a' }])
      expect(await store.listWaitingTokens({ environment: 'sandbox' }, 9)).toEqual([])
      await store.storeCallback(aTokenCallback('s', { environment: 'sandbox', receivedAt: NOON }))
      expect(await store.countWaitingTokens()).toEqual([
        { environment: 'production', waiting: 3, oldestAt: NOON + 1 },
        { environment: 'sandbox', waiting: 1, oldestAt: NOON },
      ])
    })

    it('callbacks of a token that the service does not know lead to one query a minute', async () => {
      const store = await openStore()
      await store.settleToken(anOutcome(await openJob(store), { error: 'HTTP 404', nextAttemptAt: LATER + 1e9 }))
      await store.storeCallback(aTokenCallback('t', { receivedAt: LATER }))
      await store.storeCallback(aTokenCallback('t', { receivedAt: LATER + 1000 }))
      expect(await waiting(store)).toMatchObject([{ version: 3, attempts: 1, nextAttemptAt: LATER + 60_000 }])
    })

    it('a callback counts as received from its kind while its token waits, and without any entry', async () => {
      const store = await openStore()
      const heard = () => store.lastReceivedAt('charge', 'production')
      expect(await heard()).toBeNull()
      const job = await openJob(store)
      expect(await heard()).toBe(NOON)
      await store.storeCallback(aTokenCallback('t', { receivedAt: NOON + 5 }))
      await store.settleToken(anOutcome({ ...job, version: 2 }, { nextAttemptAt: LATER + 9 }))
      expect(await heard()).toBe(NOON + 5)
      await store.settleToken(anOutcome({ ...job, version: 2 }))
      expect(await heard()).toBe(NOON + 5)
    })

    it('the proof of a resolved event covers its own body, and how it came', async () => {
      const store = await openStore()
      const { eventIds } = await store.settleToken(anOutcome(await openJob(store), { entries: [anEntry(1)] }))
      const proof = await store.getProof(eventIds[0] as string)
      expect(proof).toMatchObject({ isSound: true })
      const callback = {
        ...aTokenCallback('t'),
        peerFingerprint: null,
        route: 'charge',
        authentication: 'service',
      } as const
      const event = { ...anEntry(1), position: 1, nonce: proof?.values[2] as string, environment: 'production' }
      const fact = { receivedAt: LATER, part: 1, parts: 1, span: null, factHash: null }
      const hashed = { ...event, ...fact, payloadHash: proof?.hashes.payload as string }
      expect(proof?.values).toEqual(hashedValues(hashed, { ...callback, contentType: 'application/json' }))
    })

    it('a day has a budget of queries, which is never exceeded and starts again the next day', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      const request = {
        environment: 'production',
        purpose: 'notifications',
        day: '2026-03-04',
        wanted: 6,
        limit: 10,
      } as const
      expect(await store.takeBudget(request)).toBe(6)
      expect(await store.takeBudget({ ...request, environment: 'sandbox', limit: Number.POSITIVE_INFINITY })).toBe(6)
      await store.close()
      const again = await underTest.reopen()
      expect([await again.takeBudget(request), await again.takeBudget(request)]).toEqual([4, 0])
      expect(await again.budgetUsed('production', 'notifications', '2026-03-04')).toBe(10)
      expect(await again.takeBudget({ ...request, purpose: 'payment' })).toBe(6)
      expect(await again.takeBudget({ ...request, day: '2026-03-05' })).toBe(6)
      expect(await again.budgetUsed('production', 'notifications', '2026-03-04')).toBe(0)
      expect(await again.budgetUsed('production', 'payment', '2026-03-04')).toBe(6)
    })
  })
}
