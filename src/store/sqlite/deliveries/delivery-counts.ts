import type { DeliveryState, EventDeliveries } from '../../../domain/delivery.ts'
import type { Connection } from '../database/connection.ts'
import { deliveriesOf } from '../rows/delivery-rows.ts'

const NONE = { pending: 0, blocked: 0, delivered: 0, exhausted: 0, canceled: 0 } as const

interface CountRow {
  readonly position: number
  readonly state: DeliveryState
  readonly count: number
}

export function countEventDeliveries(
  db: Connection,
  positions: readonly number[],
  destinationIds?: readonly number[],
): EventDeliveries[] {
  const rows = db
    .prepare<{ positions: string; destinations: string | null }, CountRow>(`
      select d.event_id as position, d.state, count(*) as count
      from ${deliveriesOf('json_each(:positions)')}
      where :destinations is null or d.destination_id in (select value from json_each(:destinations))
      group by d.event_id, d.state`)
    .all({
      positions: JSON.stringify([...new Set(positions)]),
      destinations: destinationIds === undefined ? null : JSON.stringify(destinationIds),
    })
  const counts = new Map<number, Record<DeliveryState, number>>(positions.map((position) => [position, { ...NONE }]))
  for (const { position, state, count } of rows) Object.assign(counts.get(position) ?? {}, { [state]: count })
  return [...counts].map(([position, counted]) => ({ position, counts: counted }))
}
