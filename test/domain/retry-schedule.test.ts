import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type FailedStep,
  limitedRetryAfterMs,
  nextStep,
  parseRetryAfter,
  type RetryPolicy,
} from '../../src/domain/retry-schedule.ts'
import { NOON } from '../support/builders.ts'

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]
/** The default of `forwarding`. */
const POLICY: RetryPolicy = {
  schedule: [
    0,
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  jitter: 0.2,
  maxAgeMs: 30 * DAY,
  retryAfterLimitMs: HOUR,
}

const failed = (changes: Partial<FailedStep> = {}): FailedStep => ({
  retriesUsed: 1,
  now: NOON,
  receivedAt: NOON,
  retryAfterMs: 0,
  random: 0.5,
  ...changes,
})

describe('the next step', () => {
  it('follows the schedule, twelve tries in about three days, and is then exhausted', () => {
    const waits = POLICY.schedule.map((_, used) => nextStep(POLICY, failed({ retriesUsed: used + 1 })))
    expect(waits.slice(0, -1)).toEqual(POLICY.schedule.slice(1).map((wait) => ({ state: 'pending', at: NOON + wait })))
    expect(waits.at(-1)).toEqual({ state: 'exhausted', reason: 'schedule used up' })
  })

  it('is spread by the jitter and by no more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 11 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (retriesUsed, random, jitter) => {
          const step = nextStep({ ...POLICY, jitter }, failed({ retriesUsed, random }))
          const wait = POLICY.schedule[retriesUsed] ?? 0
          expect(step).toMatchObject({ state: 'pending' })
          if (step.state !== 'pending') return
          expect(step.at - NOON).toBeGreaterThanOrEqual(Math.round(wait * (1 - jitter)))
          expect(step.at - NOON).toBeLessThanOrEqual(Math.round(wait * (1 + jitter)))
          expect(Number.isInteger(step.at)).toBe(true)
        },
      ),
    )
  })

  it.each([
    [0, 4000],
    [0.5, 5000],
    [1, 6000],
  ])('with random %d waits %d ms of 5 s', (random, wait) => {
    expect(nextStep(POLICY, failed({ random }))).toEqual({ state: 'pending', at: NOON + wait })
  })

  it.each([
    ['longer than the schedule', 60 * SECOND, 60 * SECOND],
    ['shorter than the schedule', SECOND, 5 * SECOND],
    ['beyond the limit, which was applied when it was read', DAY, DAY],
    ['nothing', 0, 5 * SECOND],
  ])('honours what the destination asked for when it is %s', (_what, retryAfterMs, wait) => {
    expect(nextStep(POLICY, failed({ retryAfterMs }))).toEqual({ state: 'pending', at: NOON + wait })
  })

  it.each([
    [0, 'pending'],
    [1, 'exhausted'],
  ])('that would come %d ms after the greatest age is %s', (late, state) => {
    const receivedAt = NOON + 5 * SECOND - 30 * DAY - late
    expect(nextStep(POLICY, failed({ receivedAt })).state).toBe(state)
  })

  it('says when age was the reason', () => {
    expect(nextStep(POLICY, failed({ receivedAt: NOON - 31 * DAY }))).toEqual({
      state: 'exhausted',
      reason: 'older than forwarding.maxAge',
    })
  })
})

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['999999999', 999_999_999_000],
    ['Thu, 15 Jan 2026 12:01:00 GMT', 60_000],
    ['Thursday, 15-Jan-26 12:00:30 GMT', 30_000],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
  ])('%j is %d ms from now', (value, ms) => {
    expect(parseRetryAfter(value, NOON)).toBe(ms)
  })

  it.each([
    undefined,
    '',
    ' ',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '9999999999',
    'soon',
    '5 seconds',
    '2026-01-15T12:01:00Z',
    'Thu, 99 Foo 2026',
  ])('%j is ignored', (value) => {
    expect(parseRetryAfter(value, NOON)).toBeNull()
  })

  it.each([
    [undefined, 0],
    ['soon', 0],
    ['3599', HOUR - SECOND],
    ['3600', HOUR],
    ['86400', HOUR],
  ])('%j waits %d ms under a limit of an hour', (value, ms) => {
    expect(limitedRetryAfterMs(POLICY, value, NOON)).toBe(ms)
  })

  it('is never negative and never an error, whatever it says', () => {
    fc.assert(fc.property(fc.string(), (value) => (parseRetryAfter(value, NOON) ?? 0) >= 0))
  })
})
