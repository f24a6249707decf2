import type { DeliveryState } from '../../domain/delivery.ts'
import { DESTINATION_LIMIT } from '../../domain/destination.ts'
import { inContext, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, PageRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { buttonForm } from '../parts/button-form.ts'
import { type Option, select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import type { EventDetail } from './model.ts'

const STATES: Readonly<Record<DeliveryState | 'none', Said>> = {
  delivered: say`has it already`,
  exhausted: inContext('outcome', say`failed`),
  canceled: say`canceled`,
  pending: say`waits`,
  blocked: say`waits`,
  none: say`was not sent it`,
}

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
  { viewer, t, formToken }: PageRequest,
  event: EventDetail,
  destinations: readonly Choice[],
): Html {
  const title = html`<h2 id="again">${t`Send again`}</h2>`
  const without = (reason: string) => html`<section aria-labelledby="again">${title}<p>${reason}</p></section>`
  if (!viewer.can('events.replay') && !viewer.can('support.replay'))
    return without(t`You may not send events again: the scope events.replay or support.replay is missing.`)
  if (event.payloadRemovedAt !== null) return without(t`The data was removed, so it cannot be sent again.`)
  if (destinations.length === 0)
    return without(t`There is no button, because no destination that you may choose has had the event.`)
  const fields = select('destination', t`Destination`, { ...choicesOf(destinations, t), isRequired: true })
  return html`<section aria-labelledby="again">${title}
<p>${t`The event keeps its id, so a destination that has it already can ignore it.`}</p>
${buttonForm({
  action: `/ui${pathOf`/events/${event.id}/replay`}`,
  text: t`Send again`,
  formToken,
  t,
  fields,
  reason: 'required',
})}</section>`
}

/** What did not arrive is chosen in advance; where all of it did, the person chooses. */
function choicesOf(destinations: readonly Choice[], t: Speaker) {
  const had = destinations.filter(({ state }) => state !== null)
  const missing = had.filter(({ state }) => state !== 'delivered')
  const ids = missing.map(({ id }) => id).join(' ')
  const options: readonly Option[] = [
    ...(missing.length === 0 ? [['', t`Choose a destination`] as const] : []),
    ...(missing.length > 1 ? [[ids, t`All ${{ count: missing.length }} that do not have it yet`] as const] : []),
    ...destinations.map(({ id, name, state }) => [id, `${printable(name)}: ${t.of(STATES[state ?? 'none'])}`] as const),
    ...(had.length > 1 && missing.length < had.length
      ? [[ALL, t`All that were sent it, also those that have it already`] as const]
      : []),
  ]
  return { options, chosen: ids }
}

export const SEND_AGAIN: FormAction = {
  path: '/events/:id/replay',
  async submit({ params, form, ask, t }) {
    const id = params.id ?? ''
    const location = `/ui${pathOf`/events/${id}`}`
    const chosen = form.get('destination') ?? ''
    if (chosen === '')
      return { kind: 'redirect', location, message: t`No destination was chosen. Nothing was sent.`, isError: true }
    const reason = form.get('reason')?.trim()
    const sums = { sent: 0, waiting: 0 }
    for (const destination of chosen === ALL ? [null] : chosen.split(' ').slice(0, DESTINATION_LIMIT)) {
      const answer = await ask('replayEvent', { params: { id }, query: { destination, reason } })
      if (answer.status >= 400) return resultOf(answer, location, '')
      const { deliveries, waiting } = jsonOf(answer)
      sums.sent += deliveries.length
      sums.waiting += waiting.length
    }
    return { kind: 'redirect', location, message: sentText(sums, t) }
  },
}

function sentText({ sent, waiting }: { readonly sent: number; readonly waiting: number }, t: Speaker): string {
  const texts = [
    t`Deliveries to be sent: ${{ sent }}.`,
    waiting > 0 && t`Already waiting, and unchanged: ${{ waiting }}.`,
  ]
  return texts.filter((text) => text !== false).join(' ')
}

/** For a person who sees masked data. */
export function unmaskSection({ viewer, t, formToken }: PageRequest, event: EventDetail): Html | null {
  if (event.masked !== true) return null
  if (!viewer.can('support.unmask')) return html`<p class="hint">${t`Personal data is masked.`}</p>`
  return html`<section class="card" aria-labelledby="unmask"><h2 id="unmask">${t`Personal data is masked`}</h2>
<p>${t`You can see it once, with a reason. Your name, the reason and the time are recorded.`}</p>
${buttonForm({ action: `/ui${pathOf`/events/${event.id}/unmask`}`, text: t`Show masked data`, formToken, t, reason: 'required' })}
</section>`
}
