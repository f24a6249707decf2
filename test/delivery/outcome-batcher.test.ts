import { expect, it } from 'vitest'
import { createOutcomeBatcher } from '../../src/delivery/outcome-batcher.ts'
import type { AttemptOutcome } from '../../src/domain/delivery.ts'
import { recordingLog } from '../support/gateway.ts'

const outcome = (deliveryId: number) => ({ deliveryId }) as AttemptOutcome

/** A store that answers when the test says so. */
function aStore() {
  const asked: { readonly ids: number[]; readonly answer: () => void }[] = []
  const batcher = createOutcomeBatcher(
    {
      recordAttempts: (outcomes) =>
        new Promise((resolve) => {
          asked.push({ ids: outcomes.map(({ deliveryId }) => deliveryId), answer: () => resolve(outcomes.length) })
        }),
    },
    recordingLog([]),
  )
  return { asked, batcher }
}

it('is flushed when what was recorded before is on disk, however much follows', async () => {
  const { asked, batcher } = aStore()
  const never = new AbortController().signal
  await batcher.flushed(never)
  batcher.record(outcome(1), () => undefined, true)
  batcher.record(outcome(2), () => batcher.record(outcome(3), () => undefined, true), true)
  const flushed = batcher.flushed(never)
  for (const ids of [[1], [2]]) {
    await expect.poll(() => asked.at(-1)?.ids).toEqual(ids)
    asked.at(-1)?.answer()
  }
  await flushed
  await expect.poll(() => asked.at(-1)?.ids).toEqual([3])
})

it('a signal ends the wait for the disk', async () => {
  const { batcher } = aStore()
  batcher.record(outcome(1), () => undefined)
  await batcher.flushed(AbortSignal.abort())
})
