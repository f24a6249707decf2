import type { ChargeReferences } from '../event.ts'
import type { Realm } from '../realm.ts'
import type { EntryIds } from './entry-ids.ts'
import type { QuestionPurpose } from './question-purpose.ts'

/**
 * A charge callback may be a token only (service-decisions.md, notification content). The gateway stores it as a job, asks the service for the
 * entries of the token (`GET /v1/notification/:token`), and stores each new entry as an event.
 */

/** A job: a token whose entries the gateway has to ask for. One per token and environment. */
export interface WaitingToken {
  readonly id: number
  readonly environment: Realm
  readonly token: string
  /** Rises with every callback of the token that joins the job. An answer asked for before such a callback does not end the job. */
  readonly version: number
  /** When the first callback of this wait was received. */
  readonly waitingSince: number
  /** Failed queries, and answers without a new entry, of this wait. */
  readonly attempts: number
  readonly nextAttemptAt: number
  /** Why the last query failed, in words; null: none failed. */
  readonly lastError: string | null
  /** Whether the token became an event of this wait. */
  readonly isUnresolved: boolean
  /** The entries that are events. */
  readonly entries: EntryIds
  /** The address that sent the callback of this wait; null: unknown. */
  readonly sender: string | null
}

export interface WaitingTokenQuery {
  readonly environment: Realm
  /** Only jobs whose next query is due by then; left out: all. */
  readonly dueBy?: number
  /** True: only jobs with 0 attempts; false: only the others. */
  readonly isFresh?: boolean
  /** Only jobs that have waited since then or longer, and whose token did not become an event. */
  readonly waitingSinceBy?: number
  /**
   * In turns: the longest and the latest due of each sender first, then the next two of each. A flood of one sender then holds back no other one, and
   * a token that comes behind a flood of its own sender is not the last. Looks at the `READ_FOR_TURNS` longest due and as many of the latest.
   */
  readonly inTurns?: true
}

/** Limits the time of a read: each job takes some microseconds. */
export const READ_FOR_TURNS = 10_000

/** An entry of the service's answer, as an event. */
export interface TokenEntry {
  /** Rises from 1 per token. */
  readonly entryId: number
  readonly kind: string
  readonly subject: string | null
  readonly status: string | null
  readonly references: ChargeReferences
  /** `{"notification":{"token":…,"entries":[the entry]}}` with the entry's bytes as the service wrote them. */
  readonly body: Uint8Array
}

/** What a query of a token has led to. */
export interface TokenOutcome {
  readonly tokenId: number
  /** The job's version before the query. */
  readonly version: number
  readonly at: number
  /** In ascending order; the store leaves out those that are events already. */
  readonly entries: readonly TokenEntry[]
  /** Why the query failed, in words; null: the service answered. */
  readonly error: string | null
  /** When to ask again; null: the job is done, unless a callback has joined it since `version`. */
  readonly nextAttemptAt: number | null
  /** The job is done also with `nextAttemptAt` if one of `entries` is new, unless a callback has joined it since `version`. */
  readonly endsWithNewEntry: boolean
  /** Store the token itself as an event, marked as unresolved, unless this wait has one already. */
  readonly isUnresolved: boolean
}

export interface SettledToken {
  /** Public ids of the new events, in the order of their entries. */
  readonly eventIds: readonly string[]
  /** The facts of the new events, in the same order. */
  readonly facts: readonly { readonly kind: string; readonly subject: string | null; readonly status: string | null }[]
  /** As in StoredCallback. */
  readonly destinationIds: readonly number[]
  /** null: the job is done; otherwise when to ask again. */
  readonly nextAttemptAt: number | null
}

/** Jobs of one environment, for `service status` and `/metrics`. */
export interface TokenBacklog {
  readonly environment: Realm
  readonly waiting: number
  /** The earliest `waitingSince` of those whose token is no event yet; null: there is none. */
  readonly oldestAt: number | null
}

/** Questions of one purpose that an environment may ask in one UTC day. */
export interface BudgetRequest {
  readonly environment: Realm
  readonly purpose: QuestionPurpose
  /** `2026-03-04`, in UTC. */
  readonly day: string
  /** How many queries are wanted now. */
  readonly wanted: number
  /** The most of the day. */
  readonly limit: number
}

export interface NotificationTokenReads {
  /** At most `limit` jobs, the longest due first, or in turns. */
  listWaitingTokens(query: WaitingTokenQuery, limit: number): Promise<WaitingToken[]>
  /** One row per environment that has jobs. */
  countWaitingTokens(): Promise<TokenBacklog[]>
  /** Questions taken from the budget of a UTC day. */
  budgetUsed(environment: Realm, purpose: QuestionPurpose, day: string): Promise<number>
}

export interface NotificationTokenWrites {
  /**
   * Stores the new entries of a token as events with their deliveries, and the state of its job, in one transaction. Does nothing if the job is
   * done already.
   */
  settleToken(outcome: TokenOutcome): Promise<SettledToken>
  /** Takes queries from the day's budget before they are made, so that a crash never exceeds it. Returns how many were granted, 0 to `wanted`. */
  takeBudget(request: BudgetRequest): Promise<number>
}
