import { expect, it, onTestFinished } from 'vitest'
import type { Person } from '../../src/pages/frame/person.ts'
import { ABSOLUTE_END_MS, createSessions } from '../../src/pages/frame/sessions.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'

const IDLE_END_MS = 1_800_000

function start() {
  const lines: LogLine[] = []
  const clock = { time: 1_000_000 }
  const sessions = createSessions({ idleEndMs: IDLE_END_MS, now: () => clock.time, log: recordingLog(lines) })
  onTestFinished(sessions.close)
  return { sessions, clock, lines }
}

function personOf(id: string, principal: Person['principal'] = () => ({ kind: 'operator' })): Person {
  return { id, name: id, environment: 'any', token: `token-of-${id}`, credential: '1', principal }
}

it('a session ends when nothing was done for the idle time, and use postpones that', () => {
  const { sessions, clock, lines } = start()
  const id = sessions.start(personOf('ana'), null)
  clock.time += IDLE_END_MS - 1
  const session = sessions.find(id, null, true)
  clock.time += IDLE_END_MS - 1
  expect(sessions.find(id, null, false)).toBe(session)
  clock.time += 1
  expect(sessions.find(id, null, true)).toBeNull()
  expect(session?.ended.aborted).toBe(true)
  expect(lines.at(-1)).toMatchObject({ event: 'session.ended', client: 'ana', reason: 'idle' })
})

it('a session ends 12 hours after the sign-in, however much it is used, and when the clock is set back', () => {
  const { sessions, clock } = start()
  const [id, other] = [sessions.start(personOf('ana'), null), sessions.start(personOf('rui'), null)]
  for (let used = 0; used < ABSOLUTE_END_MS - IDLE_END_MS; used += IDLE_END_MS / 2) {
    clock.time += IDLE_END_MS / 2
    expect(sessions.find(id, null, true)).not.toBeNull()
  }
  clock.time = 1_000_000 + ABSOLUTE_END_MS
  expect(sessions.find(id, null, true)).toBeNull()
  clock.time = 999_999
  expect(sessions.find(other, null, true)).toBeNull()
})

it('a session ends with the rights of its person', () => {
  const { sessions } = start()
  let rights: ReturnType<Person['principal']> = { kind: 'operator' }
  const id = sessions.start(
    personOf('ana', () => rights),
    null,
  )
  expect(sessions.find(id, null, true)?.person.id).toBe('ana')
  rights = null
  expect(sessions.find(id, null, true)).toBeNull()
})

it('a session that began with a client certificate works only with it, and others not with one', () => {
  const { sessions } = start()
  const [bound, unbound] = [sessions.start(personOf('ana'), 'thumbprint'), sessions.start(personOf('ana'), null)]
  expect(sessions.find(bound, 'thumbprint', true)).not.toBeNull()
  expect(sessions.find(bound, null, true)).toBeNull()
  expect(sessions.find(unbound, 'thumbprint', true)).toBeNull()
})

it('a person has 20 sessions, and the gateway 1,000: the least recently used one makes room', () => {
  const { sessions } = start()
  const own = Array.from({ length: 20 }, () => sessions.start(personOf('ana'), null))
  sessions.find(own[0] as string, null, true)
  sessions.start(personOf('ana'), null)
  expect(own.map((id) => sessions.find(id, null, false) !== null)).toEqual(own.map((_, index) => index !== 1))
  for (let n = 0; n < 1000; n++) sessions.start(personOf(`person-${n}`), null)
  expect(own.filter((id) => sessions.find(id, null, false) !== null)).toEqual([])
})
