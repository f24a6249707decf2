/** What the service says of a subject that it is asked about. */

/** It does not know the id. */
export interface Unknown {
  readonly sort: 'unknown'
}

export interface ToldPayment {
  readonly sort: 'told'
  readonly status: string
  readonly cents: number
  /** Local day of the request, `2026-03-04`; null: the answer has none. */
  readonly day: string | null
}

/** Payments by the local day of their request. */
export interface PaymentSummary {
  readonly total: number
  /** Ids of those that failed. */
  readonly failed: readonly string[]
}

/** `undecided`: the end client has not answered, or has refused. `processing`: accepted, but the account is not there yet. */
export interface ToldOpening {
  readonly sort: 'opened' | 'undecided' | 'processing'
}

export interface ToldCharge {
  readonly sort: 'told'
  readonly status: string
  readonly customId: string | null
}
