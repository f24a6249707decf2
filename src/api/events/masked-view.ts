import type { EventMask, MaskedEvent } from '../../domain/masking/event-mask.ts'
import { MASK } from '../../domain/masking/mask-json.ts'
import type { View } from '../http/schema-parts.ts'
import type { evidenceSchema } from './schema.ts'
import { type EventTextOf, eventSummary } from './serializer.ts'

/** Events as JSON text with personal data masked; `masked` says so. */
export function maskedTexts(mask: EventMask): EventTextOf {
  return function maskedEventText(event) {
    const { data, subject, status, contentType } = mask(event)
    const summary = JSON.stringify({ ...eventSummary(event), subject, status, contentType, masked: true })
    return `${summary.slice(0, -1)},"data":${data ?? 'null'}}`
  }
}

/** Headers whose values do not depend on the payload, except for its type. */
const PLAIN_HEADERS = ['accept', 'accept-encoding', 'content-length', 'content-type', 'date', 'host', 'user-agent']

type EvidenceView = View<typeof evidenceSchema>

/** Without the query of the request target, and without the values of uncommon headers: both may repeat the payload. */
export function maskedEvidence(evidence: EvidenceView, { contentType, shown }: MaskedEvent): EvidenceView {
  const headerOf = ([name, value]: readonly [string, string]): [string, string] => {
    if (name === 'content-type') return [name, contentType ?? MASK]
    return [shown(name), PLAIN_HEADERS.includes(name) ? shown(value) : MASK]
  }
  return {
    ...evidence,
    target: evidence.target === null ? null : maskedTarget(evidence.target, shown),
    contentType,
    headers: evidence.headers.map(headerOf),
  }
}

function maskedTarget(target: string, shown: MaskedEvent['shown']): string {
  const [path = '', query] = target.split('?', 2)
  return query === undefined ? shown(path) : `${shown(path)}?${MASK}`
}
