import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { PageSession } from '../../../src/domain/nodes/page-session.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { optionsFor } from '../../store/contract/on-sqlite.ts'
import { NOON } from '../../support/builders.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../../support/postgres.ts'

const LIMITS = { sessions: 5, sessionsOfPerson: 3, startedSince: 0, usedSince: 0 }

describe.skipIf(postgresPrograms() === null)('sessions of the pages on PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function open() {
    const { file: _file, ...options } = optionsFor()
    const store = await openPostgresStore({ ...options, url: await server.createDatabase() })
    onTestFinished(() => store.close())
    if (store.pageSessions === undefined) throw new Error('it keeps no sessions')
    return store.pageSessions
  }

  function aSession(key: string, changes: Partial<PageSession> = {}): PageSession {
    return { key, personId: 'ana', proof: 'proof', certificate: null, startedAt: NOON, usedAt: NOON, ...changes }
  }

  it('are as they were kept, but for their last use', async () => {
    const sessions = await open()
    const kept = aSession('a', { certificate: 'thumbprint' })
    await sessions.keepSession(kept, LIMITS)
    expect(await sessions.getSession('a')).toEqual(kept)
    await sessions.useSession('a', NOON + 5)
    await sessions.useSession('a', NOON + 2)
    expect(await sessions.getSession('a')).toEqual({ ...kept, usedAt: NOON + 5 })
    await sessions.endSession('a')
    expect(await sessions.getSession('a')).toBeNull()
  })

  it('end beyond the limits, the least recently used first, and when they are over', async () => {
    const sessions = await open()
    const keep = (key: string, usedAt: number, personId: string, limits = LIMITS) =>
      sessions.keepSession(aSession(key, { personId, startedAt: usedAt, usedAt }), limits)
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) await keep(key, NOON + index, 'ana')
    expect((await sessions.listSessionKeys()).toSorted()).toEqual(['b', 'c', 'd'])
    for (const [index, key] of ['e', 'f', 'g'].entries()) await keep(key, NOON + 10 + index, 'rui')
    expect((await sessions.listSessionKeys()).toSorted()).toEqual(['c', 'd', 'e', 'f', 'g'])
    await keep('h', NOON + 20, 'eva', { ...LIMITS, usedSince: NOON + 11 })
    expect((await sessions.listSessionKeys()).toSorted()).toEqual(['f', 'g', 'h'])
    await keep('i', NOON + 21, 'eva', { ...LIMITS, startedSince: NOON + 20 })
    expect((await sessions.listSessionKeys()).toSorted()).toEqual(['h', 'i'])
  })
})
