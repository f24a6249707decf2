import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createInFlight } from '../../src/delivery/in-flight.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Lets time pass, and the event loop turn once. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await new Promise((resolve) => setImmediate(resolve))
}

function createNoted() {
  const inFlight = createInFlight()
  const ended: string[] = []
  return {
    ended,
    inFlight,
    add(name: string, afterMs: number, signal = new AbortController().signal) {
      const end = (text: string) => {
        ended.push(text)
        inFlight.remove(one)
      }
      const one = {
        deadline: performance.now() + afterMs,
        signal,
        onDeadline: () => end(`${name} at its deadline`),
        onAborted: () => end(`${name} aborted`),
      }
      inFlight.add(one)
      return one
    },
  }
}

test('each ends at its deadline, with one timer for all', async () => {
  const { ended, add } = createNoted()
  add('long', 5000)
  add('short', 1000)
  add('longest', 9000)
  expect(vi.getTimerCount()).toBe(1)
  await pass(999)
  expect(ended).toEqual([])
  await pass(1)
  expect(ended).toEqual(['short at its deadline'])
  await pass(4000)
  expect(ended).toEqual(['short at its deadline', 'long at its deadline'])
  await pass(4000)
  expect([ended.length, vi.getTimerCount()]).toEqual([3, 0])
})

test('what has ended before is left alone, and an earlier deadline counts', async () => {
  const { ended, inFlight, add } = createNoted()
  inFlight.remove(add('removed', 1000))
  const one = add('advanced', 5000)
  one.deadline -= 3000
  inFlight.advanced(one)
  await pass(2000)
  expect(ended).toEqual(['advanced at its deadline'])
})

test('a deadline may be replaced by another one', async () => {
  const inFlight = createInFlight()
  const times: number[] = []
  const start = performance.now()
  const one = {
    deadline: start + 1000,
    signal: new AbortController().signal,
    onDeadline() {
      times.push(performance.now() - start)
      if (times.length === 1) one.deadline += 2000
      else inFlight.remove(one)
    },
    onAborted: () => undefined,
  }
  inFlight.add(one)
  for (let i = 0; i < 10; i++) await pass(1000)
  expect(times).toEqual([1000, 3000])
})

test('a signal ends those that have it, with one listener for all', () => {
  const { ended, add } = createNoted()
  const [first, second] = [new AbortController(), new AbortController()]
  const listen = vi.spyOn(first.signal, 'addEventListener')
  add('one', 1000, first.signal)
  add('two', 1000, second.signal)
  add('three', 1000, first.signal)
  first.abort()
  expect([ended, listen.mock.calls.length]).toEqual([['one aborted', 'three aborted'], 1])
})
