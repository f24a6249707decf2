import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './support/temporary-folder.ts'
import { createClock } from '../src/clock.ts'
import { openRecords } from '../src/records.ts'
import { createTasks } from '../src/tasks.ts'

const START = Date.parse('2026-03-02T12:00:00Z')
const MINUTE = 60_000

function setUp(file: string | null = null) {
  const records = openRecords(file)
  const clock = createClock(() => START)
  const failures: unknown[] = []
  const tasks = createTasks(records, clock, (error) => failures.push(error))
  onTestFinished(async () => {
    await tasks.stop()
    records.close()
  })
  return { records, clock, tasks, failures }
}

it('tasks run in the order of their times, each at its own, when the clock is moved over them', async () => {
  const { clock, tasks } = setUp()
  const seen: [string, number][] = []
  tasks.define<string>('note', (name) => void seen.push([name, (clock.now() - START) / MINUTE]))
  tasks.schedule('note', START + 30 * MINUTE, 'second')
  tasks.schedule('note', START + 10 * MINUTE, 'first')
  tasks.schedule('note', START + 90 * MINUTE, 'later')
  tasks.start()
  await tasks.moveTo(START + 60 * MINUTE, false)
  expect(seen).toEqual([
    ['first', 10],
    ['second', 30],
  ])
  expect([clock.now(), clock.isFrozen]).toEqual([START + 60 * MINUTE, false])
})

it('a task that another one schedules on the way runs at its time too', async () => {
  const { clock, tasks } = setUp()
  const seen: number[] = []
  tasks.define<number>('again', (left) => {
    seen.push((clock.now() - START) / MINUTE)
    if (left > 0) tasks.schedule('again', clock.now() + 20 * MINUTE, left - 1)
  })
  tasks.schedule('again', START + 20 * MINUTE, 5)
  tasks.start()
  await tasks.moveTo(START + 60 * MINUTE, true)
  expect([seen, clock.isFrozen]).toEqual([[20, 40, 60], true])
})

it('the clock waits for a task before it goes on to the next', async () => {
  const { clock, tasks } = setUp()
  const seen: string[] = []
  tasks.define<string>('slow', async (name) => {
    seen.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(`${name} ends at ${(clock.now() - START) / MINUTE}`)
  })
  tasks.schedule('slow', START + 1 * MINUTE, 'one')
  tasks.schedule('slow', START + 2 * MINUTE, 'two')
  tasks.start()
  await tasks.moveTo(START + 5 * MINUTE, true)
  expect(seen).toEqual(['one begins', 'one ends at 1', 'two begins', 'two ends at 2'])
})

it('moves that are asked for at the same time follow each other, and the clock goes on afterwards', async () => {
  const { clock, tasks } = setUp()
  tasks.define<null>('slow', () => new Promise((resolve) => setImmediate(resolve)))
  for (const minute of [1, 7]) tasks.schedule('slow', START + minute * MINUTE, null)
  tasks.start()
  const first = tasks.moveBy(5 * MINUTE)
  // Now the first move is on its way.
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([first, tasks.moveBy(5 * MINUTE), tasks.moveTo(undefined, undefined)])
  expect([clock.now(), clock.isFrozen]).toEqual([START + 10 * MINUTE, false])
})

it('what is due runs at once, a failure is reported, and a canceled task never runs', async () => {
  const { tasks, failures } = setUp()
  const seen: string[] = []
  tasks.define<string>('note', (name) => void seen.push(name))
  tasks.define('fail', () => Promise.reject(new Error('broken')))
  tasks.start()
  tasks.schedule('note', START - 1, 'overdue')
  tasks.schedule('fail', START, null)
  tasks.cancel(tasks.schedule('note', START + 1, 'canceled'))
  await tasks.settled()
  await tasks.moveTo(START + MINUTE, true)
  expect([seen, failures]).toEqual([['overdue'], [new Error('broken')]])
})

it('a task that the stop interrupted runs again after the next start', async () => {
  const file = `${temporaryFolder()}/simulator.db`
  const first = setUp(file)
  first.tasks.define('call', (_payload, signal) => new Promise((_resolve, reject) => (signal.onabort = reject)))
  first.tasks.schedule('call', START, 'kept')
  first.tasks.start()
  // In the next turn the task has begun.
  await Promise.resolve()
  await first.tasks.stop()
  first.records.close()

  const second = setUp(file)
  const seen: unknown[] = []
  second.tasks.define('call', (payload) => void seen.push(payload))
  second.tasks.start()
  await second.tasks.settled()
  expect([seen, second.records.dump()]).toEqual([['kept'], {}])
})
