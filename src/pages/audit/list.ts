import type { actionSchema } from '../../api/audit/schema.ts'
import { ACTION_WORDS } from '../../api/contracts.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { badge } from '../parts/badge.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { pager } from '../parts/pager.ts'
import { typedTime } from '../parts/period.ts'
import { shortened } from '../parts/shortened-text.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'
import { detailsOf } from './details.ts'

const PAGE = 50
const PATH = '/ui/audit'
const FILTERS = ['actor', 'action', 'target', 'from', 'to']

type ActionView = View<typeof actionSchema>

export const AUDIT: Page = {
  path: '/audit',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, query, words } = request
    const { audit } = words
    const given = Object.fromEntries(query)
    const answer = await ask('listActions', {
      query: {
        order: 'desc',
        limit: PAGE,
        after: given.after,
        action: given.action,
        actor: given.actor?.trim(),
        target: given.target?.trim(),
        from: typedTime(query.get('from')),
        to: typedTime(query.get('to')),
      },
    })
    const { data, next, more } = jsonOf(answer)
    const isFiltered = FILTERS.some((name) => query.get(name))
    const linkTo = (after: string | null) => withQuery(PATH, { ...given, after })
    return {
      title: audit.title,
      body: html`<h1>${audit.title}</h1>
<p>${audit.intro}</p>
${filtersOf(request)}
${data.length === 0 ? empty(isFiltered ? audit.noneMatches : audit.none) : table(audit.title, columnsFor(words), data)}
${pager({ first: query.has('after') ? linkTo(null) : null, next: more ? linkTo(next) : null }, words)}`,
    }
  },
}

function filtersOf({ query, words }: PageRequest): Html {
  const { audit } = words
  const value = (name: string) => query.get(name) ?? ''
  const actions = Object.entries(actionTexts(words)).sort(([, one], [, other]) => one.localeCompare(other))
  const fields = [
    select('action', audit.action, { options: [['', audit.anyAction], ...actions], chosen: value('action') }),
    textField('actor', audit.actor, { value: value('actor'), hint: audit.actorHint }),
    textField('target', audit.target, { value: value('target'), hint: audit.targetHint }),
    timeField('from', audit.from, { value: value('from'), words }),
    timeField('to', audit.to, { value: value('to') }),
  ]
  return filterForm(PATH, fields, audit.filter)
}

function columnsFor(words: Catalogue): readonly Column<ActionView>[] {
  const { audit } = words
  return [
    { title: audit.entry, cell: ({ id }) => idOf(id) },
    { title: audit.time, cell: ({ at }) => timeOf(at) },
    { title: audit.actor, cell: (one) => actorOf(one, words) },
    { title: audit.action, cell: (one) => actionOf(one, words) },
    { title: audit.target, cell: ({ target }) => target && idOf(shortened(target)) },
    { title: audit.details, cell: ({ details }) => details && detailsOf(details, words) },
    { title: audit.reason, cell: ({ reason }) => reason && shortened(reason, 200) },
    { title: audit.channel, cell: ({ channel }) => audit.channels[channel] },
  ]
}

function actorOf({ actor, actorName }: ActionView, { audit }: Catalogue): Html {
  if (actor === 'operator') return html`${audit.operator}`
  return html`${actorName && shortened(actorName)} ${idOf(actor)}`
}

/** A newer gateway may have recorded an action without a text here. */
function actionOf({ action, refersTo }: ActionView, words: Catalogue): Html {
  const { audit } = words
  const texts = actionTexts(words)
  const text = Object.hasOwn(texts, action) ? texts[action] : html`<code>${action}</code>`
  return html`${text}${refersTo !== null && html` ${badge(audit.failed(refersTo), 'bad')}`}`
}

export function actionTexts({ audit }: Catalogue): Readonly<Record<string, string>> {
  return { ...ACTION_WORDS, ...audit.actions }
}
