import type { HourSum, HourSumsQuery } from '../../../domain/overview/hour-sums.ts'
import { earliestKept, type HourSumRow, hourSumOf, hourSumRow } from '../../rules/hour-sums.ts'
import type { Connection } from '../database/connection.ts'

export function listHourSums(db: Connection, query: HourSumsQuery): HourSum[] {
  return db
    .prepare<[HourSumsQuery], HourSumRow>(`
      select hour, environment, kind, destination_id as destinationId, succeeded, failed from hour_sums
      where hour >= :from and hour < :to order by hour, environment, kind, destination_id`)
    .all(query)
    .map(hourSumOf)
}

export function createHourSums(db: Connection) {
  const add = db.prepare(`
    insert into hour_sums (hour, environment, kind, destination_id, succeeded, failed)
    values (:hour, :environment, :kind, :destinationId, :succeeded, :failed)
    on conflict (hour, environment, kind, destination_id)
    do update set succeeded = succeeded + excluded.succeeded, failed = failed + excluded.failed`)
  const drop = db.prepare('delete from hour_sums where hour < ?')
  return {
    add(sums: readonly HourSum[]): void {
      if (sums.length === 0) return
      for (const sum of sums) add.run(hourSumRow(sum))
      drop.run(earliestKept(sums))
    },
  }
}
