/**
 * The jobs of tokens, which wait while `next_attempt_at` is set. A token has one row, which keeps the entries that became events for as long as the
 * service can be asked for them. Its callback has no event until the job is settled; retention leaves it alone until then.
 */

import type { NewCallback } from '../../../domain/event.ts'
import type { Realm } from '../../../domain/realm.ts'
import { type EntryIds, hasEntry, withEntries } from '../../../domain/service/entry-ids.ts'
import type { SettledToken, TokenEntry, TokenOutcome } from '../../../domain/service/notification-token.ts'
import type { Connection } from '../database/connection.ts'

/** Inside the transaction. */
export interface NotificationTokens {
  /**
   * Joins the waiting job of the token, or opens one. @param storeCallback stores the callback, and returns its number
   * @returns the number of its callback; null: it joined
   */
  open(
    callback: NewCallback,
    token: string,
    storeCallback: () => number,
  ): { tokenId: number; callbackId: number | null }
  /** null: the job is done already, or the token is unknown. */
  findWaiting(tokenId: number): WaitingJob | null
  /** Stores the job's state. Returns when to ask again; null: the job is done. */
  settle(job: WaitingJob, outcome: TokenOutcome, added: readonly TokenEntry[]): SettledToken['nextAttemptAt']
}

export interface WaitingJob {
  readonly id: number
  readonly environment: Realm
  readonly token: string
  readonly version: number
  readonly callbackId: number
  readonly attempts: number
  readonly isUnresolved: boolean
  readonly entries: EntryIds
}

interface TokenRow {
  readonly id: number
  readonly environment: Realm
  readonly token: string
  readonly version: number
  readonly callback_id: number | null
  readonly attempts: number
  readonly next_attempt_at: number | null
  readonly is_unresolved: number
  readonly entries_through: number
  readonly entries_beyond: string
}

/** The service answers for six months. */
const FORGOTTEN_AFTER_MS = 400 * 86_400_000
/** Each settled job removes up to this many forgotten tokens, so no pass over all of them is needed. */
const FORGOTTEN_AT_ONCE = 2

export function createNotificationTokens(db: Connection): NotificationTokens {
  const statements = prepareStatements(db)

  /** A callback whose wait ended without an event only says that its token came: the new callback says that, too. */
  function replaceCallback({ id, callback_id: before }: TokenRow, callbackId: number, at: number): void {
    if (before !== null && statements.hasEvent.get(before) === undefined) statements.removeCallback.run(before)
    statements.wait.run({ id, callbackId, at })
  }

  return {
    open({ environment, receivedAt: at }, token, storeCallback) {
      const row = statements.find.get(environment, token)
      if (row === undefined) {
        const callbackId = storeCallback()
        const { lastInsertRowid } = statements.insert.run({ environment, token, callbackId, at })
        return { tokenId: Number(lastInsertRowid), callbackId }
      }
      if (row.next_attempt_at !== null) {
        statements.join.run({ id: row.id, at })
        return { tokenId: row.id, callbackId: null }
      }
      const callbackId = storeCallback()
      replaceCallback(row, callbackId, at)
      return { tokenId: row.id, callbackId }
    },

    findWaiting(tokenId) {
      const row = statements.get.get(tokenId)
      if (row === undefined || row.next_attempt_at === null || row.callback_id === null) return null
      const { id, environment, token, version, attempts } = row
      const entries = { through: row.entries_through, beyond: JSON.parse(row.entries_beyond) as number[] }
      const isUnresolved = row.is_unresolved === 1
      return { id, environment, token, version, callbackId: row.callback_id, attempts, isUnresolved, entries }
    },

    settle(job, outcome, added) {
      const { at, error } = outcome
      // The answer may be older than the callback that joined: ask again now.
      const isOutdated = job.version > outcome.version && error === null
      const nextAttemptAt = isOutdated ? at : nextAttemptOf(job, outcome, added.length > 0)
      const { through, beyond } = withEntries(
        job.entries,
        added.map(({ entryId }) => entryId),
      )
      statements.settle.run({
        id: job.id,
        nextAttemptAt,
        error,
        through,
        beyond: JSON.stringify(beyond),
        attempts: isOutdated ? 0 : job.attempts + (added.length === 0 ? 1 : 0),
        isUnresolved: job.isUnresolved || outcome.isUnresolved ? 1 : 0,
      })
      if (nextAttemptAt === null) statements.forget.run(at - FORGOTTEN_AFTER_MS)
      return nextAttemptAt
    },
  }
}

/** null: the job is done. */
function nextAttemptOf({ version }: WaitingJob, outcome: TokenOutcome, isAnyNew: boolean): number | null {
  if (version > outcome.version) return outcome.nextAttemptAt ?? outcome.at
  return outcome.endsWithNewEntry && isAnyNew ? null : outcome.nextAttemptAt
}

/** Entries that are not events yet, each once, in ascending order. */
export function newEntries(job: WaitingJob, entries: readonly TokenEntry[]): TokenEntry[] {
  const fresh = new Map<number, TokenEntry>()
  for (const entry of entries)
    if (!hasEntry(job.entries, entry.entryId) && !fresh.has(entry.entryId)) fresh.set(entry.entryId, entry)
  return [...fresh.values()].sort((a, b) => a.entryId - b.entryId)
}

function prepareStatements(db: Connection) {
  return {
    find: db.prepare<[string, string], TokenRow>(
      'select * from notification_tokens where environment = ? and token = ?',
    ),
    get: db.prepare<[number], TokenRow>('select * from notification_tokens where id = ?'),
    insert: db.prepare(`
      insert into notification_tokens (environment, token, callback_id, waiting_since, next_attempt_at, last_seen_at)
      values (:environment, :token, :callbackId, :at, :at, :at)`),
    // A callback announces an entry. Only after a failure do the attempts count on, so that the waits stay long while the service fails, and
    // callbacks of a token that the service does not know lead to one query a minute.
    join: db.prepare(`
      update notification_tokens set version = version + 1, attempts = iif(last_error is null, 0, attempts),
        next_attempt_at = min(next_attempt_at, iif(last_error is null, :at, :at + 60000)), last_seen_at = max(last_seen_at, :at)
      where id = :id`),
    wait: db.prepare(`
      update notification_tokens set version = version + 1, callback_id = :callbackId, waiting_since = :at, attempts = 0, next_attempt_at = :at,
        last_error = null, is_unresolved = 0, last_seen_at = max(last_seen_at, :at)
      where id = :id`),
    settle: db.prepare(`
      update notification_tokens set attempts = :attempts, next_attempt_at = :nextAttemptAt, last_error = :error, is_unresolved = :isUnresolved,
        entries_through = :through, entries_beyond = :beyond
      where id = :id`),
    // A callback with a token is stored without an event, so its events are in the index.
    hasEvent: db.prepare<[number], unknown>('select 1 from events where callback_id = ? and is_single is null limit 1'),
    removeCallback: db.prepare<[number]>('delete from callbacks where id = ?'),
    // One whose callback has no event stays until retention has removed the callback, which belongs to nothing else.
    forget: db.prepare<[number]>(`
      delete from notification_tokens where id in (
        select id from notification_tokens t indexed by notification_tokens_done
        where next_attempt_at is null and last_seen_at < ?
          and (callback_id is null or exists (select 1 from events e where e.callback_id = t.callback_id and e.is_single is null))
        order by last_seen_at limit ${FORGOTTEN_AT_ONCE})`),
  }
}
