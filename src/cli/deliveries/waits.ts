import type { attemptSchema, deliverySchema } from '../../api/deliveries/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { ShownDelivery } from '../../domain/whereabouts.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { whereText } from '../../messages/where.ts'
import { localText, preciseLocalText } from '../../platform/local-time.ts'
import { translated } from '../language/language.ts'
import { printable } from '../output.ts'

export type DeliveryView = View<typeof deliverySchema>

type Ending = Pick<DeliveryView, 'reason'>

/** What an unfinished delivery waits for, or when it is due; null: neither. */
export function nextAttemptText(delivery: ShownDelivery, t: Speaker): string | null {
  const { nextAttemptAt, waitsFor } = delivery
  if (waitsFor === null) return nextAttemptAt === null ? null : localText(Date.parse(nextAttemptAt))
  return whereText([delivery], t, { timeOf: (iso) => localText(Date.parse(iso)), none: '' })
}

/** For people: one field in words instead of three. */
export function fieldsOf<T extends ShownDelivery & Ending>(view: T, t: Speaker): T {
  const { lastError, reason } = view
  const own = {
    ...view,
    lastError: lastError === null ? null : translated(lastError),
    reason: reason === null ? null : translated(reason),
  }
  if (view.waitsFor === null) return own
  return { ...own, nextAttemptAt: nextAttemptText(view, t), waitsFor: null, nextProbeAt: null }
}

/** One attempt of a delivery, with the beginning of the response body. */
export function attemptLine(a: View<typeof attemptSchema>): string {
  const startedAt = preciseLocalText(Date.parse(a.startedAt))
  const outcome = [translated(a.error ?? 'delivered'), ...(a.answer === '' ? [] : [a.answer])].map(printable).join(': ')
  return `  ${translated(`attempt ${a.attempt}`)}  ${startedAt}  ${a.durationMs} ms  ${a.status ?? translated('no answer')}  ${outcome}
`
}
