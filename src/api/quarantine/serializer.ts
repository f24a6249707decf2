import type { Evidence } from '../../domain/event-record.ts'
import { numberedId, parseNumberedId } from '../../domain/public-id.ts'
import { type QuarantinedBody, type QuarantinedFact, unparsedReasonOf } from '../../domain/quarantine.ts'
import { partsOf } from '../../domain/realm.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import { dataMember, evidenceView } from '../events/serializer.ts'
import type { View } from '../http/schema-parts.ts'
import type { quarantinedSchema } from './schema.ts'

export interface QuarantinedWithEvidence {
  readonly fact: QuarantinedBody
  readonly evidence: Evidence
}

/** @throws PortariaError `not_found` */
export async function findQuarantined(store: StoreReader, id: string): Promise<QuarantinedWithEvidence> {
  const number = parseNumberedId('qtn', id)
  const found = number === null ? null : await store.getQuarantined(number)
  if (found === null) throw new PortariaError('not_found', say`there is no ${{ id: id.slice(0, 64) }} in quarantine`)
  return found
}

export function quarantinedView(fact: QuarantinedFact): View<typeof quarantinedSchema> {
  return {
    id: numberedId('qtn', fact.id),
    state: fact.state,
    reason: fact.reason,
    kind: fact.kind,
    ...partsOf(fact.environment),
    subject: fact.subject,
    status: fact.status,
    receivedAt: iso(fact.receivedAt),
    listener: fact.listener,
    authentication: fact.authentication,
    mark: fact.mark,
    part: fact.parts > 1 ? `${fact.part}/${fact.parts}` : null,
    seen: fact.seen,
    lastSeenAt: iso(fact.lastSeenAt),
    callback: numberedId('clb', fact.callbackId),
    decidedAt: isoOrNull(fact.decidedAt),
    decidedBy: fact.decidedBy,
    event: fact.eventId,
    payloadRemovedAt: isoOrNull(fact.payloadRemovedAt),
  }
}

/** As JSON text, with the data as received, like that of an event. */
export function quarantinedText({ fact, evidence }: QuarantinedWithEvidence): string {
  const rest = {
    ...quarantinedView(fact),
    unparsedReason: unparsedReasonOf(fact),
    contentType: fact.contentType,
    evidence: evidenceView(evidence),
  }
  return `${JSON.stringify(rest).slice(0, -1)},${dataMember(fact)}}`
}
