import type { HandedDelivery } from '../../../domain/delivery.ts'
import type { Fact } from '../../../domain/event.ts'
import type { StoredCallback } from '../../../domain/event-record.ts'

/**
 * Results of `storeCallback` on their way to the main thread, as one JSON text. That of a callback which became one event, the common case, is a row of
 * values: both threads need two thirds of the CPU of JSON with names, and less than half for deliveries that were handed over.
 */
type ResultRow = readonly [
  callbackId: number,
  eventId: string,
  kind: string,
  subject: string | null,
  status: string | null,
  destinationIds: readonly number[],
  /** HANDED_VALUES of each delivery, one after the other. */
  handed: readonly number[],
]
const HANDED_VALUES = 4

export function packResults(results: readonly StoredCallback[]): string {
  return JSON.stringify(results.map((result) => rowOf(result) ?? result))
}

export function unpackResults(text: string): StoredCallback[] {
  return (JSON.parse(text) as (ResultRow | StoredCallback)[]).map((packed) =>
    isRow(packed) ? resultOf(packed) : packed,
  )
}

const ROW_FIELDS = new Set(['callbackId', 'eventIds', 'duplicates', 'destinationIds', 'newFacts', 'handed'])

/** null: it has something else to say. */
function rowOf(result: StoredCallback): ResultRow | null {
  for (const field in result) if (!ROW_FIELDS.has(field)) return null
  const { callbackId, eventIds, duplicates, destinationIds, newFacts, handed } = result
  const [eventId] = eventIds
  const fact = newFacts?.[0]
  if (callbackId === null || eventId === undefined || fact === undefined) return null
  if (eventIds.length > 1 || newFacts?.length !== 1 || duplicates > 0) return null
  return [callbackId, eventId, fact.kind, fact.subject, fact.status, destinationIds, handedValues(handed)]
}

function handedValues(handed: readonly HandedDelivery[] | undefined): number[] {
  const values: number[] = []
  if (handed === undefined) return values
  for (const { deliveryId, destinationId, hasOrderKey, leaseUntil } of handed)
    values.push(deliveryId, destinationId, hasOrderKey ? 1 : 0, leaseUntil)
  return values
}

function isRow(packed: ResultRow | StoredCallback): packed is ResultRow {
  return Array.isArray(packed)
}

function resultOf([callbackId, eventId, kind, subject, status, destinationIds, values]: ResultRow): StoredCallback {
  const newFacts: Pick<Fact, 'kind' | 'subject' | 'status'>[] = [{ kind, subject, status }]
  const result = { callbackId, eventIds: [eventId], duplicates: 0, destinationIds, newFacts }
  return values.length === 0 ? result : { ...result, handed: handedOf(values) }
}

function handedOf(values: readonly number[]): HandedDelivery[] {
  const handed: HandedDelivery[] = []
  for (let at = 0; at < values.length; at += HANDED_VALUES) {
    const [deliveryId, destinationId, hasOrderKey, leaseUntil] = values.slice(at, at + HANDED_VALUES) as Handed
    handed.push({ deliveryId, destinationId, hasOrderKey: hasOrderKey === 1, leaseUntil })
  }
  return handed
}

type Handed = [deliveryId: number, destinationId: number, hasOrderKey: number, leaseUntil: number]
