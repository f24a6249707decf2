import type { eventPageSchema } from '../../api/events/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { DeliveryCounts } from '../../domain/delivery.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { DELIVERY_WORDS } from '../../messages/where.ts'
import { printable } from '../../platform/control-characters.ts'
import { amountText } from '../event/amount.ts'
import { nameOf } from '../event/model.ts'
import type { PageRequest } from '../frame/page.ts'
import { pathOf, withQuery } from '../frame/path-of.ts'
import type { Typed } from '../frame/search-query.ts'
import { seesBothEnvironments, seesEveryDelivery, sendsManyBy } from '../frame/viewer-rights.ts'
import { MOST_AGAIN } from '../parts/again.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { DELIVERY_TONES } from '../parts/delivery-badge.ts'
import { type Html, html } from '../parts/html.ts'
import { kindHtml } from '../parts/kind-word.ts'
import { realmText } from '../parts/realm.ts'
import { statusHtml } from '../parts/status-word.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'

export type Found = View<typeof eventPageSchema>
export type FoundEvent = Found['data'][number]

/** What single events are asked for with: newest first, each with the state of its deliveries. */
export const SINGLE = { order: 'desc', include: 'deliveries' } as const

/** The state of the deliveries comes first: what failed is seen at once. @param search the query of the page, to which the event leads back */
export function resultTable(request: PageRequest, found: readonly FoundEvent[], search: string): Html {
  return table(request.t`Events, newest first`, columns(request, search), found)
}

/** For the events whose boxes are checked, in a list of events, and for all of the filter; null: the person may not send events again. */
export function againForm({ t, viewer, formToken }: PageRequest, typed: Typed): Html | null {
  const way = sendsManyBy(viewer)
  if (way === null) return null
  const filter = Object.entries(typed).map(
    ([name, value]) => value !== '' && html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const chosen = html`<button type="button" class="secondary" data-choose-form="again" data-all="${t`Choose all of this page`}" data-none="${t`Choose none`}" hidden></button>
<form method="post" action="/ui/replays/selected" id="again">${formToken}${filter}
<button class="secondary">${t`Send the chosen again…`}</button></form>`
  return html`<div class="pager">${typed.view === 'events' && chosen}
<form method="post" action="/ui/replays/selected/all">${formToken}${filter}
<button class="secondary">${t`Send all of this filter again (at most ${{ count: MOST_AGAIN[way] }})…`}</button></form></div>`
}

function columns({ t, viewer, language, institutions }: PageRequest, search: string): readonly Column<FoundEvent>[] {
  const all: readonly (Column<FoundEvent> | false)[] = [
    { title: t`Delivered`, cell: (event) => stateBadge(event, { t, viewer }), isBare: true },
    sendsManyBy(viewer) !== null && {
      title: t`Choose`,
      cell: (event) =>
        html`<input type="checkbox" form="again" name="event" value="${event.id}" aria-label="${t`Choose ${{ name: printable(nameOf(event)) }}`}">`,
      isChoice: true,
    },
    {
      title: t`Event`,
      cell: (event) =>
        html`<a href="${withQuery(`/ui${pathOf`/events/${event.id}`}`, { back: search })}">${printable(nameOf(event))}</a>`,
      isName: true,
      isBare: true,
    },
    { title: t`Received`, cell: ({ receivedAt }) => timeOf(receivedAt), isBare: true },
    { title: t`Kind`, cell: ({ kind }) => kindHtml(kind, t), isBare: true },
    { title: t`Status`, cell: ({ status }) => status !== null && statusHtml(status, t), isBare: true },
    { title: t`Amount`, cell: (event) => amountText(event, language), isNumber: true, isBare: true },
    (seesBothEnvironments(viewer) || institutions.length > 0) && {
      title: t`Environment`,
      cell: (event) => realmText(event, t),
      isBare: true,
    },
  ]
  return all.filter((column) => column !== false)
}

function stateBadge({ deliveries }: FoundEvent, { t, viewer }: Pick<PageRequest, 't' | 'viewer'>): Html | null {
  if (deliveries === undefined) return null
  const text = stateOf(deliveries, t)
  if (text === null) return badge(seesEveryDelivery(viewer) ? t`no destination` : t`none of yours`)
  return badge(...text)
}

type Badge = readonly [text: string, tone?: Tone]

const WORST_FIRST = ['exhausted', 'failing', 'waiting', 'delivered'] as const

/** The worst state counts; null: there is no delivery. */
export function stateOf(counts: DeliveryCounts, t: Speaker): Badge | null {
  const { pending, failing, blocked, delivered, exhausted, canceled } = counts
  const all = pending + blocked + delivered + exhausted + canceled
  if (all === 0) return null
  const counted = { exhausted, failing, waiting: pending + blocked, delivered, canceled }
  const worst = WORST_FIRST.find((one) => counted[one] > 0) ?? 'canceled'
  const word = t.of(DELIVERY_WORDS[worst])
  const isAlone = all === 1 || worst === 'canceled'
  return [isAlone ? word : t`${{ word }}: ${{ count: counted[worst] }} of ${{ all }}`, DELIVERY_TONES[worst]]
}
