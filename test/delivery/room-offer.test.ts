import { expect, it } from 'vitest'
import { createRoomOffer } from '../../src/delivery/room-offer.ts'
import type { DeliveryRoom } from '../../src/domain/delivery.ts'
import type { Destination } from '../../src/domain/destination.ts'
import { aDelivery } from './receiver.ts'

const DESTINATION = { id: 7, timeoutMs: 5000 } as Destination
const ROOM = { destinationId: 7, leaseMs: 35_000 }

function anOffer() {
  const offered: DeliveryRoom[] = []
  const room = createRoomOffer({ offerRoom: (one) => void offered.push(one) })
  return { room, offered }
}

it('says only what the store does not know: a delivery that came has used a place that was offered', () => {
  const { room, offered } = anOffer()
  room.offer(DESTINATION, 0)
  room.offer(DESTINATION, 8)
  room.took([aDelivery()])
  room.offer(DESTINATION, 7)
  expect(offered).toEqual([{ ...ROOM, count: 8, taken: 0 }])
  room.offer(DESTINATION, 8)
  room.offer(DESTINATION, 0)
  room.offer(DESTINATION, 0)
  expect(offered.slice(1)).toEqual([
    { ...ROOM, count: 8, taken: 1 },
    { ...ROOM, count: 0, taken: 1 },
  ])
})

it('a large body uses several places', () => {
  const { room, offered } = anOffer()
  room.took([aDelivery({ body: Buffer.alloc(40_000) }), aDelivery()])
  room.offer(DESTINATION, 5)
  expect(offered).toEqual([{ ...ROOM, count: 5, taken: 4 }])
})

it('a claim closes the room until it brings its own, and after it the room is offered again', () => {
  const { room, offered } = anOffer()
  room.offer(DESTINATION, 8)
  expect(room.behindClaim(DESTINATION, 6)).toEqual({ ...ROOM, count: 6, taken: 0 })
  room.claimEnded()
  room.offer(DESTINATION, 0)
  expect(offered.map(({ count }) => count)).toEqual([8, 0, 0])
})

it('the end of the worker closes the room, whatever is on its way', () => {
  const { room, offered } = anOffer()
  room.close(DESTINATION)
  expect(offered).toEqual([{ ...ROOM, count: 0, taken: Number.POSITIVE_INFINITY }])
})
