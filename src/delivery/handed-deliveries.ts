import type { HandedDelivery, ReadyDelivery } from '../domain/delivery.ts'
import type { ReceivedCallback } from '../domain/event.ts'
import { publishedEventsOf } from '../domain/event-bus.ts'
import type { StoredCallback } from '../domain/event-record.ts'
import { loopIn } from '../domain/forwarding/forwarding-loop.ts'

/** The deliveries that were claimed while their callback was stored. It is the whole body of its only event. */
export function handedDeliveriesOf(callback: ReceivedCallback, stored: StoredCallback): ReadyDelivery[] {
  const { handed = [], eventIds } = stored
  const [published] = handed.length === 0 ? [] : publishedEventsOf(callback, stored)
  const [id] = eventIds
  if (published === undefined || id === undefined) return []
  const { kind, subject, status } = published
  const { environment, authentication, receivedAt, contentType, body } = callback
  const event = { id, kind, environment, authentication, source: null, subject, status, receivedAt, part: 1, parts: 1 }
  const loop = loopIn(callback.headers)
  return handed.map(({ deliveryId, destinationId, hasOrderKey, leaseUntil }: HandedDelivery) => ({
    delivery: {
      deliveryId,
      destinationId,
      hasOrderKey,
      event,
      contentType,
      body,
      attempt: 1,
      retriesUsed: 0,
      dueAt: receivedAt,
      agesFrom: receivedAt,
      isBacklog: false,
      isReplay: false,
      ...(loop !== undefined && { loop }),
    },
    leaseUntil,
  }))
}
