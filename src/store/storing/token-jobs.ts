/**
 * The jobs of tokens, which wait while `nextAttemptAt` is set. A token has one row, which keeps the entries that became events for as long as the
 * service can be asked for them. Its callback has no event until the job is settled; retention leaves it alone until then.
 */

import type { NewCallback } from '../../domain/event.ts'
import type { Realm } from '../../domain/realm.ts'
import { type EntryIds, hasEntry, withEntries } from '../../domain/service/entry-ids.ts'
import type { SettledToken, TokenEntry, TokenOutcome } from '../../domain/service/notification-token.ts'

/** Inside the transaction. */
export interface TokenJobs {
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
  /** Whether this entry of a token that callbacks have brought is an event. */
  hasEntry(environment: Realm, token: string, entryId: number): boolean
  /** They are events from now on. */
  addEntries(environment: Realm, token: string, entryIds: readonly number[]): void
}

/** A token that callbacks have brought. */
export interface TokenRow {
  readonly id: number
  readonly environment: Realm
  readonly token: string
  /** Counts its callbacks. */
  readonly version: number
  /** null: retention has removed it. */
  readonly callbackId: number | null
  readonly waitingSince: number
  readonly attempts: number
  /** null: the job is done. */
  readonly nextAttemptAt: number | null
  readonly lastError: string | null
  readonly isUnresolved: boolean
  readonly entries: EntryIds
  readonly lastSeenAt: number
}

export type WaitingJob = TokenRow & { readonly callbackId: number }

/** Inside the transaction. */
export interface TokenRows {
  find(environment: Realm, token: string): TokenRow | undefined
  get(id: number): TokenRow | undefined
  /** A new job: due at once. @returns its number */
  insert(job: Pick<TokenRow, 'environment' | 'token'> & { readonly callbackId: number; readonly at: number }): number
  update(row: TokenRow): void
  /** Removes the callback unless it has events. */
  removeEmptyCallback(callbackId: number): void
  /** Removes up to `limit` tokens that came last before `before`, those whose callback has no event excepted. */
  forget(before: number, limit: number): void
}

/** The service answers for six months. */
const FORGOTTEN_AFTER_MS = 400 * 86_400_000
/** Each settled job removes up to this many forgotten tokens, so no pass over all of them is needed. */
const FORGOTTEN_AT_ONCE = 2
/** Of a token that the service does not know, or while the service fails. */
const LONGER_WAIT_MS = 60_000

export function createTokenJobs(rows: TokenRows): TokenJobs {
  return {
    open({ environment, receivedAt: at }, token, storeCallback) {
      const row = rows.find(environment, token)
      if (row === undefined) {
        const callbackId = storeCallback()
        return { tokenId: rows.insert({ environment, token, callbackId, at }), callbackId }
      }
      if (row.nextAttemptAt !== null) {
        rows.update(joined(row, row.nextAttemptAt, at))
        return { tokenId: row.id, callbackId: null }
      }
      const callbackId = storeCallback()
      // A callback whose wait ended without an event only says that its token came: the new callback says that, too.
      if (row.callbackId !== null) rows.removeEmptyCallback(row.callbackId)
      rows.update(waitingAgain(row, callbackId, at))
      return { tokenId: row.id, callbackId }
    },

    findWaiting(tokenId) {
      const row = rows.get(tokenId)
      if (row === undefined || row.nextAttemptAt === null || row.callbackId === null) return null
      return { ...row, callbackId: row.callbackId }
    },

    settle(job, outcome, added) {
      const row = settled(job, outcome, added)
      rows.update(row)
      if (row.nextAttemptAt === null) rows.forget(outcome.at - FORGOTTEN_AFTER_MS, FORGOTTEN_AT_ONCE)
      return row.nextAttemptAt
    },

    hasEntry(environment, token, entryId) {
      const row = rows.find(environment, token)
      return row !== undefined && hasEntry(row.entries, entryId)
    },

    addEntries(environment, token, entryIds) {
      const row = rows.find(environment, token)
      if (row === undefined) return
      const added = entryIds.filter((id) => !hasEntry(row.entries, id))
      if (added.length > 0) rows.update({ ...row, entries: withEntries(row.entries, [...new Set(added)]) })
    },
  }
}

/**
 * A callback announces an entry. Only after a failure do the attempts count on, so that the waits stay long while the service fails, and callbacks of a
 * token that the service does not know lead to one query a minute.
 */
function joined(row: TokenRow, nextAttemptAt: number, at: number): TokenRow {
  const hasFailed = row.lastError !== null
  return {
    ...row,
    version: row.version + 1,
    attempts: hasFailed ? row.attempts : 0,
    nextAttemptAt: Math.min(nextAttemptAt, hasFailed ? at + LONGER_WAIT_MS : at),
    lastSeenAt: Math.max(row.lastSeenAt, at),
  }
}

function waitingAgain(row: TokenRow, callbackId: number, at: number): TokenRow {
  return {
    ...row,
    version: row.version + 1,
    callbackId,
    waitingSince: at,
    attempts: 0,
    nextAttemptAt: at,
    lastError: null,
    isUnresolved: false,
    lastSeenAt: Math.max(row.lastSeenAt, at),
  }
}

function settled(job: WaitingJob, outcome: TokenOutcome, added: readonly TokenEntry[]): TokenRow {
  const { at, error } = outcome
  // The answer may be older than the callback that joined: ask again now.
  const isOutdated = job.version > outcome.version && error === null
  return {
    ...job,
    nextAttemptAt: isOutdated ? at : nextAttemptOf(job, outcome, added.length > 0),
    lastError: error,
    entries: withEntries(
      job.entries,
      added.map(({ entryId }) => entryId),
    ),
    attempts: isOutdated ? 0 : job.attempts + (added.length === 0 ? 1 : 0),
    isUnresolved: job.isUnresolved || outcome.isUnresolved,
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
