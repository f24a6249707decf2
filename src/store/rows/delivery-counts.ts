import type { DeliveryState, EventDeliveries } from '../../domain/delivery.ts'

const NONE = { pending: 0, blocked: 0, delivered: 0, exhausted: 0, canceled: 0 } as const

export interface CountRow {
  readonly position: number
  readonly state: DeliveryState
  readonly count: number
}

export function countsOf(rows: readonly CountRow[], positions: readonly number[]): EventDeliveries[] {
  const counts = new Map<number, Record<DeliveryState, number>>(positions.map((position) => [position, { ...NONE }]))
  for (const { position, state, count } of rows) Object.assign(counts.get(position) ?? {}, { [state]: count })
  return [...counts].map(([position, counted]) => ({ position, counts: counted }))
}
