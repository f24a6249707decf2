import { payerIn } from '../../domain/search/event-payer.ts'
import { printable } from '../../platform/control-characters.ts'
import type { PageRequest } from '../frame/page.ts'
import { pagePath, placeIn, typedIn } from '../frame/search-query.ts'
import { seesEveryDelivery } from '../frame/viewer-rights.ts'
import { badge } from '../parts/badge.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { kindWord } from '../parts/kind-word.ts'
import { realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { statusText } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { amountText } from './amount.ts'
import { copiedId } from './copied.ts'
import { type DeliveryView, type EventDetail, MASK, nameOf } from './model.ts'

/** The search that led here, with its filters and its page. */
function searchPath({ query }: PageRequest): string {
  const search = new URLSearchParams(query.get('back') ?? '')
  return pagePath(typedIn(search), placeIn(search))
}

/** What a person who answers a customer needs first. */
export function headSection(event: EventDetail, deliveries: readonly DeliveryView[], request: PageRequest): Html {
  const { words, language } = request
  const { event: own } = words
  const payer = payerIn(event.data)
  const kind = kindWord(event.kind, words)
  return html`<p><a href="${searchPath(request)}">${own.back}</a></p>
<h1>${printable(event.kind)} ${event.subject !== null && printable(nameOf(event))}</h1>
<p>${kind !== null && badge(kind)}
${event.status !== null && badge(statusText(event.status, words))}
${badge(realmText(event, words), event.environment === 'production' ? 'info' : null)}
${event.mark !== null && badge(own.marks[event.mark], 'warn')}
${event.unresolved && badge(own.unresolved, 'warn')}
${event.payloadRemovedAt !== null && badge(own.removed, 'warn')}</p>
${facts([
  [own.head.amount, amountText(event, language)],
  [
    own.head.subject,
    event.subject !== null && event.subject !== MASK && copiedId(printable(event.subject), own.copy.subject, words),
  ],
  [own.head.payer, payer && shortened(payer)],
  [own.head.received, timeOf(event.receivedAt)],
  [own.head.delivered, deliveredText(deliveries, request)],
  [own.id, copiedId(event.id, own.copy.eventId, words)],
])}`
}

/** The worst state gives the colour. */
function deliveredText(deliveries: readonly DeliveryView[], { words, viewer }: PageRequest): Html {
  const { find, event } = words
  if (deliveries.length === 0) return badge(seesEveryDelivery(viewer) ? find.noDestination : find.noOwnDestination)
  const count = (...states: readonly DeliveryView['state'][]) =>
    deliveries.filter(({ state }) => states.includes(state)).length
  const text = event.head.count(count('delivered'), deliveries.length)
  if (count('exhausted') > 0) return badge(text, 'bad')
  if (count('pending', 'blocked') > 0) return badge(text, 'warn')
  return badge(text, count('delivered') > 0 ? 'good' : null)
}
