/** The answers of the API that the page of an event uses. */

import type { consumerSchema } from '../../api/consumers/contract.ts'
import type { triedDeliverySchema } from '../../api/deliveries/schema.ts'
import type { destinationSchema } from '../../api/destinations/schema.ts'
import type { eventDetailSchema, eventSchema } from '../../api/events/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { type Said, say } from '../../messages/say.ts'

/** What is wrong with an event's payload. */
export const MARKS: Readonly<Record<NonNullable<EventView['mark']>, Said>> = {
  unparsed: say`not JSON`,
  unsplit: say`not split`,
}

/** In place of personal data. */
export const MASK = '***'

/** What people call the event: its subject, or its id where there is none to be seen. */
export function nameOf({ subject, id }: Pick<EventView, 'subject' | 'id'>): string {
  return subject === null || subject === MASK ? id : subject
}

export type EventView = View<typeof eventSchema>
export type EventDetail = View<typeof eventDetailSchema>
export type Evidence = EventDetail['evidence']
export type DeliveryView = View<typeof triedDeliverySchema>
export type AttemptView = DeliveryView['latestAttempts'][number]
export type ConsumerView = View<typeof consumerSchema>
export type DestinationView = Pick<View<typeof destinationSchema>, 'id' | 'name'>
