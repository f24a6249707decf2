import { expect, it, onTestFinished } from 'vitest'
import type { PageSession } from '../../src/domain/nodes/page-session.ts'
import type { Person } from '../../src/pages/frame/person.ts'
import { createSessions } from '../../src/pages/frame/sessions.ts'
import { type SharedSessionsOptions, shareSessions } from '../../src/pages/frame/shared-sessions.ts'
import { recordingLog } from '../support/gateway.ts'

const IDLE_END_MS = 1_800_000

/** Nodes that share a store in memory. The clock of each may differ from the others. */
function startNodes() {
  const kept = new Map<string, PageSession>()
  const clock = { time: 10_000_000 }
  const credentials = new Map([['ana', 'first']])
  /** Of the next searches for a person. */
  const delays: Promise<void>[] = []
  const store: SharedSessionsOptions['shared'] = {
    async keepSession(session) {
      kept.set(session.key, session)
    },
    async useSession(key, usedAt) {
      kept.set(key, { ...(kept.get(key) as PageSession), usedAt })
    },
    async endSession(key) {
      kept.delete(key)
    },
    getSession: async (key) => kept.get(key) ?? null,
    listSessionKeys: async () => [...kept.keys()],
  }
  const personOf = (id: string): Person => {
    const credential = credentials.get(id) ?? ''
    return { id, name: id, environment: 'any', token: 't', credential, principal: () => ({ kind: 'operator' }) }
  }
  const start = (offsetMs = 0) => {
    const options = { idleEndMs: IDLE_END_MS, now: () => clock.time + offsetMs, log: recordingLog([]) }
    const local = createSessions(options)
    onTestFinished(local.close)
    const find = async (id: string) => {
      await delays.shift()
      return credentials.has(id) ? personOf(id) : null
    }
    return shareSessions({ ...options, local, shared: store, identities: { find } })
  }
  return { start, clock, credentials, delays, personOf, kept }
}

it('a session that one node begins is one on another, whose clock differs a little, until either ends it', async () => {
  const { start, personOf } = startNodes()
  const [one, other] = [start(), start(-900)]
  const id = await one.start(personOf('ana'), null)
  const session = await other.find(id, null, true)
  expect(session?.person.id).toBe('ana')
  expect(session?.formToken).toBe((await one.find(id, null, true))?.formToken)
  await other.end(id)
  expect(await one.find(id, null, true)).toBeNull()
})

it('it is bound to its certificate and to the credential of the sign-in on every node', async () => {
  const { start, personOf, credentials } = startNodes()
  const [one, other, third] = [start(), start(), start()]
  const id = await one.start(personOf('ana'), 'thumbprint')
  expect(await other.find(id, null, true)).toBeNull()
  expect(await other.find(id, 'thumbprint', true)).not.toBeNull()
  credentials.set('ana', 'second')
  expect(await third.find(id, 'thumbprint', true)).toBeNull()
  credentials.delete('ana')
  expect(await third.find(id, 'thumbprint', true)).toBeNull()
})

it('use on one node postpones the idle end on all', async () => {
  const { start, clock, personOf } = startNodes()
  const [one, other] = [start(), start()]
  const id = await one.start(personOf('ana'), null)
  expect(await other.find(id, null, false)).not.toBeNull()
  clock.time += IDLE_END_MS - 1000
  expect(await one.find(id, null, true)).not.toBeNull()
  clock.time += IDLE_END_MS - 1000
  expect(await other.find(id, null, false)).not.toBeNull()
  clock.time += 1000
  expect(await other.find(id, null, false)).toBeNull()
  expect(await start().find(id, null, true)).toBeNull()
})

it('an answer that is being sent ends when another node has ended its session', async () => {
  const { start, personOf } = startNodes()
  const [one, other] = [start(), start()]
  const ids = [await one.start(personOf('ana'), null), await one.start(personOf('ana'), null)] as const
  const [ended, left] = [await one.find(ids[0], null, true), await one.find(ids[1], null, true)]
  await other.end(ids[0])
  await one.refresh?.()
  expect(ended?.ended.aborted).toBe(true)
  expect(left?.ended.aborted).toBe(false)
})

it('two requests that bring a session to a node at the same time get one session', async () => {
  const { start, personOf, delays } = startNodes()
  const [one, other] = [start(), start()]
  const id = await one.start(personOf('ana'), null)
  const { promise, resolve } = Promise.withResolvers<void>()
  delays.push(promise)
  const late = other.find(id, null, false)
  const first = await other.find(id, null, false)
  resolve()
  const second = await late
  await other.end(id)
  expect([first?.ended.aborted, second?.ended.aborted]).toEqual([true, true])
})
