import type { DeliveryRecord } from '../../domain/delivery.ts'
import type { EventMask, Maskable, MaskedEvent } from '../../domain/masking/event-mask.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import type { View } from '../http/schema-parts.ts'
import type { attemptSchema, deliverySchema } from './schema.ts'

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
    const event = await maskableOf(delivery, store)
    return { view: maskedDelivery(viewOf(delivery), mask(event)), bytes: event.body.length }
  })
}

/** The masked event of a delivery. */
export async function maskOf(
  delivery: DeliveryRecord,
  { store, mask }: { readonly store: Pick<StoreReader, 'getEvent'>; readonly mask: EventMask },
): Promise<MaskedEvent> {
  return mask(await maskableOf(delivery, store))
}

async function maskableOf(delivery: DeliveryRecord, store: Pick<StoreReader, 'getEvent'>): Promise<Maskable> {
  return (await store.getEvent(delivery.eventId))?.event ?? withoutBody(delivery)
}

/** Retention removed the event meanwhile. */
function withoutBody({ kind, environment, subject }: DeliveryRecord): Maskable {
  return { kind, environment, subject, status: null, contentType: null, body: new Uint8Array(), payloadRemovedAt: 0 }
}

interface MaskedRecord<V> {
  readonly view: V
  /** How long the payload is. */
  readonly bytes: number
}

/** A masked list reads the payload of each record: it ends where this many bytes were read. */
const MAX_READ_BYTES = 4 * 1024 * 1024

/** The first records of a list, at least one of a list that is not empty. */
export async function maskedPage<T, V>(
  records: readonly T[],
  masked: (record: T) => Promise<MaskedRecord<V>>,
): Promise<V[]> {
  const views: V[] = []
  let left = MAX_READ_BYTES
  for (const record of records) {
    if (left <= 0) break
    const { view, bytes } = await masked(record)
    views.push(view)
    left -= bytes
  }
  return views
}

/** Without the response body of the destination, which may repeat the request. */
export function maskedDelivery(
  delivery: View<typeof deliverySchema>,
  { subject, shown }: MaskedEvent,
): View<typeof deliverySchema> {
  const { lastError, reason } = delivery
  return {
    ...delivery,
    subject,
    lastAnswer: null,
    reason: reason && shown(reason),
    lastError: lastError && shown(lastError),
  }
}

export function maskedAttempt(attempt: View<typeof attemptSchema>, { shown }: MaskedEvent): View<typeof attemptSchema> {
  return { ...attempt, answer: '', error: attempt.error && shown(attempt.error) }
}
