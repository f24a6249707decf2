import type { DeliveryRecord } from '../../domain/delivery.ts'
import type { EventMask, Maskable } from '../../domain/masking/event-mask.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { maskedDelivery, maskedPage } from '../events/masked-view.ts'
import type { View } from '../http/schema-parts.ts'
import type { deliverySchema } from './schema.ts'

/** With personal data masked. Subjects and errors are compared with the masked values of the payload, so each payload is read. */
export function maskedDeliveries(
  deliveries: readonly DeliveryRecord[],
  {
    store,
    mask,
    viewOf,
  }: {
    readonly store: Pick<StoreReader, 'getEvent'>
    readonly mask: EventMask
    readonly viewOf: (delivery: DeliveryRecord) => View<typeof deliverySchema>
  },
): Promise<View<typeof deliverySchema>[]> {
  return maskedPage(deliveries, async (delivery) => {
    const event = (await store.getEvent(delivery.eventId))?.event ?? withoutBody(delivery)
    return { view: maskedDelivery(viewOf(delivery), mask(event)), bytes: event.body.length }
  })
}

/** Retention removed the event meanwhile. */
function withoutBody({ kind, subject }: DeliveryRecord): Maskable {
  return { kind, subject, status: null, contentType: null, body: new Uint8Array(), payloadRemovedAt: 0 }
}
