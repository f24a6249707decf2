import type { Environment } from '../../domain/event.ts'
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
export type FetchEntries = (environment: Environment, token: string, signal: AbortSignal) => Promise<TokenAnswer>

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

/** @param earlier number of answers without a new entry in this wait */
export function answeredOutcome(
  token: WaitingToken,
  { entries, earlier, now, readEntry }: AnsweredToken,
): TokenOutcome {
  const { id: tokenId, version, environment, entriesThrough } = token
  const last = entries.at(-1)?.entryId ?? 0
  // The service keeps entries for six months, so the first one of an answer may have any number.
  const first = Math.max(entriesThrough + 1, entries[0]?.entryId ?? 1)
  const beyond = entries.filter(({ entryId }) => entryId > entriesThrough)
  return {
    ...{ tokenId, version, at: now, error: null, isUnresolved: false },
    entries: beyond.map((entry) => readEntry({ environment, token: token.token, ...entry })),
    nextAttemptAt: nextAfterAnswer(earlier, now),
    // An entry that is missing between others may be late.
    endsWithNewEntry: beyond.length === last - first + 1,
  }
}

export interface AnsweredToken {
  readonly entries: readonly FetchedEntry[]
  readonly earlier: number
  readonly now: number
  readonly readEntry: ReturnType<typeof createEntryReader>
}
