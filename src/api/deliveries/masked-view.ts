import type { DeliveryRecord } from '../../domain/delivery.ts'
import type { EventMask, Maskable } from '../../domain/masking/event-mask.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { maskedDelivery } from '../events/masked-view.ts'
import type { View } from '../http/schema-parts.ts'
import type { deliverySchema } from './schema.ts'
import { deliveryView } from './view.ts'

/** A list reads the payload of each event: it ends where this many bytes were read. */
const MAX_READ_BYTES = 4 * 1024 * 1024

/**
 * The first deliveries of the list, at least one of a list that is not empty, with personal data masked. Subjects and errors are compared with the masked
 * values of the payload, so each payload is read.
 */
export async function maskedDeliveries(
  deliveries: readonly DeliveryRecord[],
  store: Pick<StoreReader, 'getEvent'>,
  mask: EventMask,
): Promise<View<typeof deliverySchema>[]> {
  const views: View<typeof deliverySchema>[] = []
  let left = MAX_READ_BYTES
  for (const delivery of deliveries) {
    if (left <= 0) break
    const event = (await store.getEvent(delivery.eventId))?.event ?? withoutBody(delivery)
    views.push(maskedDelivery(deliveryView(delivery), mask(event)))
    left -= event.body.length
  }
  return views
}

/** Retention removed the event meanwhile. */
function withoutBody({ kind, subject }: DeliveryRecord): Maskable {
  return { kind, subject, status: null, contentType: null, body: new Uint8Array(), payloadRemovedAt: 0 }
}
