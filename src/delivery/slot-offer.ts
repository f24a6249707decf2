import { type ClaimedDelivery, type DeliverySlots, slotsOfAll } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import type { Store } from '../domain/store.ts'
import { leaseMsOf } from './claims-window.ts'

/** Tells the store how many new deliveries of a destination it may claim while it stores them. */
export interface SlotOffer {
  offer(destination: Destination, count: number): void
  /** Offers none until a claim that has this one with it. */
  behindClaim(destination: Destination, count: number): DeliverySlots
  /** Deliveries came, claimed or handed over. */
  took(deliveries: readonly ClaimedDelivery[]): void
  /** The claim has ended. */
  claimEnded(): void
  /** The worker has ended: what is on its way to it uses no slot of a later worker. */
  close(destination: Destination): void
}

export function createSlotOffer(store: Pick<Store, 'offerSlots'>): SlotOffer {
  let taken = 0
  /** Highest number of busy slots at which the store may still hand over. 0: none. null: unknown. */
  let through: number | null = 0

  const offerOf = (destination: Destination, count: number): DeliverySlots => {
    return { destinationId: destination.id, count, taken, leaseMs: leaseMsOf(destination) }
  }
  function offer(destination: Destination, count: number): void {
    const next = count === 0 ? 0 : taken + count
    if (next === through) return
    through = next
    store.offerSlots(offerOf(destination, count))
  }

  return {
    offer,
    behindClaim(destination, count) {
      offer(destination, 0)
      return offerOf(destination, count)
    },
    took(deliveries) {
      taken += slotsOfAll(deliveries)
    },
    claimEnded() {
      through = null
    },
    close(destination) {
      store.offerSlots({ ...offerOf(destination, 0), taken: Number.POSITIVE_INFINITY })
    },
  }
}
