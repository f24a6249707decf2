import type { EventWithBody } from '../../domain/event-record.ts'
import type { EventMask, MaskedEvent } from '../../domain/masking/event-mask.ts'
import { MASK } from '../../domain/masking/mask-json.ts'
import { partsOf } from '../../domain/realm.ts'
import { amountIn } from '../../domain/search/event-amount.ts'
import { documentIn, payerIn } from '../../domain/search/event-payer.ts'
import type { ListedSubject } from '../../domain/subject-list.ts'
import { shownText } from '../../platform/body-text.ts'
import { iso } from '../../platform/time.ts'
import { maskedDelivery } from '../deliveries/masked-view.ts'
import { deliveryView, type NextProbeOf } from '../deliveries/view.ts'
import { eventSummary } from '../events/serializer.ts'
import type { View } from '../http/schema-parts.ts'
import type { subjectSchema } from './schema.ts'

export type SubjectView = View<typeof subjectSchema>

/** @param mask null: the reader sees personal data */
export function subjectView(
  { events, hasOlder, deliveries }: ListedSubject,
  { mask, nextProbeOf }: { readonly mask: EventMask | null; readonly nextProbeOf: NextProbeOf },
): SubjectView {
  const shown = events.map((event) => ({ event, masked: mask === null ? null : mask(event) }))
  const [newest] = shown
  if (newest === undefined) throw new Error('a subject has at least one event')
  const byId = new Map(shown.map(({ event, masked }) => [event.id, masked]))
  const payloads = shown.map(({ event, masked }) => ({ kind: event.kind, data: payloadOf(event, masked) }))
  const { event, masked } = newest
  return {
    kind: event.kind,
    ...partsOf(event.environment),
    subject: masked === null ? event.subject : masked.subject,
    status: masked === null ? event.status : masked.status,
    changedAt: iso(event.receivedAt),
    // The newest event may be one without them.
    amount: firstOf(payloads, amountIn),
    payer: firstOf(payloads, ({ data }) => unmasked(payerIn(data))),
    payerDocument: firstOf(payloads, ({ data }) => documentIn(data)),
    event: event.id,
    events: shown.map((one) => stepOf(one.event, one.masked)),
    hasOlder,
    deliveries: deliveries.map((delivery) => {
      const view = deliveryView(delivery, nextProbeOf)
      const ofEvent = byId.get(delivery.eventId)
      return ofEvent ? maskedDelivery(view, ofEvent) : view
    }),
    ...(mask !== null && { masked: true }),
  }
}

function stepOf(event: EventWithBody, masked: MaskedEvent | null): SubjectView['events'][number] {
  const { id, status, receivedAt, source, mark } = eventSummary(event)
  return { id, status: masked === null ? status : masked.status, receivedAt, source, mark }
}

function firstOf<T, R>(all: readonly T[], read: (one: T) => R | null): R | null {
  for (const one of all) {
    const found = read(one)
    if (found !== null) return found
  }
  return null
}

function unmasked(text: string | null): string | null {
  return text === MASK ? null : text
}

/** null: there is none, or it is no JSON. */
function payloadOf(event: EventWithBody, masked: MaskedEvent | null): unknown {
  try {
    return JSON.parse(masked === null ? shownText(event.body, event.contentType) : (masked.data ?? 'null'))
  } catch {
    return null
  }
}
