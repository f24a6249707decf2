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
const PAGE = 50

export const CONSUMER_LIST: Page = {
  path: '/consumers',
  scopes: ['events.read'],
  async render(request) {
    const { ask, query, words } = request
    const { consumers } = words
    const { data } = jsonOf(await ask('listConsumers', { query: { limit: ALL } }))
    const all = data.toSorted((one, other) => other.behind - one.behind)
    const shown = sliceOf(all, { path: '/ui/consumers', size: PAGE, query, words })
    return {
      title: consumers.title,
      body: html`<h1>${consumers.title}</h1>
<p>${consumers.intro}</p>
${all.length === 0 ? empty(consumers.none, consumers.noneHint) : tableOf(shown.items, request)}
${shown.pager}`,
    }
  },
}

function tableOf(list: readonly ConsumerView[], request: PageRequest) {
  const { consumers } = request.words
  return table<ConsumerView>(
    consumers.title,
    [
      { title: consumers.name, cell: (one) => html`<a href="${consumerPath(one)}">${one.name}</a>` },
      { title: consumers.owner, cell: ({ owner }) => ownerText(owner, request) },
      { title: consumers.behind, cell: ({ behind }) => behind, isNumber: true },
      {
        title: consumers.lag,
        cell: ({ behindSince }) => (behindSince === null ? consumers.noLag : ageOf(behindSince)),
        isNumber: true,
      },
      { title: consumers.lease, cell: ({ leased }) => (leased === null ? consumers.noLease : timeOf(leased.until)) },
      {
        title: consumers.acknowledged,
        cell: ({ acknowledgedAt }) => (acknowledgedAt === null ? consumers.never : timeOf(acknowledgedAt)),
      },
    ],
    list,
  )
}
