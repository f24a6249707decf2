import { jsonOf } from '../frame/answers.ts'
import { PAGE_ROWS, pagerOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { empty } from '../parts/empty.ts'
import { figures } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { pageHead } from '../parts/page-head.ts'
import { type Column, table } from '../parts/table.ts'
import { spanOf } from '../parts/time.ts'
import { MODE_TEXTS } from '../replays/replay.ts'
import { progressOf, type ReplayView, replayState } from './replay.ts'

const PATH = '/ui/replays'

export const REPLAY_LIST: Page = {
  path: '/replays',
  scopes: ['events.read', 'events.replay'],
  async render(request) {
    const { ask, query, t, viewer } = request
    const asked = { order: 'desc', limit: PAGE_ROWS, after: query.get('after') }
    const page = jsonOf(await ask('listReplays', { query: asked }))
    const { data } = page
    return {
      title: t`Replays`,
      body: html`${pageHead(t`Replays`, viewer.can('events.replay') && { href: `${PATH}/new`, text: t`New replay` })}
<p>${t`Many past events that are delivered again, the newest replay first.`}</p>
${data.length === 0 ? empty(t`There is no replay.`) : html`${figuresOf(data, request)}${table(t`Replays`, columnsFor(request), data)}`}
${pagerOf(page, PATH, request)}`,
    }
  },
}

function figuresOf(list: readonly ReplayView[], { t }: PageRequest): Html {
  return figures([
    [t`Running`, list.filter(({ state }) => state === 'running').length],
    [t`Not sent yet`, list.reduce((sum, { waiting }) => sum + waiting, 0)],
    [t`Failed`, list.filter(({ state }) => state === 'failed').length],
  ])
}

function columnsFor({ t }: PageRequest): readonly Column<ReplayView>[] {
  return [
    { title: t`Replay`, cell: ({ id }) => html`<a href="${`${PATH}/${id}`}">${id}</a>` },
    { title: t`Destination`, cell: ({ destinationName }) => destinationName, isBare: true },
    { title: t`State`, cell: (one) => replayState(one, t), isBare: true },
    { title: t`Progress`, cell: (one) => progressOf(one, t), isBare: true },
    { title: t`Which events`, cell: ({ mode }) => t.of(MODE_TEXTS[mode]), isBare: true },
    { title: t`Requested by`, cell: ({ askedBy }) => askedBy ?? t`the operator`, isBare: true },
    { title: t`From – to`, cell: ({ createdAt, endedAt }) => spanOf([createdAt, endedAt ?? createdAt]), isBare: true },
  ]
}
