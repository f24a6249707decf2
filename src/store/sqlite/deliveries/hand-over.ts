import type { DeliveryRoom } from '../../../domain/delivery.ts'

/** What the writer may still claim of the rooms that came with a batch. */
export interface HandOver {
  /** Before a batch: its rooms replace what an earlier batch left. */
  begin(rooms: readonly DeliveryRoom[]): void
  /** Inside the transaction: takes one place. Returns the lease in ms; null: there is no room. */
  take(destinationId: number): number | null
  committed(): void
  /** The places that the transaction took are free again. */
  rolledBack(): void
}

export function createHandOver(): HandOver {
  const rooms = new Map<number, { readonly leaseMs: number; left: number; taken: number }>()
  return {
    begin(offered) {
      rooms.clear()
      for (const { destinationId, count, leaseMs } of offered)
        rooms.set(destinationId, { leaseMs, left: count, taken: 0 })
    },
    take(destinationId) {
      const room = rooms.get(destinationId)
      if (room === undefined || room.left === 0) return null
      room.left--
      room.taken++
      return room.leaseMs
    },
    committed() {
      for (const room of rooms.values()) room.taken = 0
    },
    rolledBack() {
      for (const room of rooms.values()) {
        room.left += room.taken
        room.taken = 0
      }
    },
  }
}
