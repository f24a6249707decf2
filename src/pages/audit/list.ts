import type { actionSchema } from '../../api/audit/schema.ts'
import { ACTION_WORDS } from '../../api/contracts.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { jsonOf } from '../frame/answers.ts'
import { filtersIn, PAGE_ROWS, pagerOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { badge } from '../parts/badge.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { shortened } from '../parts/shortened-text.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'
import { detailsOf } from './details.ts'

const CHANNELS: Readonly<Record<ActionView['channel'], Said>> = {
  page: say`a page`,
  api: say`the API`,
  control: say`a command`,
}

/** Beside those of the contracts. */
const OTHER_ACTIONS: Readonly<Record<string, Said>> = {
  changeDestination: say`change a destination`,
  createClient: say`create a client`,
  createDestination: say`create a destination`,
  registerForApp: say`register an address for an app`,
  reloadConfiguration: say`reload the configuration`,
  reloadGateway: say`reload the certificates`,
}

const PATH = '/ui/audit'
const FILTERS = ['actor', 'action', 'target', 'from', 'to'] as const

type ActionView = View<typeof actionSchema>

export const AUDIT: Page = {
  path: '/audit',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, query, t } = request
    const { asked, isFiltered } = filtersIn(query, FILTERS)
    const page = jsonOf(await ask('listActions', { query: { ...asked, order: 'desc', limit: PAGE_ROWS } }))
    const { data } = page
    return {
      title: t`Log of actions`,
      body: html`<h1>${t`Log of actions`}</h1>
<p>${t`Who changed something, or saw masked data, newest first. An entry is written before the action, and another one if it fails.`}</p>
${filtersOf(request)}
${data.length === 0 ? empty(isFiltered ? t`No action matches the filters.` : t`No action is recorded.`) : table(t`Log of actions`, columnsFor(t), data)}
${pagerOf(page, PATH, request)}`,
    }
  },
}

function filtersOf({ query, t }: PageRequest): Html {
  const value = (name: string) => query.get(name) ?? ''
  const actions = Object.entries(actionTexts(t)).sort(([, one], [, other]) => one.localeCompare(other))
  const fields = [
    select('action', t`Action`, { options: [['', t`any action`], ...actions], chosen: value('action') }),
    textField('actor', t`Who`, { value: value('actor'), hint: t`Id of a client, or operator` }),
    textField('target', t`Object`, { value: value('target'), hint: t`Such as dst_1, exactly as recorded` }),
    timeField('from', t`From`, { value: value('from'), t }),
    timeField('to', t`Before`, { value: value('to') }),
  ]
  return filterForm(PATH, fields, t`Filter`)
}

function columnsFor(t: Speaker): readonly Column<ActionView>[] {
  return [
    { title: t`Entry`, cell: ({ id }) => idOf(id) },
    { title: t`Time`, cell: ({ at }) => timeOf(at) },
    { title: t`Who`, cell: (one) => actorOf(one, t) },
    { title: t`Action`, cell: (one) => actionOf(one, t) },
    { title: t`Object`, cell: ({ target }) => target && idOf(shortened(target)) },
    { title: t`What`, cell: ({ details }) => details && detailsOf(details, t) },
    { title: t`Reason`, cell: ({ reason }) => reason && shortened(reason, 200) },
    { title: t`Over`, cell: ({ channel }) => t.of(CHANNELS[channel]) },
  ]
}

function actorOf({ actor, actorName }: ActionView, t: Speaker): Html {
  if (actor === 'operator') return html`${t`operator`}`
  return html`${actorName && shortened(actorName)} ${idOf(actor)}`
}

/** A newer gateway may have recorded an action without a text here. */
function actionOf({ action, refersTo }: ActionView, t: Speaker): Html {
  const texts = actionTexts(t)
  const text = Object.hasOwn(texts, action) ? texts[action] : html`<code>${action}</code>`
  return html`${text}${refersTo !== null && html` ${badge(t`failed: ${{ id: refersTo }}`, 'bad')}`}`
}

export function actionTexts(t: Speaker): Readonly<Record<string, string>> {
  const ofContracts = Object.entries(ACTION_WORDS).map(([id, words]) => [id, t.template(words)])
  const others = Object.entries(OTHER_ACTIONS).map(([id, said]) => [id, t.of(said)])
  return Object.fromEntries([...ofContracts, ...others])
}
