import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTokenBucket } from '../../src/delivery/token-bucket.ts'

function at(perSecond: number | null) {
  const clock = { ms: 1000 }
  return { clock, bucket: createTokenBucket(perSecond, () => clock.ms) }
}

it('lets one go at first, and the next when its time has come', () => {
  const { clock, bucket } = at(10)
  expect(bucket.available()).toBe(1)
  bucket.take(1)
  expect([bucket.available(), bucket.nextAt()]).toEqual([0, 1100])
  clock.ms = 1099
  expect(bucket.available()).toBe(0)
  clock.ms = bucket.nextAt()
  expect(bucket.available()).toBe(1)
})

it('lets a second’s worth go after a rest, and no more', () => {
  const { clock, bucket } = at(10)
  clock.ms += 3_600_000
  expect(bucket.available()).toBe(10)
  bucket.take(10)
  expect(bucket.available()).toBe(0)
})

it('gives nothing for a clock that is set back, and goes on from there', () => {
  const { clock, bucket } = at(10)
  bucket.take(1)
  clock.ms -= 3_600_000
  expect([bucket.available(), bucket.nextAt()]).toEqual([0, clock.ms + 100])
  clock.ms += 100
  expect(bucket.available()).toBe(1)
})

it('without a rate has no bound and no wait', () => {
  const { clock, bucket } = at(null)
  bucket.take(1_000_000)
  expect([bucket.available(), bucket.nextAt()]).toEqual([Number.POSITIVE_INFINITY, clock.ms])
})

it('never lets more go than the time has earned, and one is there when it said', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.array(fc.integer({ min: 0, max: 400 })), (rate, waits) => {
      const { clock, bucket } = at(rate)
      let taken = 0
      for (const wait of waits) {
        clock.ms += wait
        const count = bucket.available()
        bucket.take(count)
        taken += count
        expect(taken * 1000).toBeLessThanOrEqual(1000 + (clock.ms - 1000) * rate)
      }
      clock.ms = bucket.nextAt()
      expect(bucket.available()).toBeGreaterThanOrEqual(1)
    }),
    { numRuns: 2000 },
  )
})
