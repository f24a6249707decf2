import type { Realm } from '../../../domain/realm.ts'
import type { TokenRow } from '../../storing/token-jobs.ts'
import type { WriterSql } from '../database/sql.ts'

export interface StoredToken {
  readonly id: number
  readonly environment: Realm
  readonly token: string
  readonly version: number
  readonly callback_id: number | null
  readonly waiting_since: number
  readonly attempts: number
  readonly next_attempt_at: number | null
  readonly last_error: string | null
  readonly is_unresolved: boolean
  readonly entries_through: number
  readonly entries_beyond: string
  readonly last_seen_at: number
}

export function tokenOfRow(row: StoredToken): TokenRow {
  return {
    id: row.id,
    environment: row.environment,
    token: row.token,
    version: row.version,
    callbackId: row.callback_id,
    waitingSince: row.waiting_since,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    lastError: row.last_error,
    isUnresolved: row.is_unresolved,
    entries: { through: row.entries_through, beyond: JSON.parse(row.entries_beyond) as number[] },
    lastSeenAt: row.last_seen_at,
  }
}

/** Inserts or replaces the row. */
export function writeToken(sql: WriterSql, { entries, ...row }: TokenRow): void {
  sql.send(
    `insert into notification_tokens (id, environment, token, version, callback_id, waiting_since, attempts, next_attempt_at, last_error, is_unresolved,
      entries_through, entries_beyond, last_seen_at)
    values (:id, :environment, :token, :version, :callbackId, at_ms(:waitingSince), :attempts, at_ms(:nextAttemptAt), :lastError, :isUnresolved,
      :through, :beyond, at_ms(:lastSeenAt))
    on conflict (id) do update set version = excluded.version, callback_id = excluded.callback_id, waiting_since = excluded.waiting_since,
      attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error,
      is_unresolved = excluded.is_unresolved, entries_through = excluded.entries_through, entries_beyond = excluded.entries_beyond,
      last_seen_at = excluded.last_seen_at`,
    { ...row, through: entries.through, beyond: JSON.stringify(entries.beyond) },
  )
}

/** Removes the oldest tokens that came last before `before`, those whose callback has no event excepted. */
export function forgetTokens(sql: WriterSql, before: number, limit: number): void {
  sql.send(
    `delete from notification_tokens where id in (
      select id from notification_tokens t
      where next_attempt_at is null and last_seen_at < at_ms(:before)
        and (callback_id is null or exists (select from events e where e.callback_id = t.callback_id))
      order by last_seen_at limit :limit)`,
    { before, limit },
  )
}
