import { DELIVERY_CHOICES, type DeliveryChoice } from '../../domain/delivery.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf } from '../frame/answers.ts'
import type { PageRequest } from '../frame/page.ts'
import { type FIELDS, momentText, pagePath, type Typed } from '../frame/search-query.ts'
import { seesBothEnvironments } from '../frame/viewer-rights.ts'
import { listField, type Option, select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { kindOptions, kindText } from '../parts/kind-word.ts'
import { environmentOptions, institutionSelect } from '../parts/realm.ts'
import { statusWord } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'

/** The states that people ask for first. */
const STATES = ['failing', 'exhausted', 'waiting', 'delivered', 'canceled'] as const
/** Names that a list of choices has at most. */
const MOST_NAMES = 200

/** The box with its filters, and below it the filters that are set. */
export async function searchForm(request: PageRequest, typed: Typed): Promise<Html> {
  const { words, viewer } = request
  const { find } = words
  return html`<form method="get" action="/ui/" role="search" class="card">
${typed.view !== '' && html`<input type="hidden" name="view" value="${typed.view}">`}<div class="fields">
<p class="grow"><label for="search">${find.search}</label>
<input id="search" name="search" type="search" value="${typed.search}" maxlength="200" autocomplete="off" spellcheck="false" autofocus aria-keyshortcuts="/" aria-describedby="search-hint"></p>
<p><button>${find.button}</button></p>
</div>
<p class="hint" id="search-hint">${viewer.can('events.read') ? find.hint : find.maskedHint}</p>
<details><summary>${find.filters}</summary>
<div class="fields">
${select('deliveryState', find.delivery, { options: stateOptions(typed, words), chosen: typed.deliveryState })}
${listField('destination', find.destination, { value: typed.destination, options: await destinationNames(request) })}
${listField('status', find.status, { value: typed.status, options: statusOptions(words) })}
${select('kind', find.kind, { options: kindsOf(request, typed), chosen: typed.kind })}
${institutionSelect(request, typed.institution)}
${seesBothEnvironments(request.viewer) && select('environment', find.environment, { options: [['', find.both], ...environmentOptions(words)], chosen: typed.environment })}
${timeField('from', find.from, { value: momentText(typed.from, 'first'), words })}
${timeField('to', find.to, { value: momentText(typed.to, 'last') })}
</div>
</details>
</form>
${chips(typed, words)}`
}

function stateOptions({ deliveryState }: Typed, words: Catalogue): readonly Option[] {
  const isKnown = deliveryState === '' || STATES.some((one) => one === deliveryState)
  return [
    ['', words.find.everyState],
    ...[...STATES, ...(isKnown ? [] : [deliveryState])].map((one) => [one, stateText(one, words)] as const),
  ]
}

/** A list of states, as the address has it. */
function stateText(value: string, { deliveries }: Catalogue): string {
  const known = (state: string) => DELIVERY_CHOICES.find((one) => one === state)
  const textOf = (state: DeliveryChoice | undefined, given: string) =>
    state === undefined ? printable(given) : deliveries.states[state]
  return value
    .split(',')
    .map((state) => textOf(known(state), state))
    .join(', ')
}

function statusOptions(words: Catalogue): readonly Option[] {
  return Object.keys(words.statuses).map((status) => [status, statusWord(status, words) ?? ''] as const)
}

function kindsOf({ kinds, words }: PageRequest, { kind }: Typed): readonly Option[] {
  const known = [...new Set([...kinds, ...KINDS_BY_NAME_ONLY, ...(kind === '' ? [] : [kind])])]
  return [['', words.find.everyKind], ...kindOptions(known, words)]
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
function chips(typed: Typed, words: Catalogue): Html | null {
  const { find, frame, common } = words
  const shown: Readonly<Record<Filter, readonly [title: string, text: string | Html]>> = {
    deliveryState: [find.delivery, stateText(typed.deliveryState, words)],
    destination: [find.destination, typed.destination],
    status: [find.status, typed.status],
    kind: [find.kind, kindText(typed.kind, words)],
    institution: [common.institution, typed.institution],
    environment: [
      find.environment,
      Object.hasOwn(frame.environments, typed.environment)
        ? frame.environments[typed.environment as keyof typeof frame.environments]
        : typed.environment,
    ],
    from: [find.from, timeOf(momentText(typed.from, 'first'))],
    to: [find.to, timeOf(momentText(typed.to, 'last'))],
  }
  const set = (Object.keys(shown) as Filter[]).filter((name) => typed[name] !== '')
  const shortcuts = typed.deliveryState === '' ? STATES.slice(0, 3) : []
  return html`<ul class="chips" aria-label="${find.chips}">
${set.map((name) => {
  const [title, text] = shown[name]
  const without = pagePath({ ...typed, [name]: '' })
  const shownText = typeof text === 'string' ? printable(text) : text
  return html`<li><a class="chip on" href="${without}"><span class="visually-hidden">${find.remove}</span> ${title}: ${shownText} <span aria-hidden="true">×</span></a></li>\n`
})}${shortcuts.map((state) => html`<li><a class="chip" href="${pagePath({ ...typed, deliveryState: state })}">${find.only(stateText(state, words))}</a></li>\n`)}${set.length > 0 && html`<li><a class="chip" href="/ui/">${find.clear}</a></li>\n`}</ul>`
}
