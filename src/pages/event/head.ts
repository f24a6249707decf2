import { documentIn, payerIn } from '../../domain/search/event-payer.ts'
import { printable } from '../../platform/control-characters.ts'
import type { PageRequest } from '../frame/page.ts'
import { pagePath, placeIn, typedIn } from '../frame/search-query.ts'
import { seesEveryDelivery } from '../frame/viewer-rights.ts'
import { badge } from '../parts/badge.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { kindWord } from '../parts/kind-word.ts'
import { documentText, personPath } from '../parts/person.ts'
import { realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { statusText } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { whereHtml } from '../parts/where-html.ts'
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
  const person = event.masked ? null : documentIn(event.data)
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
  [
    words.find.person.title,
    person && html`<a href="${personPath(person)}">${words.find.person.link(documentText(person))}</a>`,
  ],
  [own.head.received, timeOf(event.receivedAt)],
  [own.head.delivered, whereHtml(deliveries, seesEveryDelivery(request.viewer), words)],
  [own.id, copiedId(event.id, own.copy.eventId, words)],
])}`
}
