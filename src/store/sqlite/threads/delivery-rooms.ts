import type { DeliveryRoom } from '../../../domain/delivery.ts'

/** The rooms that the workers of destinations offer, on their way to the writer. */
export interface DeliveryRooms {
  /** Replaces the destination's earlier offer. */
  offer(room: DeliveryRoom): void
  /** Those that were offered since the last call. */
  takeChanged(): readonly DeliveryRoom[]
  /** The writer has begun again, and knows of none. */
  renew(): void
}

export function createDeliveryRooms(): DeliveryRooms {
  const open = new Map<number, DeliveryRoom>()
  const changed = new Map<number, DeliveryRoom>()
  return {
    offer(room) {
      changed.set(room.destinationId, room)
      if (room.count === 0) open.delete(room.destinationId)
      else open.set(room.destinationId, room)
    },
    takeChanged() {
      if (changed.size === 0) return NONE
      const all = [...changed.values()]
      changed.clear()
      return all
    },
    renew() {
      for (const [destinationId, room] of open) changed.set(destinationId, room)
    },
  }
}

const NONE: readonly DeliveryRoom[] = []
