import { HOUR_SUMS_KEPT_MS, type HourSum } from '../../domain/overview/hour-sums.ts'
import type { Realm } from '../../domain/realm.ts'

export interface HourSumRow {
  readonly hour: number
  /** Empty: the row is about a destination. */
  readonly environment: string
  readonly kind: string
  /** 0: the row is about a kind. */
  readonly destinationId: number
  readonly succeeded: number
  readonly failed: number
}

export function hourSumRow({ environment, kind, destinationId, ...counts }: HourSum): HourSumRow {
  return { ...counts, environment: environment ?? '', kind: kind ?? '', destinationId: destinationId ?? 0 }
}

export function hourSumOf({ environment, kind, destinationId, ...counts }: HourSumRow): HourSum {
  return destinationId === 0
    ? { ...counts, environment: environment as Realm, kind, destinationId: null }
    : { ...counts, environment: null, kind: null, destinationId }
}

/** Sums of earlier hours are dropped when these are added. */
export function earliestKept(sums: readonly HourSum[]): number {
  return Math.max(...sums.map(({ hour }) => hour)) - HOUR_SUMS_KEPT_MS
}
