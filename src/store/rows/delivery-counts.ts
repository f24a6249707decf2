import { type DeliveryCounts, type DeliveryState, type EventDeliveries, NO_DELIVERIES } from '../../domain/delivery.ts'

export interface CountRow {
  readonly position: number
  readonly state: DeliveryState
  readonly count: number
  readonly failing: number
}

export function countsOf(rows: readonly CountRow[], positions: readonly number[]): EventDeliveries[] {
  const counts = new Map<number, DeliveryCounts>(positions.map((position) => [position, { ...NO_DELIVERIES }]))
  for (const { position, state, count, failing } of rows)
    Object.assign(counts.get(position) ?? {}, { [state]: count }, state === 'pending' && { failing })
  return [...counts].map(([position, counted]) => ({ position, counts: counted }))
}
