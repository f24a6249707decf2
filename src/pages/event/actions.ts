import type { DeliveryState } from '../../domain/delivery.ts'
import { DESTINATION_LIMIT } from '../../domain/destination.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, PageRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { buttonForm } from '../parts/button-form.ts'
import { type Option, select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import type { EventDetail } from './model.ts'

/** A destination that an event may be sent to. */
export interface Choice {
  readonly id: string
  readonly name: string
  /** Of its delivery of the event; null: it has none. */
  readonly state: DeliveryState | null
}

/** Value of the choice of every destination that had the event. */
const ALL = 'all'

/** The form, or the reason why there is none. */
export function sendAgainSection(
  { viewer, words, formToken }: PageRequest,
  event: EventDetail,
  destinations: readonly Choice[],
): Html {
  const { again } = words.event
  const title = html`<h2 id="again">${again.title}</h2>`
  const without = (reason: string) => html`<section aria-labelledby="again">${title}<p>${reason}</p></section>`
  if (!viewer.can('events.replay') && !viewer.can('support.replay')) return without(again.forbidden)
  if (event.payloadRemovedAt !== null) return without(again.removed)
  if (destinations.length === 0) return without(again.nowhere)
  const fields = select('destination', again.destination, { ...choicesOf(destinations, words), isRequired: true })
  return html`<section aria-labelledby="again">${title}
<p>${again.text}</p>
${buttonForm({
  action: `/ui${pathOf`/events/${event.id}/replay`}`,
  text: again.button,
  formToken,
  words,
  fields,
  reason: 'required',
})}</section>`
}

/** What did not arrive is chosen in advance; where all of it did, the person chooses. */
function choicesOf(destinations: readonly Choice[], { event: { again } }: Catalogue) {
  const had = destinations.filter(({ state }) => state !== null)
  const missing = had.filter(({ state }) => state !== 'delivered')
  const ids = missing.map(({ id }) => id).join(' ')
  const options: readonly Option[] = [
    ...(missing.length === 0 ? [['', again.choose] as const] : []),
    ...(missing.length > 1 ? [[ids, again.missing(missing.length)] as const] : []),
    ...destinations.map(({ id, name, state }) => [id, `${printable(name)}: ${again.states[state ?? 'none']}`] as const),
    ...(had.length > 1 && missing.length < had.length ? [[ALL, again.all] as const] : []),
  ]
  return { options, chosen: ids }
}

export const SEND_AGAIN: FormAction = {
  path: '/events/:id/replay',
  async submit({ params, form, ask, words: { event } }) {
    const id = params.id ?? ''
    const location = `/ui${pathOf`/events/${id}`}`
    const chosen = form.get('destination') ?? ''
    if (chosen === '') return { kind: 'redirect', location, message: event.again.notChosen, isError: true }
    const reason = form.get('reason')?.trim()
    const sums = { sent: 0, waiting: 0 }
    for (const destination of chosen === ALL ? [null] : chosen.split(' ').slice(0, DESTINATION_LIMIT)) {
      const answer = await ask('replayEvent', { params: { id }, query: { destination, reason } })
      if (answer.status >= 400) return resultOf(answer, location, '')
      const { deliveries, waiting } = jsonOf(answer)
      sums.sent += deliveries.length
      sums.waiting += waiting.length
    }
    return { kind: 'redirect', location, message: event.again.done(sums.sent, sums.waiting) }
  },
}

/** For a person who sees masked data. */
export function unmaskSection({ viewer, words, formToken }: PageRequest, event: EventDetail): Html | null {
  if (event.masked !== true) return null
  const { unmask } = words.event
  if (!viewer.can('support.unmask')) return html`<p class="hint">${unmask.masked}</p>`
  return html`<section class="card" aria-labelledby="unmask"><h2 id="unmask">${unmask.title}</h2>
<p>${unmask.text}</p>
${buttonForm({ action: `/ui${pathOf`/events/${event.id}/unmask`}`, text: unmask.button, formToken, words, reason: 'required' })}
</section>`
}
