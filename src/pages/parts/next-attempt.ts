import type { DeliveryWait } from '../../domain/delivery.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { type Html, html } from './html.ts'
import { timeOf } from './time.ts'

export interface WaitView {
  readonly destinationName: string
  readonly nextAttemptAt: string | null
  readonly waitsFor: DeliveryWait | null
  readonly nextProbeAt: string | null
}

/** What a delivery waits for, or when it is due; null: it has ended. */
export function nextAttemptOf(
  { destinationName, nextAttemptAt, waitsFor, nextProbeAt }: WaitView,
  words: Catalogue,
): Html | null {
  const { waits, circuitOf, nextProbe } = words.deliveries
  if (waitsFor === null) return nextAttemptAt === null ? null : timeOf(nextAttemptAt)
  const text = waitsFor === 'circuit' ? circuitOf(printable(destinationName)) : waits[waitsFor]
  return html`${text}${nextProbeAt !== null && html`, ${nextProbe} ${timeOf(nextProbeAt)}`}`
}
