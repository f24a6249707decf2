import { expect, it } from 'vitest'
import { createRateGate } from '../../src/service/rate-gate.ts'

const never = new AbortController().signal

function createGate() {
  let time = 0
  const gate = createRateGate({ now: () => time, random: () => 0 })
  return { gate, pass: (ms: number) => (time += ms) }
}

it.each([
  ['Retry-After', 30_000, 30_000],
  ['a second without one', undefined, 1000],
  ['a second for 0', 0, 1000],
  ['an hour for a longer one', 86_400_000, 3_600_000],
])('holds an interface for %s', (_title, retryAfterMs, expected) => {
  const { gate, pass } = createGate()
  gate.hold('charges', retryAfterMs)
  expect([gate.heldForMs('charges'), gate.heldForMs('payment')]).toEqual([expected, 0])
  pass(expected)
  expect(gate.heldForMs('charges')).toBe(0)
})

it('a shorter hold does not shorten a longer one', () => {
  const { gate } = createGate()
  gate.hold('charges', 30_000)
  gate.hold('charges', 2000)
  expect(gate.heldForMs('charges')).toBe(30_000)
})

it('a call that has less time than the hold does not wait', async () => {
  const { gate } = createGate()
  gate.hold('charges', 5000)
  expect(await gate.pass('charges', () => 5000, never)).toBe(false)
  expect(await gate.pass('payment', () => 0, never)).toBe(true)
})

it('a wait ends with the reason of its signal', async () => {
  const { gate } = createGate()
  gate.hold('charges', 5000)
  const stop = new AbortController()
  const waiting = gate.pass('charges', () => 60_000, stop.signal)
  stop.abort(new Error('the caller stops'))
  await expect(waiting).rejects.toThrow('the caller stops')
})
