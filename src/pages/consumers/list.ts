import { jsonOf } from '../frame/answers.ts'
import { sliceOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { ageOf } from '../parts/age.ts'
import { empty } from '../parts/empty.ts'
import { html } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { type ConsumerView, consumerPath, ownerText } from './consumer.ts'

/** The gateway has at most 1,000 consumers: the API lists them all at once. */
const ALL = 1000

export const CONSUMER_LIST: Page = {
  path: '/consumers',
  scopes: ['events.read'],
  async render(request) {
    const { ask, query, t } = request
    const { data } = jsonOf(await ask('listConsumers', { query: { limit: ALL } }))
    const all = data.toSorted((one, other) => other.behind - one.behind)
    const shown = sliceOf(all, { path: '/ui/consumers', query, t })
    return {
      title: t`Consumers`,
      body: html`<h1>${t`Consumers`}</h1>
<p>${t`Named readers of apps, the one that is furthest behind first. An app takes events in batches and acknowledges them.`}</p>
${all.length === 0 ? empty(t`There is no consumer.`, t`The first batch that an app takes creates its consumer.`) : tableOf(shown.items, request)}
${shown.pager}`,
    }
  },
}

function tableOf(list: readonly ConsumerView[], request: PageRequest) {
  const { t } = request
  return table<ConsumerView>(
    t`Consumers`,
    [
      { title: t`Name`, cell: (one) => html`<a href="${consumerPath(one)}">${one.name}</a>` },
      { title: t`Belongs to`, cell: ({ owner }) => ownerText(owner, request) },
      { title: t`Events behind`, cell: ({ behind }) => behind, isNumber: true },
      {
        title: t`Lag`,
        cell: ({ behindSince }) => (behindSince === null ? t`none` : ageOf(behindSince)),
        isNumber: true,
      },
      {
        title: t`Batch leased until`,
        cell: ({ leased }) => (leased === null ? t`no batch is leased` : timeOf(leased.until)),
      },
      {
        title: t`Acknowledged`,
        cell: ({ acknowledgedAt }) => (acknowledgedAt === null ? t`never` : timeOf(acknowledgedAt)),
      },
    ],
    list,
  )
}
