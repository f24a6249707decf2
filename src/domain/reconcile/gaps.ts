import type { Realm } from '../realm.ts'

/** What was received, asked back and missed of a kind on a day. */
export interface GapDay {
  readonly kind: string
  readonly environment: Realm
  /** In UTC, `2026-03-04`; of `unknown` the local day of the request. */
  readonly day: string
  /** Events of callbacks. */
  readonly received: number
  /** Events that the service was asked for, because their callbacks had not come. */
  readonly reconciled: number
  /** Repeats of the day's events, late callbacks of reconciled events included. */
  readonly duplicates: number
  /** What the service has and does not name, and expected ids that it does not know. */
  readonly unknown: number
  /** The time within which 95 of 100 expected subjects had their first callback, in seconds; null: none was expected. */
  readonly delay: number | null
  /** What settles what is unknown: `GET /v1/:idPagamento`, `question to the service`; null: nothing does, or nothing is unknown. */
  readonly settledBy: string | null
}

export interface Gaps {
  /** The newest day first. */
  readonly data: readonly GapDay[]
  /** Openings that wait or were refused: the service does not tell which. The newest first. */
  readonly openings: readonly string[]
}

export interface GapsQuery {
  /** The first day; left out: all. */
  readonly since?: string
  /** Only of these; left out: of all. */
  readonly environments?: readonly Realm[]
  readonly limit: number
}
