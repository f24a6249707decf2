import { expect, it } from 'vitest'
import { createSlotOffer } from '../../src/delivery/slot-offer.ts'
import type { DeliverySlots } from '../../src/domain/delivery.ts'
import type { Destination } from '../../src/domain/destination.ts'
import { aDelivery } from './receiver.ts'

const DESTINATION = { id: 7, timeoutMs: 5000 } as Destination
const ROOM = { destinationId: 7, leaseMs: 35_000 }

function anOffer() {
  const offered: DeliverySlots[] = []
  const slots = createSlotOffer({ offerSlots: (one) => void offered.push(one) })
  return { slots, offered }
}

it('says only what the store does not know: a delivery that came has used a place that was offered', () => {
  const { slots, offered } = anOffer()
  slots.offer(DESTINATION, 0)
  slots.offer(DESTINATION, 8)
  slots.took([aDelivery()])
  slots.offer(DESTINATION, 7)
  expect(offered).toEqual([{ ...ROOM, count: 8, taken: 0 }])
  slots.offer(DESTINATION, 8)
  slots.offer(DESTINATION, 0)
  slots.offer(DESTINATION, 0)
  expect(offered.slice(1)).toEqual([
    { ...ROOM, count: 8, taken: 1 },
    { ...ROOM, count: 0, taken: 1 },
  ])
})

it('a large body uses several slots', () => {
  const { slots, offered } = anOffer()
  slots.took([aDelivery({ body: Buffer.alloc(40_000) }), aDelivery()])
  slots.offer(DESTINATION, 5)
  expect(offered).toEqual([{ ...ROOM, count: 5, taken: 4 }])
})

it('a claim closes the slots until it brings its own, and after it the slots is offered again', () => {
  const { slots, offered } = anOffer()
  slots.offer(DESTINATION, 8)
  expect(slots.behindClaim(DESTINATION, 6)).toEqual({ ...ROOM, count: 6, taken: 0 })
  slots.claimEnded()
  slots.offer(DESTINATION, 0)
  expect(offered.map(({ count }) => count)).toEqual([8, 0, 0])
})

it('the end of the worker closes the slots, whatever is on its way', () => {
  const { slots, offered } = anOffer()
  slots.close(DESTINATION)
  expect(offered).toEqual([{ ...ROOM, count: 0, taken: Number.POSITIVE_INFINITY }])
})
