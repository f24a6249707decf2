import type { EventDeliveries } from '../../../domain/delivery.ts'
import type { CountRow } from '../../rows/delivery-counts.ts'
import { countsOf } from '../../rows/delivery-counts.ts'
import { IS_FAILING } from '../../rules/delivery-choices.ts'
import type { Connection } from '../database/connection.ts'
import { deliveriesOf } from '../rows/delivery-rows.ts'

export function countEventDeliveries(
  db: Connection,
  positions: readonly number[],
  destinationIds?: readonly number[],
): EventDeliveries[] {
  const rows = db
    .prepare<{ positions: string; destinations: string | null }, CountRow>(`
      select d.event_id as position, d.state, count(*) as count, count(*) filter (where ${IS_FAILING}) as failing
      from ${deliveriesOf('json_each(:positions)')}
      where :destinations is null or d.destination_id in (select value from json_each(:destinations))
      group by d.event_id, d.state`)
    .all({
      positions: JSON.stringify([...new Set(positions)]),
      destinations: destinationIds === undefined ? null : JSON.stringify(destinationIds),
    })
  return countsOf(rows, positions)
}
