import type { PageSession, PageSessionLimits } from '../../domain/nodes/page-session.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

export async function keepSession(
  _parts: unknown,
  { sql }: Transaction,
  session: PageSession,
  limits: PageSessionLimits,
): Promise<void> {
  await sql.run(
    `insert into page_sessions (key, person_id, proof, certificate, started_at, used_at)
    values (:key, :personId, :proof, :certificate, at_ms(:startedAt), at_ms(:usedAt))`,
    { ...session },
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

export async function getSession(sql: Sql, key: string): Promise<PageSession | null> {
  const session = await sql.get<PageSession>(
    `select key, person_id as "personId", proof, certificate, started_at as "startedAt", used_at as "usedAt"
    from page_sessions where key = :key`,
    { key },
  )
  return session ?? null
}

export async function listSessionKeys(sql: Sql): Promise<string[]> {
  return (await sql.all<{ key: string }>('select key from page_sessions')).map(({ key }) => key)
}
