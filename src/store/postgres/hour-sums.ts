import type { HourSum, HourSumsQuery } from '../../domain/overview/hour-sums.ts'
import { earliestKept, type HourSumRow, hourSumOf, hourSumRow } from '../rules/hour-sums.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

export async function listHourSums(sql: Sql, { from, to }: HourSumsQuery): Promise<HourSum[]> {
  const rows = await sql.all<HourSumRow>(
    `select hour, environment, kind, destination_id as "destinationId", succeeded, failed from hour_sums
    where hour >= at_ms(:from) and hour < at_ms(:to) order by hour, environment collate "C", kind collate "C", destination_id`,
    { from, to },
  )
  return rows.map(hourSumOf)
}

/** In one order: two nodes that add to the same rows would else wait for each other. */
export async function addHourSums(_parts: unknown, { sql }: Transaction, sums: readonly HourSum[]): Promise<void> {
  if (sums.length === 0) return
  const rows = sums.map(hourSumRow).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  for (const { hour, environment, kind, destinationId, succeeded, failed } of rows)
    await sql.run(
      `insert into hour_sums as known (hour, environment, kind, destination_id, succeeded, failed)
      values (at_ms(:hour), :environment, :kind, :destinationId, :succeeded, :failed)
      on conflict (hour, environment, kind, destination_id)
      do update set succeeded = known.succeeded + excluded.succeeded, failed = known.failed + excluded.failed`,
      { hour, environment, kind, destinationId, succeeded, failed },
    )
  await sql.run('delete from hour_sums where hour < at_ms(:earliest)', { earliest: earliestKept(sums) })
}

function keyOf({ hour, environment, kind, destinationId }: HourSumRow): string {
  return `${hour} ${environment} ${kind} ${destinationId}`
}
