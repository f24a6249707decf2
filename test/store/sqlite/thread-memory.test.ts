import { setFlagsFromString } from 'node:v8'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { limitYoungGeneration } from '../../../src/store/sqlite/threads/thread-memory.ts'

/** Keeps objects, so that the young generation becomes as large as it may. Two thirds of it are the two semi-spaces. */
const GROW = `
  const { getHeapSpaceStatistics } = require('node:v8')
  let largest = 0
  for (let kept = [], i = 0; i < 600_000; i++) {
    kept.push({ i })
    if (i % 50_000 === 0) largest = Math.max(largest, getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size)
  }
  require('node:worker_threads').parentPort.postMessage(largest / 2 ** 20)`

async function largestYoungMiB(resourceLimits: ResourceLimits): Promise<number> {
  const worker = new Worker(GROW, { eval: true, resourceLimits })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  worker.once('message', resolve).once('error', reject)
  return promise
}

it('the young generation of a thread has the size of its limit, also where the command line gives the main thread another one', async () => {
  setFlagsFromString('--max-semi-space-size=16')
  expect(await largestYoungMiB({ maxYoungGenerationSizeMb: 6 })).toBeGreaterThan(8)

  // 4 MiB, and sometimes a page or two that a collection has just emptied.
  expect(await largestYoungMiB(limitYoungGeneration(6))).toBeLessThanOrEqual(6)
})
