import { expect, it, onTestFinished } from 'vitest'
import { startAuthorityRunner } from '../../src/jobs/authority-runner.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'

function start(task: () => Promise<{ what: string; until: number } | null>, isClockPlausible = () => true) {
  const lines: LogLine[] = []
  const runner = startAuthorityRunner({ tasks: () => [task], isClockPlausible, log: recordingLog(lines) })
  onTestFinished(() => runner.stop())
  return { runner, lines }
}

it('logs what was renewed, and a problem once until it changes', async () => {
  const answers: (string | null)[] = ['the disk is full', 'the disk is full', 'no key', null, 'the disk is full']
  const { runner, lines } = start(async () => {
    const problem = answers.shift()
    if (problem === undefined) return { what: 'gateway.pem', until: 0 }
    if (problem !== null) throw new Error(problem)
    return null
  })
  for (let round = 0; round < 5; round++) await runner.run()
  expect(lines.map(({ event, problem, what }) => [event, problem ?? what])).toEqual([
    ['authority.not_renewed', 'the disk is full'],
    ['authority.not_renewed', 'no key'],
    ['authority.not_renewed', 'the disk is full'],
    ['authority.renewed', 'gateway.pem'],
  ])
})

it('renews nothing under an implausible clock, nor after its stop', async () => {
  let rounds = 0
  let isPlausible = false
  const count = async () => {
    rounds++
    return null
  }
  const { runner } = start(count, () => isPlausible)
  await runner.run()
  expect(rounds).toBe(0)
  isPlausible = true
  await runner.run()
  expect(rounds).toBe(1)
  await runner.stop()
  await runner.run()
  expect(rounds).toBe(1)
})
