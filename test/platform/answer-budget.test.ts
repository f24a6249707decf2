import { expect, it } from 'vitest'
import { createAnswerBudget } from '../../src/platform/answer-budget.ts'

/** Room for 100 bytes, of which a reader has 50; a connection is stalled after 2 s. */
function aBudget() {
  let time = 0
  const cuts: string[] = []
  const budget = createAnswerBudget({ limitBytes: 100, now: () => time })
  return {
    budget,
    cuts,
    connection: (name: string) => budget.open(name.charAt(0), () => void cuts.push(name)),
    passes: (seconds: number) => (time += seconds * 1000),
  }
}

it('a reader has half of the room, the others the rest', () => {
  const { budget, connection } = aBudget()
  connection('a1').add(50)
  expect([budget.hasRoom('a', 1), budget.hasRoom('b', 50)]).toEqual([false, true])
  connection('b1').add(50)
  expect([budget.hasRoom('b', 1), budget.hasRoom('c', 1), budget.bytes()]).toEqual([false, false, 100])
})

it('what is read makes room, and so does a connection that closes', () => {
  const { budget, connection } = aBudget()
  const [one, two] = [connection('a1'), connection('a2')]
  one.add(25)
  two.add(25)
  one.taken(10)
  expect([budget.hasRoom('a', 10), budget.hasRoom('a', 11)]).toEqual([true, false])
  two.close()
  expect([budget.hasRoom('a', 35), budget.hasRoom('a', 36), budget.bytes()]).toEqual([true, false, 15])
})

it('the connection that took nothing for the longest time makes room, after 2 s', () => {
  const { budget, cuts, connection, passes } = aBudget()
  const [one, two] = [connection('a1'), connection('a2')]
  one.add(20)
  two.add(20)
  passes(1.9)
  expect([budget.hasRoom('a', 20), cuts]).toEqual([false, []])
  one.taken(1)
  passes(0.1)
  expect([budget.hasRoom('a', 20), cuts, budget.bytes()]).toEqual([true, ['a2'], 19])
})

it('a reader with too much loses its own connections, and others keep theirs', () => {
  const { budget, cuts, connection, passes } = aBudget()
  connection('b1').add(40)
  connection('a1').add(50)
  passes(5)
  expect([budget.hasRoom('a', 10), cuts]).toEqual([true, ['a1']])
})

it('bytes that find no room cut their own connection', () => {
  const { budget, cuts, connection } = aBudget()
  connection('a1').add(45)
  connection('a2').add(10)
  expect([cuts, budget.bytes()]).toEqual([['a2'], 45])
})

it('one answer of any size may wait alone', () => {
  const { budget, cuts, connection } = aBudget()
  connection('a1').add(1000)
  expect([cuts, budget.hasRoom('b', 1), budget.bytes()]).toEqual([[], false, 1000])
})

it('more is never taken than waits', () => {
  const { budget, connection } = aBudget()
  const one = connection('a1')
  one.add(10)
  one.taken(30)
  one.close()
  expect(budget.bytes()).toBe(0)
})
