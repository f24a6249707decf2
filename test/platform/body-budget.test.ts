import { expect, it } from 'vitest'
import { createBodyBudget } from '../../src/platform/body-budget.ts'

function aBudget() {
  let [timeMs, waiting] = [0, 0]
  const budget = createBodyBudget({ limitBytes: 100, otherBytes: () => waiting, now: () => timeMs })
  const evicted: string[] = []
  const open = (name: string) => budget.open(() => evicted.push(name))
  const at = { pass: (ms: number) => (timeMs += ms), wait: (bytes: number) => (waiting = bytes) }
  return { ...at, budget, open, evicted }
}

it('has room for its limit and not for one byte more, with what else counts', () => {
  const { budget, open, wait } = aBudget()
  const [a, b] = [open('a'), open('b')]
  expect([a.add(60), b.add(40), b.add(1), a.add(1)]).toEqual([true, true, false, false])
  b.close()
  wait(39)
  expect([a.add(2), a.add(1), budget.bytes()]).toEqual([false, true, 61])
})

it('within a second the newest body is given up, behind it the oldest', () => {
  const { budget, open, evicted, pass } = aBudget()
  const [a, b] = [open('a'), open('b')]
  a.add(50)
  pass(500)
  b.add(50)
  pass(499)
  expect([open('c').add(10), evicted]).toEqual([false, []])
  pass(1)
  expect([open('d').add(10), evicted, budget.bytes()]).toEqual([true, ['a'], 60])
  pass(500)
  expect([open('e').add(90), evicted, budget.bytes()]).toEqual([true, ['a', 'b'], 100])
})

it('a body that needs room gives up no other for what others can never give, and the oldest one gives up itself', () => {
  const { budget, open, evicted, pass, wait } = aBudget()
  const [a, b] = [open('a'), open('b')]
  a.add(50)
  b.add(50)
  pass(5000)
  wait(95)
  expect([b.add(10), evicted]).toEqual([false, []])
  wait(0)
  expect([a.add(1), evicted]).toEqual([false, []])
  expect(budget.bytes()).toBe(100)
})

it('counts nothing of what has ended, however often that is said', () => {
  const { budget, open } = aBudget()
  const [a, b] = [open('a'), open('b')]
  a.add(70)
  b.add(30)
  for (const body of [a, a, open('never begun')]) body.close()
  expect(budget.bytes()).toBe(30)
  b.close()
  expect(budget.bytes()).toBe(0)
})
