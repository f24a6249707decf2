import { expect, it } from 'vitest'
import { createRepeatedReading } from '../../src/delivery/dispatching/repeated-reading.ts'
import { recordingLog } from '../support/gateway.ts'

it('reads once behind the reading under way, for all changes of meanwhile', async () => {
  const ends: (() => void)[] = []
  const reading = createRepeatedReading({
    read: () => new Promise((resolve) => void ends.push(resolve)),
    task: 'reading',
    log: recordingLog([]),
    signal: new AbortController().signal,
  })
  const first = reading.read()
  await expect.poll(() => ends.length).toBe(1)
  const behind = [reading.read(), reading.read(), reading.read()]
  ends[0]?.()
  await first
  await expect.poll(() => ends.length).toBe(2)
  ends[1]?.()
  await Promise.all(behind)
  expect(ends).toHaveLength(2)
})
