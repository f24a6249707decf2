import { REFUSAL_CODES, REFUSAL_REASONS, REFUSING_LISTENERS } from '../../domain/refusal.ts'
import { plural, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { jsonOf } from '../frame/answers.ts'
import { filtersIn, pagerOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { badge } from '../parts/badge.ts'
import { empty } from '../parts/empty.ts'
import { figures } from '../parts/facts.ts'
import { filterForm, select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { environmentSelect, institutionSelect, realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { type Column, table } from '../parts/table.ts'
import { spanOf, timeOf } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'
import { LISTENERS } from '../refusals/refusal.ts'
import { type RefusalView, reasonText } from './refusal.ts'

const PAGE = 100
/** Addresses of a group that are named. */
const MOST_ADDRESSES = 3
const PATH = '/ui/refusals'
const FILTERS = ['reason', 'listener', 'institution', 'environment', 'address', 'from', 'to'] as const

export const REFUSAL_LIST: Page = {
  path: '/refusals',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, query, t } = request
    const { asked, isFiltered } = filtersIn(query, FILTERS)
    const page = jsonOf(await ask('listRefusals', { query: { ...asked, order: 'desc', limit: PAGE } }))
    const { data } = page
    return {
      title: t`Refusals`,
      body: html`<h1>${t`Refusals`}</h1>
<p>${t`Callers that were turned away, newest first. The newest 10,000 are kept.`}</p>
${filtersOf(request)}
${data.length === 0 ? empty(isFiltered ? t`No refusal matches the filters.` : t`No caller was refused.`) : html`${sumsOf(data, request)}${tableOf(data, request)}`}
${pagerOf(page, PATH, request)}`,
    }
  },
}

function filtersOf(request: PageRequest): Html {
  const { query, t } = request
  const chosen = (name: string) => query.get(name) ?? ''
  const reasons = REFUSAL_CODES.map((code) => [code, shortened(t.template(REFUSAL_REASONS[code]), 60)] as const)
  const listeners = REFUSING_LISTENERS.map((one) => [one, t.of(LISTENERS[one])] as const)
  const any = ['', t`any`] as const
  const fields = [
    select('reason', t`Reason`, { options: [['', t`any reason`], ...reasons], chosen: chosen('reason') }),
    select('listener', t`Listener`, { options: [any, ...listeners], chosen: chosen('listener') }),
    institutionSelect(request, chosen('institution')),
    environmentSelect(t, chosen('environment')),
    textField('address', t`Address`, { value: chosen('address') }),
    timeField('from', t`From`, { value: chosen('from'), t }),
    timeField('to', t`Before`, { value: chosen('to') }),
  ]
  return filterForm(PATH, fields, t`Filter`)
}

/** Of the page. */
function sumsOf(list: readonly RefusalView[], { t }: PageRequest): Html {
  return figures([
    [t`Refusals`, list.reduce((sum, { count }) => sum + count, 0)],
    [t`Addresses`, new Set(list.map(({ remoteAddress }) => remoteAddress)).size],
  ])
}

/** Refusals of a page that differ only in time and caller are one row, newest first. */
function groupsOf(list: readonly RefusalView[]): Group[] {
  const groups = Map.groupBy(list, ({ code, reason, probe, listener, detail, institution, environment }) =>
    JSON.stringify([code, reason, probe, listener, detail, institution, environment]),
  )
  return [...groups.values()].flatMap(([one, ...others]): Group[] => (one === undefined ? [] : [[one, ...others]]))
}

function tableOf(list: readonly RefusalView[], { t }: PageRequest): Html {
  const columns: readonly Column<Group>[] = [
    {
      title: t`Reason`,
      cell: ([one, ...others]) =>
        html`<a href="${`${PATH}/${one.id}`}">${reasonText(one, t)}</a>${one.probe && html` ${badge(t`the service's test`, 'info')}`}${one.count > 1 && html` ${badge(t.of(plural(one.count, say`{count} callers, not recorded one by one`, say`{count} callers, not recorded one by one`)))}`}${others.length > 0 && eachOf([one, ...others], t)}`,
    },
    { title: t`Refusals`, cell: (all) => all.reduce((sum, { count }) => sum + count, 0), isNumber: true },
    { title: t`Time`, cell: (all) => spanOf(all.map(({ refusedAt }) => refusedAt)) },
    { title: t`Address`, cell: addressesOf },
    { title: t`Listener`, cell: ([{ listener }]) => t.of(LISTENERS[listener]), isBare: true },
    {
      title: t`Environment`,
      cell: ([{ institution, environment }]) => environment && realmText({ institution, environment }, t),
      isBare: true,
    },
    { title: t`Request`, cell: ([{ detail }]) => detail && html`<span class="id">${shortened(detail)}</span>` },
  ]
  return table(t`Refusals`, columns, groupsOf(list))
}

type Group = readonly [RefusalView, ...RefusalView[]]

function addressesOf(group: Group): Html {
  const addresses = [...new Set(group.map(({ remoteAddress }) => remoteAddress))]
  const more = addresses.length - MOST_ADDRESSES
  return html`${addresses.slice(0, MOST_ADDRESSES).map((one) => html`${idOf(one)} `)}${more > 0 && `+ ${more}`}`
}

function eachOf(group: Group, t: Speaker): Html {
  const links = group.map(({ id, refusedAt }) => html`<a href="${`${PATH}/${id}`}">${timeOf(refusedAt)}</a> `)
  return html`<details><summary>${t`Each of them`}</summary>${links}</details>`
}
