import type { DeliveryWait } from '../../domain/delivery.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { type Html, html } from './html.ts'
import { timeOf } from './time.ts'

export interface WaitView {
  readonly nextAttemptAt: string | null
  readonly waitsFor: DeliveryWait | null
  readonly nextProbeAt: string | null
}

/** What a delivery waits for, or when it is due; null: it has ended. */
export function nextAttemptOf({ nextAttemptAt, waitsFor, nextProbeAt }: WaitView, words: Catalogue): Html | null {
  const { waits, nextProbe } = words.deliveries
  if (waitsFor === null) return nextAttemptAt === null ? null : timeOf(nextAttemptAt)
  return html`${waits[waitsFor]}${nextProbeAt !== null && html`, ${nextProbe} ${timeOf(nextProbeAt)}`}`
}
