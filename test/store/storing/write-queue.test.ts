import { describe, expect, it } from 'vitest'
import { PortariaError } from '../../../src/platform/errors.ts'
import type { StoreCall } from '../../../src/store/storing/store-calls.ts'
import { createWriteQueue, type QueueLimits } from '../../../src/store/storing/write-queue.ts'
import { aCallback } from '../../support/builders.ts'

const KIB = 1024
/** Calls in a batch that cannot be sent. */
const UNSENDABLE = 7
const LIMITS: QueueLimits = { events: 10_000, bytes: 1024 * 1024 * KIB }

/** A queue whose batches are only counted. `answer` answers the oldest one in flight: each callback with its number. */
function aQueue(limits = LIMITS) {
  const sent: { calls: number; isFirst: boolean }[] = []
  let answered = 0
  function send(calls: readonly StoreCall[], isFirst: boolean) {
    if (calls.length === UNSENDABLE) return new PortariaError('store_unavailable', 'no memory for the batch')
    sent.push({ calls: calls.length, isFirst })
    return null
  }
  const queue = createWriteQueue<never>(limits, send, () => undefined)
  const store = (bytes = 1) =>
    queue.add({ method: 'storeCallback', args: [aCallback({ body: Buffer.alloc(bytes) })] } satisfies StoreCall)
  const storeMany = (count: number, bytes?: number) => Promise.all(Array.from({ length: count }, () => store(bytes)))
  function answer(durationMs = 1) {
    const { calls } = sent[answered++] as { calls: number }
    const stored = Array.from({ length: calls }, (_, place) => place)
    const callbacks = queue.answered({ results: stored.map(() => null), stored, durationMs })
    queue.sendNext()
    return callbacks
  }
  return { queue, sent, store, storeMany, answer, sizes: () => sent.map(({ calls }) => calls) }
}

describe('the queue in front of the writer', () => {
  it('sends the first call at once, and those that arrive meanwhile as the next batch', async () => {
    const { storeMany, answer, sent } = aQueue()
    const stored = storeMany(1 + 23)
    expect([answer(), answer()]).toEqual([1, 23])
    expect(await stored).toEqual([0, ...Array.from({ length: 23 }, (_, place) => place)])
    expect(sent).toEqual([
      { calls: 1, isFirst: true },
      { calls: 23, isFirst: true },
    ])
  })

  it('sends a second batch ahead as soon as 24 calls wait, and never a third', () => {
    const { storeMany, sent } = aQueue()
    void storeMany(1 + 24 + 60)
    expect(sent).toEqual([
      { calls: 1, isFirst: true },
      { calls: 24, isFirst: false },
    ])
  })

  it('sends none ahead where the batch before took longer than 2 ms', () => {
    const { storeMany, answer, sizes } = aQueue()
    void storeMany(1)
    answer(2.1)
    void storeMany(1 + 60)
    expect(sizes()).toEqual([1, 1])
    answer()
    expect(sizes()).toEqual([1, 1, 60])
  })

  it('sends at most 512 calls or some 16 MiB in a batch', () => {
    const many = aQueue()
    void many.storeMany(1 + 24 + 600)
    many.answer()
    many.answer()
    expect(many.sizes()).toEqual([1, 24, 512, 88])
    const large = aQueue()
    void large.storeMany(1 + 23, 1000 * KIB)
    large.answer()
    expect(large.sizes()).toEqual([1, 17])
  })

  it('refuses a callback beyond its limits, and accepts one again after an answer', async () => {
    const { storeMany, store, answer, queue } = aQueue({ events: 3, bytes: 10 })
    void storeMany(2, 5)
    await expect(store(1)).rejects.toMatchObject({ code: 'queue_full' })
    expect(queue.waiting()).toEqual({ waitingEvents: 2, waitingBytes: 10 })
    answer()
    void storeMany(2, 1)
    await expect(store(1)).rejects.toMatchObject({ code: 'queue_full' })
  })

  it('fails all calls at once, and ignores the answer to a batch that has failed', async () => {
    const { queue, storeMany, answer } = aQueue()
    const stored = Promise.allSettled([storeMany(1), storeMany(24), storeMany(5)])
    const emptied = queue.emptied()
    queue.failAll(new PortariaError('store_unavailable', 'the disk failed'))
    await emptied
    expect((await stored).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect([answer(), queue.hasCalls(), queue.waiting()]).toEqual([null, false, { waitingEvents: 0, waitingBytes: 0 }])
  })

  it('fails the calls of a batch that could not be sent, and no other', async () => {
    const { storeMany, store, answer, queue } = aQueue()
    const [inFlight, unsent] = [storeMany(1), storeMany(UNSENDABLE)]
    answer()
    await expect(unsent).rejects.toMatchObject({ code: 'store_unavailable' })
    const later = store()
    expect(answer()).toBe(1)
    expect([await inFlight, await later, queue.hasCalls()]).toEqual([[0], 0, false])
  })
})
