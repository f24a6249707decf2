import type { Realm } from '../../domain/realm.ts'
import type { TokenOutcome, WaitingToken } from '../../domain/service/notification-token.ts'
import type { createEntryReader, FetchedEntry } from '../../domain/service/token-entry.ts'
import { messageOf } from '../../platform/errors.ts'
import { type Circumstances, nextAfterAnswer, nextAfterFailure } from './token-schedule.ts'

/** The service's answer to the query of a token. Entries in ascending order. */
export type TokenAnswer = { readonly entries: readonly FetchedEntry[] } | TokenFailure

export interface TokenFailure {
  /** In words, for operators. */
  readonly reason: string
  /** The service answers, but it does not know this token. False: queries of other tokens would fail too. */
  readonly isAboutToken: boolean
  /** How long the service wants no further query; null: it does not say. */
  readonly retryAfterMs: number | null
}

/** Asks the service for the entries of a token, once. Rejects soon after the signal. */
export type FetchEntries = (environment: Realm, token: string, signal: AbortSignal) => Promise<TokenAnswer>

/** Never rejects, also where the signal ends the query: the caller looks at the signal. */
export async function askForEntries(
  fetchEntries: FetchEntries,
  { environment, token }: WaitingToken,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  try {
    const answer = await fetchEntries(environment, token, signal)
    return 'entries' in answer && answer.entries.length === 0 ? NO_ENTRIES : answer
  } catch (error) {
    return { reason: messageOf(error), isAboutToken: false, retryAfterMs: null }
  }
}

/** Not resolved: a callback of the token has come, so there is an entry. */
const NO_ENTRIES: TokenFailure = {
  reason: 'the service has no entries for this token',
  isAboutToken: true,
  retryAfterMs: null,
}

export function failedOutcome(token: WaitingToken, reason: string, at: Circumstances): TokenOutcome {
  const { id: tokenId, version } = token
  const next = nextAfterFailure(token, at)
  return { tokenId, version, at: at.now, entries: [], error: reason, ...next, endsWithNewEntry: false }
}

/** The token becomes an event because it has waited for too long. It was not asked for, so its next query stays where it is. */
export function releasedOutcome(token: WaitingToken, reason: string, at: number): TokenOutcome {
  const { id: tokenId, version, nextAttemptAt } = token
  return {
    tokenId,
    version,
    at,
    entries: [],
    error: reason,
    nextAttemptAt,
    isUnresolved: true,
    endsWithNewEntry: false,
  }
}

/** Entries of one outcome: the store takes callbacks between two of them. */
const PORTION = 100
/** Entries of one answer that become events; the rest is asked for again, so that other tokens have their turn. */
const MOST_OF_ANSWER = 1000

/**
 * The outcomes of an answer, to be stored one after the other. Each but the last leaves the job due, so that a crash between two loses nothing.
 * @param earlier number of answers without a new entry in this wait
 */
export function* answeredOutcomes(token: WaitingToken, answer: AnsweredToken): Generator<TokenOutcome> {
  const { entries, earlier, now, readEntry } = answer
  const { id: tokenId, version, environment } = token
  const { through, beyond } = token.entries
  const known = new Set(beyond)
  const fresh = entries.filter(({ entryId }) => entryId > through && !known.has(entryId))
  const taken = fresh.slice(0, MOST_OF_ANSWER)
  const outcome = { tokenId, version, at: now, error: null, isUnresolved: false } as const
  for (let from = 0; ; from += PORTION) {
    const portion = taken
      .slice(from, from + PORTION)
      .map((entry) => readEntry({ environment, token: token.token, ...entry }))
    if (from + PORTION >= fresh.length) {
      const nextAttemptAt = nextAfterAnswer(earlier, now)
      yield { ...outcome, entries: portion, nextAttemptAt, endsWithNewEntry: isWithoutGap(token, entries) }
      return
    }
    yield { ...outcome, entries: portion, nextAttemptAt: now, endsWithNewEntry: false }
    if (from + PORTION >= taken.length) return
  }
}

/** An entry that is missing between others may be late. The service keeps entries for six months, so the first one may have any number. */
function isWithoutGap({ entries: { through } }: WaitingToken, entries: readonly FetchedEntry[]): boolean {
  const last = entries.at(-1)?.entryId ?? 0
  const first = Math.max(through + 1, entries[0]?.entryId ?? 1)
  return entries.filter(({ entryId }) => entryId > through).length === last - first + 1
}

export interface AnsweredToken {
  readonly entries: readonly FetchedEntry[]
  readonly earlier: number
  readonly now: number
  readonly readEntry: ReturnType<typeof createEntryReader>
}
