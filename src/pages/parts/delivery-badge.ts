import type { DeliveryState } from '../../domain/delivery.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { badge, type Tone } from './badge.ts'
import type { Html } from './html.ts'

const TONES: Readonly<Record<DeliveryState, Tone>> = {
  pending: 'info',
  blocked: 'warn',
  delivered: 'good',
  exhausted: 'bad',
  canceled: null,
}

export function deliveryBadge(state: DeliveryState, { deliveries }: Catalogue): Html {
  return badge(deliveries.states[state], TONES[state])
}
