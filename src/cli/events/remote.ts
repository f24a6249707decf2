import type { EVENT_LISTS } from '../../api/events/contract.ts'
import { type ItemOf, periodOf } from '../remote/lists.ts'
import type { FilterOptions } from './filter.ts'

export type ListedEvent = ItemOf<typeof EVENT_LISTS.listEvents>
export type EventView = Omit<ListedEvent, 'contentType' | 'data' | 'dataBase64' | 'deliveries'>

/** The query of the API for these options. */
export function queryIn(options: FilterOptions) {
  const { kind, institution, environment, subject, status, state: deliveryState, destination } = options
  return { kind, institution, environment, subject, status, deliveryState, destination, ...periodOf(options) }
}

/** An event without its data and its deliveries. */
export function summaryOf<T extends Partial<ListedEvent>>({
  contentType: _,
  data: __,
  dataBase64: ___,
  deliveries: ____,
  ...summary
}: T) {
  return summary
}
