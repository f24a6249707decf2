import type { EventMask, MaskedEvent } from '../../domain/masking/event-mask.ts'
import { type QuarantinedBody, type QuarantinedFact, unparsedReasonOf } from '../../domain/quarantine.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { maskedPage } from '../deliveries/masked-view.ts'
import { maskedEvidence } from '../events/masked-view.ts'
import { evidenceView } from '../events/serializer.ts'
import type { View } from '../http/schema-parts.ts'
import type { quarantinedSchema } from './schema.ts'
import { type QuarantinedWithEvidence, quarantinedView } from './serializer.ts'

type FactReader = Pick<StoreReader, 'getQuarantined'>

/** With personal data masked. A subject is compared with the masked values of its payload, so each payload is read. */
export function maskedFacts(
  facts: readonly QuarantinedFact[],
  store: FactReader,
  mask: EventMask,
): Promise<View<typeof quarantinedSchema>[]> {
  return maskedPage(facts, (fact) => maskedFact(fact, store, mask))
}

/** @returns bytes how long its payload is */
export async function maskedFact(fact: QuarantinedFact, store: FactReader, mask: EventMask) {
  const body = (await store.getQuarantined(fact.id))?.fact ?? withoutBody(fact)
  return { view: maskedView(fact, mask(body)), bytes: body.body.length }
}

/** Retention removed it meanwhile. */
function withoutBody(fact: QuarantinedFact): QuarantinedBody {
  return { ...fact, contentType: null, body: new Uint8Array(), payloadRemovedAt: fact.payloadRemovedAt ?? 0 }
}

/** As JSON text. */
export function maskedQuarantinedText({ fact, evidence }: QuarantinedWithEvidence, mask: EventMask): string {
  const masked = mask(fact)
  const { contentType, data } = masked
  const rest = {
    ...maskedView(fact, masked),
    unparsedReason: unparsedReasonOf(fact),
    contentType,
    evidence: maskedEvidence(evidenceView(evidence), masked),
  }
  return `${JSON.stringify(rest).slice(0, -1)},"data":${data ?? 'null'}}`
}

function maskedView(fact: QuarantinedFact, { subject, status }: MaskedEvent): View<typeof quarantinedSchema> {
  return { ...quarantinedView(fact), subject, status, masked: true }
}
