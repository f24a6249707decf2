import type { Realm } from '../../domain/realm.ts'
import type { ChargeType } from '../../domain/reconcile/subjects.ts'

export interface QuestionFailure {
  /** Cause and next step. */
  readonly reason: string
  /** The service answered, and answers other questions: the answer to this one cannot be used. */
  readonly isAboutSubject: boolean
  /** The same question fails until somebody changes the configuration or the account. */
  readonly isFinal: boolean
  /** How long the service wants no questions; null: it does not say. */
  readonly retryAfterMs: number | null
}

export type Answered<T> = { readonly answer: T } | { readonly failure: QuestionFailure }

export interface Unknown {
  readonly sort: 'unknown'
}

export interface PaymentTold {
  readonly sort: 'told'
  readonly status: string
  readonly cents: number
  /** The local day of its request; null: the answer does not say. */
  readonly day: string | null
}

export interface OpeningTold {
  readonly sort: 'opened' | 'undecided' | 'processing'
}

export interface RecordTold {
  readonly sort: 'told'
  readonly status: string
  readonly customId: string | null
}

export interface EntriesTold {
  readonly sort: 'entries'
  readonly entries: readonly { readonly entryId: number; readonly bytes: Uint8Array }[]
}

/** Counts of the payments that were requested in a period. */
export interface PaymentSummary {
  readonly total: number
  /** Ids of those that failed. */
  readonly failed: readonly string[]
}

/** One request each. A promise is rejected only for a fault of the program, or at the signal. */
export interface Questions {
  payment(environment: Realm, id: string, signal: AbortSignal): Promise<Answered<PaymentTold | Unknown>>
  /** Both ends belong to the period, of at most 365 days. */
  summary(environment: Realm, first: string, last: string, signal: AbortSignal): Promise<Answered<PaymentSummary>>
  opening(environment: Realm, id: string, signal: AbortSignal): Promise<Answered<OpeningTold | Unknown>>
  record(environment: Realm, type: ChargeType, id: string, signal: AbortSignal): Promise<Answered<RecordTold | Unknown>>
  entries(environment: Realm, token: string, signal: AbortSignal): Promise<Answered<EntriesTold | Unknown>>
  /** How many instant payments the account received on a local day, with the wait for the statement. */
  received(environment: Realm, day: string, signal: AbortSignal): Promise<Answered<number>>
}
