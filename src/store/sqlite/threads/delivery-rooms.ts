import type { DeliveryRoom } from '../../../domain/delivery.ts'

/** The rooms that the workers of destinations offer, on their way to the writer. */
export interface DeliveryRooms {
  /** Replaces the destination's earlier offer. */
  offer(room: DeliveryRoom): void
  /** Those that were offered since the last call. */
  takeChanged(): readonly DeliveryRoom[]
  /**
   * The writer restarted and knows no offer. Earlier offers are stale: they do not count what it has handed over since.
   * The next delivery waits, and the claim of it brings a new offer.
   */
  forget(): void
}

export function createDeliveryRooms(): DeliveryRooms {
  const changed = new Map<number, DeliveryRoom>()
  return {
    offer(room) {
      changed.set(room.destinationId, room)
    },
    takeChanged() {
      if (changed.size === 0) return NONE
      const all = [...changed.values()]
      changed.clear()
      return all
    },
    forget: () => changed.clear(),
  }
}

const NONE: readonly DeliveryRoom[] = []
