import type { TokenRow } from '../../storing/token-jobs.ts'
import type { WriterSql } from '../database/sql.ts'

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
