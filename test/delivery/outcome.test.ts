import { describe, expect, it } from 'vitest'
import { expired, interrupted, lineOf, outcomeOf, policyFor } from '../../src/delivery/outcome.ts'
import type { AttemptResult } from '../../src/delivery/send.ts'
import type { RetryPolicy } from '../../src/domain/retry-schedule.ts'
import { aDelivery, aDestination } from './receiver.ts'

const STARTED = Date.UTC(2026, 0, 2, 3, 5)
const DAY_MS = 86_400_000

const POLICY: RetryPolicy = {
  schedule: [0, 5000, 30_000, 60_000],
  jitter: 0.2,
  maxAgeMs: 30 * DAY_MS,
  retryAfterLimitMs: 3_600_000,
}

function result(changes: Partial<AttemptResult> = {}): AttemptResult {
  return {
    aborted: false,
    startedAt: STARTED,
    durationMs: 100,
    status: 503,
    error: 'answered HTTP 503',
    answer: Buffer.from('no'),
    retryAfter: undefined,
    ...changes,
  }
}

const delivery = aDelivery({ attempt: 7, retriesUsed: 0 })
const ended = STARTED + 100

/** The circumstances of an attempt, its circuit closed. */
function at(random: number) {
  return { policy: POLICY, random, isCircuitOpen: false }
}

describe('what follows from an attempt', () => {
  it.each([200, 201, 204, 299])('after %i is that it was delivered', (status) => {
    expect(outcomeOf(delivery, result({ status, error: null }), at(0.5))).toEqual({
      deliveryId: 10,
      attempt: 7,
      startedAt: STARTED,
      durationMs: 100,
      status,
      error: null,
      answer: Buffer.from('no'),
      result: { state: 'delivered' },
    })
  })

  it.each([
    ['an error', { status: 503, error: 'answered HTTP 503' }],
    ['a redirect', { status: 302, error: 'redirect to another address is not followed (HTTP 302)' }],
    ['no answer', { status: null, error: 'connection refused' }],
  ])('after %s is the next step of the schedule', (_, failure) => {
    expect(outcomeOf(delivery, result(failure), at(0.5))).toEqual({
      deliveryId: 10,
      attempt: 7,
      startedAt: STARTED,
      durationMs: 100,
      ...failure,
      answer: Buffer.from('no'),
      result: { state: 'pending', at: ended + 5000, retriesUsed: 1 },
    })
  })

  it.each([
    [0, 0, 4000],
    [0, 1, 6000],
    [1, 0.5, 30_000],
    [2, 0.25, 54_000],
  ])('after %i steps, with chance %d, is a wait of %i ms', (retriesUsed, random, wait) => {
    const next = outcomeOf({ ...delivery, retriesUsed }, result(), at(random)).result
    expect(next).toEqual({ state: 'pending', at: ended + wait, retriesUsed: retriesUsed + 1 })
  })

  it('after the last step is its end', () => {
    expect(outcomeOf({ ...delivery, retriesUsed: 3 }, result(), at(0.5)).result).toEqual({
      state: 'exhausted',
      reason: 'schedule used up',
    })
  })

  it('is its end where the next step would come after the longest age', () => {
    const policy = { ...POLICY, maxAgeMs: ended + 4999 - delivery.event.receivedAt }
    expect(outcomeOf(delivery, result(), { ...at(0.5), policy }).result).toEqual({
      state: 'exhausted',
      reason: 'older than forwarding.maxAge',
    })
  })

  it.each([
    ['120', 120_000],
    ['7200', 3_600_000],
    ['1', 5000],
    [new Date(ended + 60_000).toUTCString(), 60_000 - (ended % 1000)],
    ['soon', 5000],
  ])('heeds Retry-After: %s, up to its limit and never before the schedule', (retryAfter, wait) => {
    expect(outcomeOf(delivery, result({ retryAfter }), at(0.5)).result).toEqual({
      state: 'pending',
      at: ended + wait,
      retriesUsed: 1,
    })
  })

  it.each([
    [undefined, 0],
    ['120', 120_000],
    ['7200', 3_600_000],
  ])('behind an open circuit uses no step, and waits for nothing but a Retry-After: %s', (retryAfter, wait) => {
    const open = { ...at(0.5), isCircuitOpen: true }
    expect(outcomeOf({ ...delivery, retriesUsed: 3 }, result({ retryAfter }), open).result).toEqual({
      state: 'pending',
      at: ended + wait,
      retriesUsed: 3,
    })
  })

  it('after 410 uses no step, not even the last', () => {
    const gone = result({ status: 410, error: 'answered HTTP 410' })
    expect(outcomeOf({ ...delivery, retriesUsed: 3 }, gone, at(0.5)).result).toEqual({
      state: 'pending',
      at: ended + 1000,
      retriesUsed: 3,
    })
  })
})

describe('a delivery', () => {
  it('older than forwarding.maxAge ends without an attempt', () => {
    const { receivedAt } = delivery.event
    expect(expired(delivery, POLICY, receivedAt + 30 * DAY_MS)).toBeNull()
    const now = receivedAt + 30 * DAY_MS + 1
    expect(expired(delivery, POLICY, now)).toEqual({
      deliveryId: 10,
      attempt: 7,
      startedAt: now,
      durationMs: 0,
      status: null,
      error: 'not sent: older than forwarding.maxAge',
      answer: new Uint8Array(),
      result: { state: 'exhausted', reason: 'older than forwarding.maxAge' },
    })
  })

  it('whose attempt the gateway broke off uses no step, and is due at once', () => {
    const broken = { aborted: true, startedAt: STARTED, durationMs: 100, hasBegun: true } as const
    expect(interrupted({ ...delivery, retriesUsed: 3 }, broken).result).toEqual({
      state: 'pending',
      at: ended,
      retriesUsed: 3,
    })
  })

  it("follows its destination's schedule, and has no age while the clock is not plausible", () => {
    const own = { schedule: [1000] }
    expect(policyFor({ schedule: null }, { policy: POLICY })).toEqual(POLICY)
    expect(policyFor(own, { policy: POLICY, isClockPlausible: () => true })).toEqual({ ...POLICY, ...own })
    expect(policyFor(own, { policy: POLICY, isClockPlausible: () => false })).toEqual({
      ...POLICY,
      ...own,
      maxAgeMs: Number.POSITIVE_INFINITY,
    })
  })

  it('has a log line without its payload, its secret and its answer', () => {
    const outcome = outcomeOf(delivery, result(), at(0.5))
    expect(lineOf(delivery, aDestination('https://user.example/private?token=1'), outcome)).toEqual({
      delivery: 'dlv_10',
      eventId: 'evt_1',
      kind: 'payment',
      environment: 'production',
      destination: 'shop',
      attempt: 7,
      status: 503,
      error: 'answered HTTP 503',
      durationMs: 100,
      result: 'pending',
      nextAttemptAt: new Date(ended + 5000).toISOString(),
    })
  })
})
