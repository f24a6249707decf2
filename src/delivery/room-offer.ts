import { type ClaimedDelivery, type DeliveryRoom, placesOfAll } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import type { Store } from '../domain/store.ts'
import { leaseMsOf } from './claims-window.ts'

/** Tells the store how many new deliveries of a destination it may claim while it stores them. */
export interface RoomOffer {
  offer(destination: Destination, count: number): void
  /** Closes the room until a claim that has this one with it. */
  behindClaim(destination: Destination, count: number): DeliveryRoom
  /** Deliveries came, claimed or handed over. */
  took(deliveries: readonly ClaimedDelivery[]): void
  /** The claim has ended. */
  claimEnded(): void
  /** The worker has ended: what is on its way to it uses no place of a later worker's room. */
  close(destination: Destination): void
}

export function createRoomOffer(store: Pick<Store, 'offerRoom'>): RoomOffer {
  let taken = 0
  /** Highest number of busy places at which the store may still hand over. 0: none. null: unknown. */
  let through: number | null = 0

  const roomOf = (destination: Destination, count: number): DeliveryRoom => {
    return { destinationId: destination.id, count, taken, leaseMs: leaseMsOf(destination) }
  }
  function offer(destination: Destination, count: number): void {
    const next = count === 0 ? 0 : taken + count
    if (next === through) return
    through = next
    store.offerRoom(roomOf(destination, count))
  }

  return {
    offer,
    behindClaim(destination, count) {
      offer(destination, 0)
      return roomOf(destination, count)
    },
    took(deliveries) {
      taken += placesOfAll(deliveries)
    },
    claimEnded() {
      through = null
    },
    close(destination) {
      store.offerRoom({ ...roomOf(destination, 0), taken: Number.POSITIVE_INFINITY })
    },
  }
}
