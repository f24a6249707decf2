import type { listedEventSchema } from '../../api/events/schema.ts'
import type { eventSummary } from '../../api/events/serializer.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { queryOf } from '../asking.ts'
import { periodOf } from '../remote/lists.ts'
import type { FilterOptions } from './filter.ts'

export type ListedEvent = View<typeof listedEventSchema>

/** The query of the API for these options. */
export function remoteQueryOf(options: FilterOptions, more: Parameters<typeof queryOf>[0] = {}): URLSearchParams {
  const { kind, institution, environment, subject, status, state: deliveryState, destination } = options
  const filter = { kind, institution, environment, subject, status, deliveryState, destination }
  return queryOf(Object.assign(filter, periodOf(options), more))
}

/** An event of the API without its data, as the database of this machine lists it. */
export function summaryOf<T extends Partial<ListedEvent>>({
  contentType: _,
  data: __,
  dataBase64: ___,
  deliveries: ____,
  ...summary
}: T): ReturnType<typeof eventSummary> {
  return summary as unknown as ReturnType<typeof eventSummary>
}
