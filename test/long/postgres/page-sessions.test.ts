import { expect, it, onTestFinished } from 'vitest'
import type { PageSession } from '../../../src/domain/nodes/page-session.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { NOON } from '../../support/builders.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const LIMITS = { sessions: 5, sessionsOfPerson: 3, startedSince: 0, usedSince: 0 }

describePostgres('sessions of the pages on PostgreSQL', (server) => {
  async function open() {
    const store = await openPostgresStore({ ...postgresOptions(), url: await server.createDatabase() })
    onTestFinished(() => store.close())
    if (store.pageSessions === undefined) throw new Error('it keeps no sessions')
    return store.pageSessions
  }

  function aSession(key: string, changes: Partial<PageSession> = {}): PageSession {
    const times = { startedAt: NOON, usedAt: NOON }
    return { key, personId: 'ana', proof: 'proof', certificate: null, ...times, grant: null, ...changes }
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

  const GRANT = { sid: 'sid', sealed: 'first', version: 1, askedAt: NOON }

  it('have what the provider granted, which one node at a time renews', async () => {
    const sessions = await open()
    const kept = aSession('a', { grant: GRANT })
    await sessions.keepSession(kept, LIMITS)
    expect(await sessions.getSession('a')).toEqual(kept)
    expect(await sessions.listGrants()).toEqual([{ key: 'a', version: 1, askedAt: NOON }])
    const claimAt = (at: number) => sessions.claimGrant('a', { at, before: at - 30, after: at + 30 })
    expect(await claimAt(NOON + 29)).toEqual({ isClaimed: false, grant: GRANT })
    const claims = await Promise.all([claimAt(NOON + 30), claimAt(NOON + 30)])
    expect(claims.map((claim) => claim?.isClaimed).toSorted()).toEqual([false, true])
    // A clock that was set back.
    expect(await claimAt(NOON - 1)).toMatchObject({ isClaimed: true })
    expect(await sessions.keepGrant('a', { sealed: 'second', version: 1 })).toBe(true)
    expect(await sessions.keepGrant('a', { sealed: 'third', version: 1 })).toBe(false)
    const renewed = { sid: 'sid', sealed: 'second', version: 2, askedAt: NOON - 1 }
    expect((await sessions.getSession('a'))?.grant).toEqual(renewed)
    await sessions.endSession('a')
    expect([await sessions.listGrants(), await claimAt(NOON + 90)]).toEqual([[], null])
    expect(await sessions.keepGrant('a', { sealed: 'fourth', version: 2 })).toBe(false)
  })

  it('of a provider end by its logout tokens, each of which counts once', async () => {
    const sessions = await open()
    const once = (hash: string, at = NOON) => ({ hash, at, until: at + 60 })
    const keep = (key: string, personId: string, sid: string | null) =>
      sessions.keepSession(aSession(key, { personId, grant: { ...GRANT, sid } }), LIMITS)
    await keep('a', 'ana', 'one')
    await keep('b', 'ana', 'two')
    await keep('c', 'rui', 'three')
    await sessions.keepSession(aSession('client', { personId: 'rui' }), LIMITS)
    expect(await sessions.endGrants({ personId: 'rui', sid: 'one' }, once('1'))).toBe(0)
    expect(await sessions.endGrants({ personId: null, sid: 'two' }, once('2'))).toBe(1)
    expect(await sessions.endGrants({ personId: null, sid: 'one' }, once('2'))).toBeNull()
    expect(await sessions.endGrants({ personId: null, sid: null }, once('3'))).toBe(0)
    expect(await sessions.endGrants({ personId: 'rui', sid: null }, once('4'))).toBe(1)
    expect((await sessions.listSessionKeys()).toSorted()).toEqual(['a', 'client'])
    expect(await Promise.all([sessions.takeOnce(once('5')), sessions.takeOnce(once('5'))])).toEqual([true, false])
    expect(await sessions.takeOnce(once('5', NOON + 60))).toBe(true)
  })
})
