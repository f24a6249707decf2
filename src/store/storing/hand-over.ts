import type { DeliverySlots } from '../../domain/delivery.ts'

/** What the writer may still claim of the slots that the workers of destinations offer. */
export interface HandOver {
  /** Replaces the earlier offers of these destinations. */
  offered(offers: readonly DeliverySlots[]): void
  /** Inside the transaction: takes slots where at least one is free. Returns the lease in ms; null: none is free, and the delivery waits for a claim. */
  take(destinationId: number, slots: number): number | null
  /** Inside the transaction: a delivery waits for a claim, so newer ones wait behind it. */
  waits(destinationId: number): void
  /** Inside the transaction: a claim took slots. @param isAll nothing that is due is left */
  claimed(destinationId: number, slots: number, isAll: boolean): void
  committed(): void
  /** Undoes what the transaction did. */
  rolledBack(): void
}

interface Use {
  /** As in DeliverySlots. */
  taken: number
  /** A delivery waits for a claim. */
  isBehind: boolean
}

interface Offered {
  offer: DeliverySlots
  readonly use: Use
  readonly committed: Use
}

export function createHandOver(): HandOver {
  const offers = new Map<number, Offered>()

  function offer(offered: DeliverySlots): void {
    const { destinationId, count, taken } = offered
    const known = offers.get(destinationId)
    // While deliveries are on their way to the worker, its next offer must count them.
    const areOnTheirWay = known !== undefined && known.use.taken > taken
    if (count === 0 && !areOnTheirWay) offers.delete(destinationId)
    else if (known !== undefined && taken >= known.offer.taken) known.offer = offered
    else
      offers.set(destinationId, {
        offer: offered,
        use: { taken, isBehind: false },
        committed: { taken, isBehind: false },
      })
  }

  return {
    offered(all) {
      for (const one of all) offer(one)
    },
    take(destinationId, slots) {
      const known = offers.get(destinationId)
      if (known === undefined) return null
      const { offer, use } = known
      use.isBehind ||= use.taken >= offer.taken + offer.count
      if (use.isBehind) return null
      use.taken += slots
      return offer.leaseMs
    },
    waits(destinationId) {
      const known = offers.get(destinationId)
      if (known !== undefined) known.use.isBehind = true
    },
    claimed(destinationId, slots, isAll) {
      const known = offers.get(destinationId)
      if (known === undefined) return
      known.use.taken += slots
      known.use.isBehind = !isAll
    },
    committed() {
      for (const { use, committed } of offers.values()) Object.assign(committed, use)
    },
    rolledBack() {
      for (const { use, committed } of offers.values()) Object.assign(use, committed)
    },
  }
}
