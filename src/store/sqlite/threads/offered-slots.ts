import type { DeliverySlots } from '../../../domain/delivery.ts'

/** The slots that the workers of destinations offer, on their way to the writer. */
export interface OfferedSlots {
  /** Replaces the destination's earlier offer. */
  offer(slots: DeliverySlots): void
  /** Those that were offered since the last call. */
  takeChanged(): readonly DeliverySlots[]
  /**
   * The writer restarted and knows no offer. Earlier offers are stale: they do not count what it has handed over since.
   * The next delivery waits, and the claim of it brings a new offer.
   */
  forget(): void
}

export function createOfferedSlots(): OfferedSlots {
  const changed = new Map<number, DeliverySlots>()
  return {
    offer(slots) {
      changed.set(slots.destinationId, slots)
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

const NONE: readonly DeliverySlots[] = []
