import type { Destination } from '../domain/destination.ts'
import type { Store } from '../domain/store.ts'

/** Tells the store how many new deliveries of a destination it may claim while it stores them. */
export interface RoomOffer {
  offer(destination: Destination, count: number): void
  /** The store has used some of the room. */
  used(): void
}

/** @param leaseMs of each claim */
export function createRoomOffer(
  store: Pick<Store, 'offerRoom'>,
  leaseMs: (destination: Destination) => number,
): RoomOffer {
  /** The room that the store knows of; null: it has used some. */
  let offered: number | null = 0

  return {
    offer(destination, count) {
      if (count === offered) return
      offered = count
      store.offerRoom({ destinationId: destination.id, count, leaseMs: leaseMs(destination) })
    },
    used() {
      offered = null
    },
  }
}
