import type {
  NotificationTokenWrites,
  SettledToken,
  TokenOutcome,
  WaitingToken,
} from '../../domain/service/notification-token.ts'
import type { createEntryReader, FetchedEntry } from '../../domain/service/token-entry.ts'
import type { ResolvingSettings } from './query-permits.ts'
import type { ResolvingLog } from './resolving-log.ts'
import { answeredOutcomes, failedOutcome, releasedOutcome, type TokenFailure } from './token-query.ts'

export interface OutcomeStoreOptions {
  readonly store: Pick<NotificationTokenWrites, 'settleToken'>
  readonly settings: () => ResolvingSettings
  readonly readEntry: ReturnType<typeof createEntryReader>
  readonly onSettled: (settled: SettledToken, at: number) => void
  readonly now: () => number
  readonly random: () => number
  readonly log: ResolvingLog
}

/** Stores what jobs have come to. */
export interface OutcomeStore {
  /** Ends early at the signal, between two portions. */
  answered(token: WaitingToken, entries: readonly FetchedEntry[]): Promise<void>
  failed(token: WaitingToken, failure: TokenFailure): Promise<void>
  /** The token becomes an event because it has waited for too long, for this reason. */
  released(token: WaitingToken, reason: string): Promise<void>
}

export function createOutcomeStore(options: OutcomeStoreOptions, signal: AbortSignal): OutcomeStore {
  const { store, settings, readEntry, onSettled, now, random, log } = options
  const lateAnswers = createLateAnswers()
  /** Ends when the answers before have been stored. Only `inTurn` changes it. */
  let lastTurn: Promise<void> = Promise.resolve()

  /** One answer at a time is stored: a large one must not fill the memory and the writer's queue beside others. */
  function inTurn(storeAnswer: () => Promise<void>): Promise<void> {
    const turn = lastTurn.then(storeAnswer)
    lastTurn = turn.catch(() => undefined)
    return turn
  }

  async function settleAll(token: WaitingToken, outcomes: Iterable<TokenOutcome>): Promise<void> {
    for (const outcome of outcomes) {
      if (signal.aborted) return
      await settle(token, outcome)
    }
  }

  async function settle(token: WaitingToken, outcome: TokenOutcome): Promise<void> {
    const settled = await store.settleToken(outcome)
    lateAnswers.settled(token, outcome, settled)
    if (settled.eventIds.length > 0) onSettled(settled, outcome.at)
    log.settled(token, outcome, settled)
  }

  return {
    answered(token, entries) {
      const outcomes = answeredOutcomes(token, { entries, earlier: lateAnswers.of(token), now: now(), readEntry })
      return inTurn(() => settleAll(token, outcomes))
    },
    failed(token, { reason, isAboutToken }) {
      const { resolveWithinMs } = settings()
      return settle(
        token,
        failedOutcome(token, reason, { isAboutToken, now: now(), resolveWithinMs, random: random() }),
      )
    },
    released: (token, reason) => settle(token, releasedOutcome(token, reason, now())),
  }
}

/** Counts the answers that did not end a job, since its latest callback. A restart begins at 0, which costs two queries. */
function createLateAnswers() {
  const counts = new Map<number, { readonly version: number; readonly count: number }>()
  const of = ({ id, version }: WaitingToken) => {
    const known = counts.get(id)
    return known?.version === version ? known.count : 0
  }
  return {
    of,
    settled(token: WaitingToken, { error, at }: TokenOutcome, { nextAttemptAt }: SettledToken): void {
      if (nextAttemptAt === null) counts.delete(token.id)
      // A job that is due at once has more entries, or a callback joined it.
      else if (error === null && nextAttemptAt > at)
        counts.set(token.id, { version: token.version, count: of(token) + 1 })
    },
  }
}
