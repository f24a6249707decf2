import { describe, expect, it } from 'vitest'
import type { AttemptOutcome } from '../../../src/domain/delivery.ts'
import type { ClearedResponseBodies, Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aRefusal, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** What every Store promises of what can be done without. */
export function describeReclaiming(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()

  /** One delivery that failed so often, with an answer each time. */
  async function failTimes(store: Store, times: number): Promise<void> {
    const { id: destinationId } = await store.createDestination(aDestination(), NOON)
    await store.storeCallback(aCallback())
    const request = { destinationId, limit: 1, now: NOON, leaseUntil: NOON + 1, freshSince: 0, backlogLimit: 1 }
    for (let attempt = 1; attempt <= times; attempt++) {
      await store.claimDeliveries(request)
      const failed = { startedAt: NOON, durationMs: 1, status: 500, error: 'it answered 500' }
      const result = { state: 'pending', at: NOON, retriesUsed: attempt } as const
      await store.recordAttempts([
        { deliveryId: 1, attempt, ...failed, answer: Buffer.from(`answer ${attempt}`), result },
      ])
    }
  }

  describe(`${name}: what can be done without`, () => {
    it('are refusals, from the oldest on, a piece at a time', async () => {
      const store = await openStore()
      await store.recordRefusals({ refusals: Array.from({ length: 5 }, () => aRefusal()), probes: [] })
      expect(await store.dropRefusals(2)).toBe(2)
      const { refusals } = await store.listRefusals({}, 10)
      expect(refusals.map(({ id }) => id)).toEqual([3, 4, 5])
      expect([await store.dropRefusals(5), await store.dropRefusals(5)]).toEqual([3, 0])
    })

    it('are the answers to attempts, a piece at a time: the attempts stay on record', async () => {
      const store = await openStore()
      await failTimes(store, 3)
      const before = await store.listAttempts(1, 10)
      const answers = async () => (await store.listAttempts(1, 10)).map(({ answer }) => Buffer.from(answer).toString())

      const first = await store.clearResponseBodies(0, 2)
      expect(first).toEqual({ cleared: 2, next: expect.any(Number) })
      expect(await answers()).toEqual(['', '', 'answer 3'])
      const second = await store.clearResponseBodies(first.next as number, 2)
      expect(second).toMatchObject({ cleared: 1 })
      // The delivery itself may have kept a first attempt.
      const third = await store.clearResponseBodies(second.next as number, 2)
      expect(await store.clearResponseBodies(third.next as number, 2)).toEqual({ cleared: 0, next: null })
      expect(await store.clearResponseBodies(0, 10)).toMatchObject({ cleared: 0 })

      const after = await store.listAttempts(1, 10)
      expect(after).toEqual(before.map((attempt) => ({ ...attempt, answer: new Uint8Array() })))
    })

    it('are the answers to first attempts that succeeded, too', async () => {
      const store = await openStore()
      const { id: destinationId } = await store.createDestination(aDestination(), NOON)
      const texts = ['{"n":1}', '{"n":2}', '{"n":3}']
      for (const text of texts) await store.storeCallback(aCallback({ text }))
      const request = { destinationId, limit: 3, now: NOON, leaseUntil: NOON + 1, freshSince: 0, backlogLimit: 3 }
      const { deliveries } = await store.claimDeliveries(request)
      const done = {
        attempt: 1,
        startedAt: NOON,
        durationMs: 1,
        status: 200,
        error: null,
        result: { state: 'delivered' },
      }
      await store.recordAttempts(
        deliveries.map(({ deliveryId }) => ({ ...done, deliveryId, answer: Buffer.from('yes') })) as AttemptOutcome[],
      )
      const answers = async () => (await store.listDeliveries({}, 3)).map(({ lastAnswer }) => lastAnswer?.length ?? 0)
      expect(await answers()).toEqual([3, 3, 3])

      const pieces: ClearedResponseBodies[] = []
      for (let after: number | null = 0; after !== null; after = pieces.at(-1)?.next ?? null)
        pieces.push(await store.clearResponseBodies(after, 2))

      expect(pieces.map(({ cleared }) => cleared)).toEqual([2, 1, 0])
      expect(await answers()).toEqual([0, 0, 0])
      expect(await store.listAttempts(2, 9)).toMatchObject([{ attempt: 1, status: 200, durationMs: 1 }])
    })
  })
}
