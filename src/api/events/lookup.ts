import type { DeliveryRecord } from '../../domain/delivery.ts'
import { HASHED_FIELDS } from '../../domain/event-hash.ts'
import type { EventRecord, Evidence } from '../../domain/event-record.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import { attemptView, deliveryView, type NextProbeOf } from '../deliveries/view.ts'
import { MAX_LIMIT } from '../http/query.ts'
import type { View } from '../http/schema-parts.ts'
import type { proofSchema } from './schema.ts'

/** How to compute the hashes of a proof. */
export function wordsOfProof(): string {
  return `The digest is the SHA-256 of the fields in order: each as its length in bytes (4 bytes, big-endian) and its bytes in UTF-8, \
null as ff ff ff ff. The hash is the SHA-256 of the 32 bytes of the previous hash and the 32 bytes of the digest. payloadHash is the \
SHA-256 of the payload, peerFingerprint that of the certificate in DER form.`
}

export type ProofView = View<typeof proofSchema>

/** @throws PortariaError `not_found` */
export async function findEvent(store: StoreReader, id: string) {
  const found = await store.getEvent(id)
  if (found === null) throw new PortariaError('not_found', say`there is no event ${{ id: id.slice(0, 64) }}`)
  return found
}

/** @throws PortariaError `gone` where retention or a redaction removed data from the callback */
export function requireBody({ bodyRemovedAt }: Pick<Evidence, 'bodyRemovedAt'>): void {
  if (bodyRemovedAt === null) return
  throw new PortariaError(
    'gone',
    [
      `the original body is no longer stored: data was removed from it on ${iso(bodyRemovedAt)}, by retention or a redaction;`,
      `GET /v1/events/:id ("${COMMAND} events show") shows what is left`,
    ].join(' '),
  )
}

/** @throws PortariaError `not_found` */
export async function proofOf(reader: StoreReader, id: string): Promise<ProofView> {
  const { event, evidence } = await findEvent(reader, id)
  const proof = await reader.getProof(id)
  if (proof === null) throw new PortariaError('not_found', say`retention has just removed the event ${{ id }}`)
  const { values, hashes, digest, previous, isSound } = proof
  const isRemoved = event.payloadRemovedAt !== null
  return {
    id: event.id,
    isSound,
    fields: HASHED_FIELDS.map((name, index) => [name, textOf(values[index] ?? null)]),
    payload: isRemoved ? null : Buffer.from(event.body).toString('base64'),
    payloadRemovedAt: isoOrNull(event.payloadRemovedAt),
    previous,
    digest,
    hash: hashes.event,
    certificate: evidence.peer?.pem ?? null,
    how: wordsOfProof(),
  }
}

function textOf(value: string | number | null): string | null {
  return value === null ? null : String(value)
}

/** The deliveries of an event, each with its latest attempts. */
export async function triedDeliveries(
  store: StoreReader,
  { position }: Pick<EventRecord, 'position'>,
  nextProbeOf: NextProbeOf,
) {
  const deliveries = await store.listDeliveries({ position }, MAX_LIMIT)
  const triedDelivery = async (delivery: DeliveryRecord) => ({
    ...deliveryView(delivery, nextProbeOf),
    latestAttempts: (await store.listAttempts(delivery.deliveryId, MAX_LIMIT)).map(attemptView),
  })
  return Promise.all(deliveries.map(triedDelivery))
}
