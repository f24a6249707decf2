import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { MARKS } from '../event/model.ts'
import type { PageRequest } from '../frame/page.ts'
import { pathOf, withQuery } from '../frame/path-of.ts'
import { badge } from '../parts/badge.ts'
import { type Html, html } from '../parts/html.ts'
import { statusHtml } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { type EventDetail, type EventView, MASK } from './model.ts'

const SOURCES: Readonly<Record<Exclude<EventView['source'], 'callback'>, Said>> = {
  resolved: say`a token, then resolved`,
  reconciled: say`asked of the service`,
  gateway: say`created by the gateway`,
}

const LISTED = 100

/** All events about the same thing, oldest first. */
export interface History {
  readonly events: readonly EventView[]
  /** Older ones are not listed. */
  readonly isCut: boolean
}

/**
 * The events of the same subject, kind, institution and environment that the person may see, at most the latest 100. null: the event has no subject
 * that the person sees. Events whose subject is masked for the person are left out: that they belong here would tell the masked value.
 */
export async function historyOf(
  { ask }: PageRequest,
  { kind, institution, environment, subject }: EventDetail,
): Promise<History | null> {
  if (subject === null || subject === MASK) return null
  const query = { kind, institution, environment, subject, order: 'desc', limit: LISTED }
  const answer = await ask('listEvents', { query })
  // The right to read this event is enough to see it: an answer that the person may not have leaves out the history only.
  if (answer.status >= 400) return null
  const { data, more } = answer.json
  const events = data.filter((one) => one.subject === subject && one.institution === institution)
  return { events: events.toReversed(), isCut: more }
}

export function historySection({ events, isCut }: History, event: EventDetail, { t }: PageRequest): Html {
  const { kind, institution, environment, subject } = event
  const search = withQuery('/ui/', { search: subject, kind, institution, environment })
  return html`<section aria-labelledby="history"><h2 id="history">${t`History`}</h2>
${events.length <= 1 && html`<p>${t`No other event about it is stored.`}</p>`}
${isCut && html`<p class="hint">${t`Only the latest ${{ count: events.length }} events are listed.`} <a href="${search}">${t`Search for all of them`}</a></p>`}
<ol class="timeline">${events.map((one) => html`<li${one.id === event.id && html` aria-current="true"`}>${stepOf(one, event, t)}</li>\n`)}</ol></section>`
}

function stepOf(one: EventView, event: EventDetail, t: Speaker): Html {
  const status = one.status === null ? t`no status` : statusHtml(one.status, t)
  const isThis = one.id === event.id
  return html`<p>${isThis ? html`<strong>${status}</strong>` : html`<a href="/ui${pathOf`/events/${one.id}`}">${status}</a>`}
${isThis && badge(t`this event`, 'info')} ${one.mark !== null && badge(t.of(MARKS[one.mark]), 'warn')} ${one.unresolved && badge(t`unresolved token`, 'warn')}
${one.part !== null && html`<span>${t`part`} ${printable(one.part)}</span>`}</p>
<p class="hint">${timeOf(one.receivedAt)}${one.source !== 'callback' && html` · ${t.of(SOURCES[one.source])}`}</p>`
}
