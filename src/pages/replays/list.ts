import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { empty } from '../parts/empty.ts'
import { figures } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { pageHead } from '../parts/page-head.ts'
import { pager } from '../parts/pager.ts'
import { type Column, table } from '../parts/table.ts'
import { spanOf } from '../parts/time.ts'
import { progressOf, type ReplayView, replayState } from './replay.ts'

const PAGE = 50
const PATH = '/ui/replays'

export const REPLAY_LIST: Page = {
  path: '/replays',
  scopes: ['events.read', 'events.replay'],
  async render(request) {
    const { ask, query, words, viewer } = request
    const { replays } = words
    const asked = { order: 'desc', limit: PAGE, after: query.get('after') }
    const { data, next, more } = jsonOf(await ask('listReplays', { query: asked }))
    const linkTo = (after: string | null) => withQuery(PATH, { after })
    return {
      title: replays.title,
      body: html`${pageHead(replays.title, viewer.can('events.replay') && { href: `${PATH}/new`, text: replays.create })}
<p>${replays.intro}</p>
${data.length === 0 ? empty(replays.none) : html`${figuresOf(data, request)}${table(replays.title, columnsFor(request), data)}`}
${pager({ first: query.has('after') ? linkTo(null) : null, next: more ? linkTo(next) : null }, words)}`,
    }
  },
}

function figuresOf(list: readonly ReplayView[], { words: { replays } }: PageRequest): Html {
  return figures([
    [replays.running, list.filter(({ state }) => state === 'running').length],
    [replays.toSend, list.reduce((sum, { waiting }) => sum + waiting, 0)],
    [replays.failed, list.filter(({ state }) => state === 'failed').length],
  ])
}

function columnsFor({ words }: PageRequest): readonly Column<ReplayView>[] {
  const { replays } = words
  return [
    { title: replays.id, cell: ({ id }) => html`<a href="${`${PATH}/${id}`}">${id}</a>` },
    { title: replays.destination, cell: ({ destinationName }) => destinationName, isBare: true },
    { title: replays.state, cell: (one) => replayState(one, words), isBare: true },
    { title: replays.progress, cell: (one) => progressOf(one, words), isBare: true },
    { title: replays.mode, cell: ({ mode }) => replays.modes[mode], isBare: true },
    { title: replays.askedBy, cell: ({ askedBy }) => askedBy ?? replays.operator, isBare: true },
    { title: replays.time, cell: ({ createdAt, endedAt }) => spanOf([createdAt, endedAt ?? createdAt]), isBare: true },
  ]
}
