import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, PageRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { buttonForm } from '../parts/button-form.ts'
import { type Html, html } from '../parts/html.ts'
import type { EventDetail } from './model.ts'

/** A destination that an event may be sent to. */
export interface Choice {
  readonly id: string
  readonly name: string
  /** It has a delivery of the event. */
  readonly isKnown: boolean
}

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
  const hasSome = destinations.some(({ isKnown }) => isKnown)
  const fields = html`<p><label for="destination">${again.destination}</label>
<select id="destination" name="destination">${hasSome && html`<option value="">${again.all}</option>`}
${destinations.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select></p>`
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

export const SEND_AGAIN: FormAction = {
  path: '/events/:id/replay',
  async submit({ params, form, ask, words }) {
    const id = params.id ?? ''
    const query = { destination: form.get('destination'), reason: form.get('reason')?.trim() }
    const answer = await ask('replayEvent', { params: { id }, query })
    const page = `/ui${pathOf`/events/${id}`}`
    if (answer.status >= 400) return resultOf(answer, page, '')
    const { deliveries, waiting } = jsonOf(answer)
    return resultOf(answer, page, words.event.again.done(deliveries.length, waiting.length))
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
