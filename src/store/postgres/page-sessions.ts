import type {
  OnceUsed,
  PageSession,
  PageSessionLimits,
  PageSessionStore,
  PageSessionWrites,
  TeamGrant,
} from '../../domain/nodes/page-session.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

export async function keepSession(
  _parts: unknown,
  { sql }: Transaction,
  { grant, ...session }: PageSession,
  limits: PageSessionLimits,
): Promise<void> {
  await sql.run(
    `insert into page_sessions (key, person_id, proof, certificate, started_at, used_at)
    values (:key, :personId, :proof, :certificate, at_ms(:startedAt), at_ms(:usedAt))`,
    { ...session },
  )
  if (grant !== null)
    await sql.run(
      `insert into team_sessions (key, sid, sealed, version, asked_at)
      values (:key, :sid, :sealed, :version, at_ms(:askedAt))`,
      { ...grant, key: session.key },
    )
  await sql.run('delete from page_sessions where started_at < at_ms(:startedSince) or used_at < at_ms(:usedSince)', {
    ...limits,
  })
  await sql.run(
    `delete from page_sessions where key in (
      select key from page_sessions where person_id = :personId order by used_at desc, key offset :sessionsOfPerson)
    or key in (select key from page_sessions order by used_at desc, key offset :sessions)`,
    { ...limits, personId: session.personId },
  )
}

export async function useSession(_parts: unknown, { sql }: Transaction, key: string, at: number): Promise<void> {
  await sql.run('update page_sessions set used_at = greatest(used_at, at_ms(:at)) where key = :key', { key, at })
}

export async function endSession(_parts: unknown, { sql }: Transaction, key: string): Promise<void> {
  await sql.run('delete from page_sessions where key = :key', { key })
}

type Write<M extends keyof PageSessionWrites> = (
  parts: unknown,
  transaction: Transaction,
  ...args: Parameters<PageSessionWrites[M]>
) => ReturnType<PageSessionWrites[M]>

export const claimGrant: Write<'claimGrant'> = async (_parts, { sql }, key, times) => {
  const claimed = await sql.run(
    `update team_sessions set asked_at = at_ms(:at)
    where key = :key and (asked_at <= at_ms(:before) or asked_at >= at_ms(:after))`,
    { key, ...times },
  )
  const grant = await sql.get<TeamGrant>(
    'select sid, sealed, version, asked_at as "askedAt" from team_sessions where key = :key',
    { key },
  )
  return grant === undefined ? null : { isClaimed: claimed > 0, grant }
}

export const keepGrant: Write<'keepGrant'> = async (_parts, { sql }, key, { sealed, version }) => {
  const kept = await sql.run(
    'update team_sessions set sealed = :sealed, version = version + 1 where key = :key and version = :version',
    { key, sealed, version },
  )
  return kept > 0
}

export const endGrants: Write<'endGrants'> = async (parts, transaction, { personId, sid }, once) => {
  if (!(await takeOnce(parts, transaction, once))) return null
  if (personId === null && sid === null) return 0
  return transaction.sql.run(
    `delete from page_sessions using team_sessions
    where team_sessions.key = page_sessions.key
      and (:personId::text is null or person_id = :personId) and (:sid::text is null or sid = :sid)`,
    { personId, sid },
  )
}

export async function takeOnce(_parts: unknown, { sql }: Transaction, once: OnceUsed): Promise<boolean> {
  const { hash, at, until } = once
  await sql.run('delete from used_once where until <= at_ms(:at)', { at })
  const taken = await sql.run(
    'insert into used_once (hash, until) values (:hash, at_ms(:until)) on conflict (hash) do nothing',
    { hash, until },
  )
  return taken > 0
}

export async function getSession(sql: Sql, key: string): Promise<PageSession | null> {
  const found = await sql.get<Omit<PageSession, 'grant'> & Nullable<TeamGrant>>(
    `select key, person_id as "personId", proof, certificate, started_at as "startedAt", used_at as "usedAt",
      sid, sealed, version, asked_at as "askedAt"
    from page_sessions left join team_sessions using (key) where key = :key`,
    { key },
  )
  if (found === undefined) return null
  const { sid, sealed, version, askedAt, ...session } = found
  const isGranted = sealed !== null && version !== null && askedAt !== null
  return { ...session, grant: isGranted ? { sid, sealed, version, askedAt } : null }
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null }

export async function listSessionKeys(sql: Sql): Promise<string[]> {
  return (await sql.all<{ key: string }>('select key from page_sessions')).map(({ key }) => key)
}

export function listGrants(sql: Sql): ReturnType<PageSessionStore['listGrants']> {
  return sql.all('select key, version, asked_at as "askedAt" from team_sessions')
}
