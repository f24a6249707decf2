import { type DeliveryChoice, type DeliveryRecord, wordOf } from '../../domain/delivery.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { badge, type Tone } from './badge.ts'
import type { Html } from './html.ts'

export const DELIVERY_STATES: Readonly<Record<DeliveryChoice, Said>> = {
  pending: say`pending`,
  failing: say`failing`,
  waiting: say`waiting`,
  blocked: say`blocked`,
  delivered: say`delivered`,
  exhausted: say`exhausted`,
  canceled: say`canceled`,
}

const TONES: Readonly<Record<ReturnType<typeof wordOf>, Tone>> = {
  failing: 'bad',
  waiting: 'info',
  delivered: 'good',
  exhausted: 'bad',
  canceled: null,
}

export function deliveryBadge(delivery: Pick<DeliveryRecord, 'state' | 'lastError'>, t: Speaker): Html {
  const word = wordOf(delivery)
  return badge(t.of(DELIVERY_STATES[word]), TONES[word])
}
