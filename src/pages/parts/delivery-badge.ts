import { type DeliveryRecord, wordOf } from '../../domain/delivery.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { badge, type Tone } from './badge.ts'
import type { Html } from './html.ts'

const TONES: Readonly<Record<ReturnType<typeof wordOf>, Tone>> = {
  failing: 'bad',
  waiting: 'info',
  delivered: 'good',
  exhausted: 'bad',
  canceled: null,
}

export function deliveryBadge(delivery: Pick<DeliveryRecord, 'state' | 'lastError'>, { deliveries }: Catalogue): Html {
  const word = wordOf(delivery)
  return badge(deliveries.states[word], TONES[word])
}
