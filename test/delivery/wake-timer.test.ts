import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createWakeTimer } from '../../src/delivery/wake-timer.ts'
import { NOON } from '../support/builders.ts'
import { recordingLog } from '../support/gateway.ts'

const HOUR_MS = 3_600_000

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

/** With a clock that only the test sets. */
function start() {
  const clock = { ms: NOON }
  const woken = vi.fn()
  const timer = createWakeTimer({ onWake: woken, task: 'a test', now: () => clock.ms, log: recordingLog([]) })
  onTestFinished(() => timer.stop())
  return { timer, clock, woken }
}

it('the earliest wake-up counts, once', () => {
  const { timer, woken } = start()
  for (const ms of [30_000, 100, 5000]) timer.wakeAt(NOON + ms)
  vi.advanceTimersByTime(99)
  expect(woken).not.toHaveBeenCalled()
  vi.advanceTimersByTime(30_000)
  expect(woken).toHaveBeenCalledTimes(1)
})

it.each([
  ['ahead', HOUR_MS],
  ['back', -HOUR_MS],
])('a clock that is set %s delays no wake-up that is wanted from then on', (_, ms) => {
  const { timer, clock, woken } = start()
  timer.wakeAt(NOON + 30_000)
  clock.ms += ms
  timer.wakeAt(clock.ms + 100)
  vi.advanceTimersByTime(100)
  expect(woken).toHaveBeenCalledTimes(1)
})

it('a far wake-up comes after a minute at the latest, and none after the stop', () => {
  const { timer, woken } = start()
  timer.wakeAt(NOON + HOUR_MS)
  vi.advanceTimersByTime(60_000)
  expect(woken).toHaveBeenCalledTimes(1)
  timer.wakeAt(NOON)
  timer.stop()
  timer.wakeAt(NOON)
  vi.advanceTimersByTime(60_000)
  expect(woken).toHaveBeenCalledTimes(1)
})
