import { type DeliveryRecord, wordOf } from '../../domain/delivery.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { DELIVERY_WORDS } from '../../messages/where.ts'
import { badge, type Tone } from './badge.ts'
import type { Html } from './html.ts'

/** By the word of `wordOf`. */
export const DELIVERY_TONES: Readonly<Record<ReturnType<typeof wordOf>, Tone>> = {
  failing: 'bad',
  waiting: 'info',
  delivered: 'good',
  exhausted: 'bad',
  canceled: null,
}

export function deliveryBadge(delivery: Pick<DeliveryRecord, 'state' | 'lastError'>, t: Speaker): Html {
  const word = wordOf(delivery)
  return badge(t.of(DELIVERY_WORDS[word]), DELIVERY_TONES[word])
}
