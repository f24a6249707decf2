import { documentIn, payerIn } from '../../domain/search/event-payer.ts'
import { printable } from '../../platform/control-characters.ts'
import { MARKS } from '../event/model.ts'
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
  const { t, language } = request
  const payer = payerIn(event.data)
  const person = event.masked ? null : documentIn(event.data)
  const kind = kindWord(event.kind, t)
  return html`<p><a href="${searchPath(request)}">${t`Back to the search`}</a></p>
<h1>${kind ?? printable(event.kind)} ${event.subject !== null && printable(nameOf(event))}</h1>
<p>${kind !== null && badge(printable(event.kind))}
${event.status !== null && badge(statusText(event.status, t))}
${badge(realmText(event, t), event.environment === 'production' ? 'info' : null)}
${event.mark !== null && badge(t.of(MARKS[event.mark]), 'warn')}
${event.unresolved && badge(t`unresolved token`, 'warn')}
${event.payloadRemovedAt !== null && badge(t`data removed`, 'warn')}</p>
${facts([
  [t`Amount`, amountText(event, language)],
  [
    t`Reference`,
    event.subject !== null && event.subject !== MASK && copiedId(printable(event.subject), t`reference`, t),
  ],
  [t`Payer`, payer && shortened(payer)],
  [
    t`CPF or CNPJ`,
    person && html`<a href="${personPath(person)}">${t`Everything about ${{ number: documentText(person) }}`}</a>`,
  ],
  [t`Received`, timeOf(event.receivedAt)],
  [t`Delivered`, whereHtml(deliveries, seesEveryDelivery(request.viewer), t)],
  [t`Id`, copiedId(event.id, t`event id`, t)],
])}`
}
