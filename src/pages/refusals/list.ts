import { REFUSAL_CODES, REFUSING_LISTENERS } from '../../domain/refusal.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { badge } from '../parts/badge.ts'
import { empty } from '../parts/empty.ts'
import { figures } from '../parts/facts.ts'
import { filterForm, select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { pager } from '../parts/pager.ts'
import { typedTime } from '../parts/period.ts'
import { environmentOptions, institutionSelect, realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { type Column, table } from '../parts/table.ts'
import { spanOf, timeOf } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'
import { type RefusalView, reasonText } from './refusal.ts'

const PAGE = 100
/** Addresses of a group that are named. */
const MOST_ADDRESSES = 3
const PATH = '/ui/refusals'
const FILTERS = ['reason', 'listener', 'institution', 'environment', 'address', 'from', 'to']

export const REFUSAL_LIST: Page = {
  path: '/refusals',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, query, words } = request
    const { refusals } = words
    const given = Object.fromEntries(query)
    const answer = await ask('listRefusals', {
      query: {
        order: 'desc',
        limit: PAGE,
        reason: given.reason,
        listener: given.listener,
        after: given.after,
        institution: given.institution,
        environment: given.environment,
        address: given.address?.trim(),
        from: typedTime(query.get('from')),
        to: typedTime(query.get('to')),
      },
    })
    const { data, next, more } = jsonOf(answer)
    const isFiltered = FILTERS.some((name) => query.get(name))
    const linkTo = (after: string | null) => withQuery(PATH, { ...given, after })
    return {
      title: refusals.title,
      body: html`<h1>${refusals.title}</h1>
<p>${refusals.intro}</p>
${filtersOf(request)}
${data.length === 0 ? empty(isFiltered ? refusals.noneMatches : refusals.none) : html`${sumsOf(data, request)}${tableOf(data, request)}`}
${pager({ first: query.has('after') ? linkTo(null) : null, next: more ? linkTo(next) : null }, words)}`,
    }
  },
}

function filtersOf(request: PageRequest): Html {
  const { query, words } = request
  const { refusals } = words
  const chosen = (name: string) => query.get(name) ?? ''
  const reasons = REFUSAL_CODES.map((code) => [code, shortened(refusals.reasons[code], 60)] as const)
  const listeners = REFUSING_LISTENERS.map((one) => [one, refusals.listeners[one]] as const)
  const environments = environmentOptions(words)
  const any = ['', refusals.any] as const
  const fields = [
    select('reason', refusals.reason, { options: [['', refusals.anyReason], ...reasons], chosen: chosen('reason') }),
    select('listener', refusals.listener, { options: [any, ...listeners], chosen: chosen('listener') }),
    institutionSelect(request, chosen('institution')),
    select('environment', refusals.environment, { options: [any, ...environments], chosen: chosen('environment') }),
    textField('address', refusals.address, { value: chosen('address') }),
    timeField('from', refusals.from, { value: chosen('from'), words }),
    timeField('to', refusals.to, { value: chosen('to') }),
  ]
  return filterForm(PATH, fields, refusals.filter)
}

/** Of the page. */
function sumsOf(list: readonly RefusalView[], { words: { refusals } }: PageRequest): Html {
  return figures([
    [refusals.count, list.reduce((sum, { count }) => sum + count, 0)],
    [refusals.addresses, new Set(list.map(({ remoteAddress }) => remoteAddress)).size],
  ])
}

/** Refusals of a page that differ only in time and caller are one row, newest first. */
function groupsOf(list: readonly RefusalView[]): Group[] {
  const groups = Map.groupBy(list, ({ code, reason, probe, listener, detail, institution, environment }) =>
    JSON.stringify([code, reason, probe, listener, detail, institution, environment]),
  )
  return [...groups.values()].flatMap(([one, ...others]): Group[] => (one === undefined ? [] : [[one, ...others]]))
}

function tableOf(list: readonly RefusalView[], { words }: PageRequest): Html {
  const { refusals } = words
  const columns: readonly Column<Group>[] = [
    {
      title: refusals.reason,
      cell: ([one, ...others]) =>
        html`<a href="${`${PATH}/${one.id}`}">${reasonText(one, words)}</a>${one.probe && html` ${badge(refusals.probe, 'info')}`}${one.count > 1 && html` ${badge(refusals.countOf(one.count))}`}${others.length > 0 && eachOf([one, ...others], words)}`,
    },
    { title: refusals.count, cell: (all) => all.reduce((sum, { count }) => sum + count, 0), isNumber: true },
    { title: refusals.time, cell: (all) => spanOf(all.map(({ refusedAt }) => refusedAt)) },
    { title: refusals.address, cell: addressesOf },
    { title: refusals.listener, cell: ([{ listener }]) => refusals.listeners[listener], isBare: true },
    {
      title: refusals.environment,
      cell: ([{ institution, environment }]) => environment && realmText({ institution, environment }, words),
      isBare: true,
    },
    { title: refusals.detail, cell: ([{ detail }]) => detail && html`<span class="id">${shortened(detail)}</span>` },
  ]
  return table(refusals.title, columns, groupsOf(list))
}

type Group = readonly [RefusalView, ...RefusalView[]]

function addressesOf(group: Group): Html {
  const addresses = [...new Set(group.map(({ remoteAddress }) => remoteAddress))]
  const more = addresses.length - MOST_ADDRESSES
  return html`${addresses.slice(0, MOST_ADDRESSES).map((one) => html`${idOf(one)} `)}${more > 0 && `+ ${more}`}`
}

function eachOf(group: Group, { refusals }: Catalogue): Html {
  const links = group.map(({ id, refusedAt }) => html`<a href="${`${PATH}/${id}`}">${timeOf(refusedAt)}</a> `)
  return html`<details><summary>${refusals.each}</summary>${links}</details>`
}
