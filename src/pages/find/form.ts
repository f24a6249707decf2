import { DELIVERY_CHOICES, type DeliveryChoice } from '../../domain/delivery.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { DELIVERY_WORDS } from '../../messages/where.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf } from '../frame/answers.ts'
import type { PageRequest } from '../frame/page.ts'
import { type FIELDS, momentText, pagePath, type Typed } from '../frame/search-query.ts'
import { seesBothEnvironments } from '../frame/viewer-rights.ts'
import { listField, type Option, select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { kindOptions, kindText } from '../parts/kind-word.ts'
import { ENVIRONMENT_TEXTS, environmentOptions, institutionSelect } from '../parts/realm.ts'
import { STATUSES, statusWord } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'

/** The states that people ask for first. */
const STATES = ['failing', 'exhausted', 'waiting', 'delivered', 'canceled'] as const
/** Names that a list of choices has at most. */
const MOST_NAMES = 200

/** The box with its filters, and below it the filters that are set. */
export async function searchForm(request: PageRequest, typed: Typed): Promise<Html> {
  const { t, viewer } = request
  return html`<form method="get" action="/ui/" role="search" class="card">
${typed.view !== '' && html`<input type="hidden" name="view" value="${typed.view}">`}<div class="fields">
<p class="grow"><label for="search">${t`Search in all events`}</label>
<input id="search" name="search" type="search" value="${typed.search}" maxlength="200" autocomplete="off" spellcheck="false" autofocus aria-keyshortcuts="/" aria-describedby="search-hint"></p>
<p><button>${t`Find`}</button></p>
</div>
<p class="hint" id="search-hint">${viewer.can('events.read') ? t`Any value of a callback: txid, endToEndId, CPF or CNPJ, name, e-mail, phone, date such as 2026-03-02, amount such as 150.10, event id. The beginning is enough, from 4 characters.` : t`Any whole value of a callback: txid, endToEndId, CPF or CNPJ, word of a name, date such as 2026-03-02, amount such as 150.10, event id. Beginnings are not found, because personal data is masked for you.`}</p>
<details><summary>${t`Filters: delivery, destination, status, kind, time`}</summary>
<div class="fields">
${select('deliveryState', t`Delivery`, { options: stateOptions(typed, t), chosen: typed.deliveryState })}
${listField('destination', t`Destination`, { value: typed.destination, options: await destinationNames(request) })}
${listField('status', t`Status`, { value: typed.status, options: statusOptions(t) })}
${select('kind', t`Kind`, { options: kindsOf(request, typed), chosen: typed.kind })}
${institutionSelect(request, typed.institution)}
${seesBothEnvironments(request.viewer) && select('environment', t`Environment`, { options: [['', t`both`], ...environmentOptions(t)], chosen: typed.environment })}
${timeField('from', t`Received from`, { value: momentText(typed.from, 'first'), t })}
${timeField('to', t`Received before`, { value: momentText(typed.to, 'last') })}
</div>
</details>
</form>
${chips(typed, t)}`
}

function stateOptions({ deliveryState }: Typed, t: Speaker): readonly Option[] {
  const isKnown = deliveryState === '' || STATES.some((one) => one === deliveryState)
  return [
    ['', t`every state`],
    ...[...STATES, ...(isKnown ? [] : [deliveryState])].map((one) => [one, stateText(one, t)] as const),
  ]
}

/** A list of states, as the address has it. */
function stateText(value: string, t: Speaker): string {
  const known = (state: string) => DELIVERY_CHOICES.find((one) => one === state)
  const textOf = (state: DeliveryChoice | undefined, given: string) =>
    state === undefined ? printable(given) : t.of(DELIVERY_WORDS[state])
  return value
    .split(',')
    .map((state) => textOf(known(state), state))
    .join(', ')
}

function statusOptions(t: Speaker): readonly Option[] {
  return Object.keys(STATUSES).map((status) => [status, statusWord(status, t) ?? ''] as const)
}

function kindsOf({ kinds, t }: PageRequest, { kind }: Typed): readonly Option[] {
  const known = [...new Set([...kinds, ...KINDS_BY_NAME_ONLY, ...(kind === '' ? [] : [kind])])]
  return [['', t`every kind of the service`], ...kindOptions(known, t)]
}

/** Of the destinations that the person may list. */
async function destinationNames({ viewer, ask }: PageRequest): Promise<readonly Option[]> {
  if (!viewer.can('destinations.read') && !viewer.can('operations.read')) return []
  const answer = await ask('listDestinations', { query: { limit: MOST_NAMES } })
  if (answer.status >= 400) return []
  const names = jsonOf(answer).data.map(({ name }) => name)
  return [...new Set(names)].map((name) => [name, ''] as const)
}

type Filter = Exclude<(typeof FIELDS)[number], 'search' | 'view'>

/** Each filter that is set, as a link that takes it away. */
function chips(typed: Typed, t: Speaker): Html | null {
  const shown: Readonly<Record<Filter, readonly [title: string, text: string | Html]>> = {
    deliveryState: [t`Delivery`, stateText(typed.deliveryState, t)],
    destination: [t`Destination`, typed.destination],
    status: [t`Status`, typed.status],
    kind: [t`Kind`, kindText(typed.kind, t)],
    institution: [t`Institution`, typed.institution],
    environment: [t`Environment`, t.at(ENVIRONMENT_TEXTS, typed.environment) ?? typed.environment],
    from: [t`Received from`, timeOf(momentText(typed.from, 'first'))],
    to: [t`Received before`, timeOf(momentText(typed.to, 'last'))],
  }
  const set = (Object.keys(shown) as Filter[]).filter((name) => typed[name] !== '')
  const shortcuts = typed.deliveryState === '' ? STATES.slice(0, 3) : []
  return html`<ul class="chips" aria-label="${t`Filters that are set, and shortcuts`}">
${set.map((name) => {
  const [title, text] = shown[name]
  const without = pagePath({ ...typed, [name]: '' })
  const shownText = typeof text === 'string' ? printable(text) : text
  return html`<li><a class="chip on" href="${without}"><span class="visually-hidden">${t`Remove the filter`}</span> ${title}: ${shownText} <span aria-hidden="true">×</span></a></li>\n`
})}${shortcuts.map((state) => html`<li><a class="chip" href="${pagePath({ ...typed, deliveryState: state })}">${t`only: ${{ state: stateText(state, t) }}`}</a></li>\n`)}${set.length > 0 && html`<li><a class="chip" href="/ui/">${t`Remove all filters`}</a></li>\n`}</ul>`
}
