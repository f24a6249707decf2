import type { Realm } from '../../domain/realm.ts'
import type { ChargeType } from '../../domain/reconcile/subjects.ts'
import type { PaymentSummary, ToldCharge, ToldOpening, ToldPayment, Unknown } from '../../domain/reconcile/told.ts'

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

export interface EntriesTold {
  readonly sort: 'entries'
  readonly entries: readonly { readonly entryId: number; readonly bytes: Uint8Array }[]
}

/** One request each. A promise is rejected only for a fault of the program, or at the signal. */
export interface Questions {
  payment(environment: Realm, id: string, signal: AbortSignal): Promise<Answered<ToldPayment | Unknown>>
  /** Both ends belong to the period, of at most 365 days. */
  summary(environment: Realm, first: string, last: string, signal: AbortSignal): Promise<Answered<PaymentSummary>>
  opening(environment: Realm, id: string, signal: AbortSignal): Promise<Answered<ToldOpening | Unknown>>
  record(environment: Realm, type: ChargeType, id: string, signal: AbortSignal): Promise<Answered<ToldCharge | Unknown>>
  entries(environment: Realm, token: string, signal: AbortSignal): Promise<Answered<EntriesTold | Unknown>>
  /** How many instant payments the account received on a local day, with the wait for the statement. */
  received(environment: Realm, day: string, signal: AbortSignal): Promise<Answered<number>>
}
