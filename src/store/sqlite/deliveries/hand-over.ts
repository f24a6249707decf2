import type { DeliveryRoom } from '../../../domain/delivery.ts'

/** What the writer may still claim of the rooms that the workers of destinations offer. */
export interface HandOver {
  /** Replaces the earlier rooms of these destinations. */
  offered(rooms: readonly DeliveryRoom[]): void
  /** Inside the transaction: takes places where at least one is free. Returns the lease in ms; null: there is no room, and the delivery waits for a claim. */
  take(destinationId: number, places: number): number | null
  /** Inside the transaction: a delivery waits for a claim, so newer ones wait behind it. */
  waits(destinationId: number): void
  /** Inside the transaction: a claim took places. @param isAll nothing that is due is left */
  claimed(destinationId: number, places: number, isAll: boolean): void
  committed(): void
  /** Undoes what the transaction did. */
  rolledBack(): void
}

interface Use {
  /** As in DeliveryRoom. */
  taken: number
  /** A delivery waits for a claim. */
  isBehind: boolean
}

interface Room {
  offer: DeliveryRoom
  readonly use: Use
  readonly committed: Use
}

export function createHandOver(): HandOver {
  const rooms = new Map<number, Room>()

  function offer(offered: DeliveryRoom): void {
    const { destinationId, count, taken } = offered
    const room = rooms.get(destinationId)
    // While deliveries are on their way to the worker, its next room must know of them.
    const areOnTheirWay = room !== undefined && room.use.taken > taken
    if (count === 0 && !areOnTheirWay) rooms.delete(destinationId)
    else if (room !== undefined && taken >= room.offer.taken) room.offer = offered
    else
      rooms.set(destinationId, {
        offer: offered,
        use: { taken, isBehind: false },
        committed: { taken, isBehind: false },
      })
  }

  return {
    offered(all) {
      for (const one of all) offer(one)
    },
    take(destinationId, places) {
      const room = rooms.get(destinationId)
      if (room === undefined) return null
      const { offer, use } = room
      use.isBehind ||= use.taken >= offer.taken + offer.count
      if (use.isBehind) return null
      use.taken += places
      return offer.leaseMs
    },
    waits(destinationId) {
      const room = rooms.get(destinationId)
      if (room !== undefined) room.use.isBehind = true
    },
    claimed(destinationId, places, isAll) {
      const room = rooms.get(destinationId)
      if (room === undefined) return
      room.use.taken += places
      room.use.isBehind = !isAll
    },
    committed() {
      for (const { use, committed } of rooms.values()) Object.assign(committed, use)
    },
    rolledBack() {
      for (const { use, committed } of rooms.values()) Object.assign(use, committed)
    },
  }
}
