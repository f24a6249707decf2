import type { Realm } from '../realm.ts'

export const HOUR_MS = 3_600_000
/** A year, and a month to compare with. */
export const HOUR_SUMS_KEPT_MS = 400 * 24 * HOUR_MS

/** What is summed of an hour: the callbacks of a kind, or the delivery attempts of a destination. */
export type SummedSubject =
  | { readonly environment: Realm; readonly kind: string; readonly destinationId: null }
  | { readonly environment: null; readonly kind: null; readonly destinationId: number }

export interface SummedCounts {
  /** Accepted callbacks, or attempts that delivered. */
  readonly succeeded: number
  /** Callbacks answered with 503, or failed attempts. */
  readonly failed: number
}

/** Counts since the gateway started. */
export type RunningCounts = SummedSubject & SummedCounts

export type HourSum = RunningCounts & {
  /** Its beginning, in ms since 1970. */
  readonly hour: number
}

/** A period of whole hours; its end is not included. In ms since 1970. */
export interface HourSumsQuery {
  readonly from: number
  readonly to: number
}

export interface HourSumReads {
  /** In the order of the hours; those of a subject are at most one an hour. */
  listHourSums(query: HourSumsQuery): Promise<HourSum[]>
}

export interface HourSumWrites {
  /** Adds them to those of the same hour and subject, and drops those that are too old. */
  addHourSums(sums: readonly HourSum[]): Promise<void>
}
