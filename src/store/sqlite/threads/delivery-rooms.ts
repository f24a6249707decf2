import type { DeliveryRoom } from '../../../domain/delivery.ts'
import type { StoredCallback } from '../../../domain/event-record.ts'

/**
 * The rooms that the destination workers offer, spread over the batches in flight: a place is reserved for the one or the other, and free again when its
 * batch has ended without using it.
 */
export interface DeliveryRooms {
  /** Replaces the destination's earlier offer. */
  offer(room: DeliveryRoom): void
  /** Reserves at most one place of each destination for each callback of the batch. */
  reserve(batch: object, callbacks: number): readonly DeliveryRoom[]
  /** The batch has ended: what it claimed is no longer free until the next offer. */
  ended(batch: object, stored: readonly StoredCallback[]): void
}

export function createDeliveryRooms(): DeliveryRooms {
  const rooms = new Map<number, { count: number; leaseMs: number; reserved: number }>()
  const reservations = new Map<object, readonly DeliveryRoom[]>()

  return {
    offer({ destinationId, count, leaseMs }) {
      const reserved = rooms.get(destinationId)?.reserved ?? 0
      if (count === 0 && reserved === 0) rooms.delete(destinationId)
      else rooms.set(destinationId, { count, leaseMs, reserved })
    },
    reserve(batch, callbacks) {
      if (callbacks === 0 || rooms.size === 0) return NONE
      const reservation: DeliveryRoom[] = []
      for (const [destinationId, room] of rooms) {
        const count = Math.min(room.count - room.reserved, callbacks)
        if (count <= 0) continue
        room.reserved += count
        reservation.push({ destinationId, count, leaseMs: room.leaseMs })
      }
      if (reservation.length > 0) reservations.set(batch, reservation)
      return reservation
    },
    ended(batch, stored) {
      const reservation = reservations.get(batch)
      if (reservation === undefined) return
      reservations.delete(batch)
      for (const { destinationId, count } of reservation) {
        const room = rooms.get(destinationId)
        if (room !== undefined) room.reserved -= count
      }
      for (const { handed = [] } of stored)
        for (const { destinationId } of handed) {
          const room = rooms.get(destinationId)
          if (room !== undefined) room.count = Math.max(0, room.count - 1)
        }
    },
  }
}

const NONE: readonly DeliveryRoom[] = []
