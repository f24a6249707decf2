import { HOUR_SUMS_KEPT_MS, type HourSum, type HourSumsQuery } from '../../domain/overview/hour-sums.ts'
import type { Realm } from '../../domain/realm.ts'
import { type Asked, all, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { insertInto, selected } from './table-texts.ts'

interface HourSumRow {
  readonly hour: number
  /** Empty: the row is about a destination. */
  readonly environment: string
  readonly kind: string
  /** 0: the row is about a kind. */
  readonly destinationId: number
  readonly succeeded: number
  readonly failed: number
}

function rowOf({ environment, kind, destinationId, ...counts }: HourSum): HourSumRow {
  return { ...counts, environment: environment ?? '', kind: kind ?? '', destinationId: destinationId ?? 0 }
}

function hourSumOf({ environment, kind, destinationId, ...counts }: HourSumRow): HourSum {
  return destinationId === 0
    ? { ...counts, environment: environment as Realm, kind, destinationId: null }
    : { ...counts, environment: null, kind: null, destinationId }
}

export function* listHourSums({ time, byBytes }: Dialect, { from, to }: HourSumsQuery): Asked<HourSum[]> {
  const rows = yield* all<HourSumRow>(
    `select ${selected('hour_sums')} from hour_sums
    where hour >= ${time(':from')} and hour < ${time(':to')} order by hour, environment ${byBytes}, kind ${byBytes}, destination_id`,
    { from, to },
  )
  return rows.map(hourSumOf)
}

/** In one order: two nodes that add to the same rows would else wait for each other. */
export function* addHourSums(d: Dialect, sums: readonly HourSum[]): Asked<void> {
  if (sums.length === 0) return
  const rows = sums.map(rowOf).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const text = `${insertInto(d, 'hour_sums')} on conflict (hour, environment, kind, destination_id)
    do update set succeeded = hour_sums.succeeded + excluded.succeeded, failed = hour_sums.failed + excluded.failed`
  for (const row of rows) yield* run(text, { ...row })
  const earliest = Math.max(...sums.map(({ hour }) => hour)) - HOUR_SUMS_KEPT_MS
  yield* run(`delete from hour_sums where hour < ${d.time(':earliest')}`, { earliest })
}

function keyOf({ hour, environment, kind, destinationId }: HourSumRow): string {
  return `${hour} ${environment} ${kind} ${destinationId}`
}
