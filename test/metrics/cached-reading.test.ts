import { expect, it } from 'vitest'
import { createCachedReading } from '../../src/metrics/cached-reading.ts'

/** What is looked at changes with every look; each takes `tookMs` on a clock that the test moves. */
function aLooking(tookMs = 0) {
  const clock = { now: 0 }
  const failures: unknown[] = []
  let looks = 0
  let error: Error | null = null
  const looking = createCachedReading(
    async () => {
      looks++
      clock.now += tookMs
      if (error !== null) throw error
      return looks
    },
    { now: () => clock.now, onFailed: (failure) => failures.push(failure) },
  )
  const look = async (at: number) => {
    clock.now = at
    await looking.refresh()
    return looking.latest()
  }
  return { look, looking, failures, fail: (next: Error | null) => (error = next) }
}

it('looks once for 5 s, however often somebody asks, and at once', async () => {
  const { look, looking } = aLooking()
  await Promise.all([look(0), look(0), look(0)])
  expect(looking.latest()).toBe(1)
  expect([await look(4999), await look(5000), await look(9999), await look(10_000)]).toEqual([1, 2, 2, 3])
})

it('never takes more than a twentieth of the time', async () => {
  const { look } = aLooking(1000)
  expect([await look(0), await look(20_999), await look(21_000)]).toEqual([1, 1, 2])
})

it('knows nothing where it could not look, says why once, and tries again', async () => {
  const { look, failures, fail } = aLooking()
  await look(0)
  const error = new Error('the disk fails')
  fail(error)
  expect([await look(5000), await look(9999), failures]).toEqual([null, null, [error]])
  fail(null)
  expect([await look(10_000), failures.length]).toEqual([3, 1])
})
