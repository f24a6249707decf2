import type { Realm } from '../../domain/realm.ts'
import type { TokenRow } from './token-jobs.ts'

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
  readonly is_unresolved: boolean | number
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
    isUnresolved: Boolean(row.is_unresolved),
    entries: { through: row.entries_through, beyond: JSON.parse(row.entries_beyond) as number[] },
    lastSeenAt: row.last_seen_at,
  }
}
