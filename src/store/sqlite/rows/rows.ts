import type {
  AuthenticationFilter,
  DeliveryFormat,
  DeliveryOrder,
  Destination,
  DestinationOrigin,
  DestinationState,
  OnExhausted,
  SubjectFilter,
} from '../../../domain/destination.ts'
import type { FactSpan } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/realm.ts'
import type { Connection } from '../database/connection.ts'

/** Of an event with its callback `c` and its own body `b` (event_bodies). */
export const AUTHENTICATION = `iif(b.source = 'resolved', 'service', c.authentication)`
export const CONTENT_TYPE = `iif(b.source = 'resolved', 'application/json', c.content_type)`

/** The events `e` of a callback `c` that has none in `event_id`, or several. */
export const EVENTS_OF_CALLBACK =
  '(select * from events e indexed by events_callback where e.callback_id = c.id and e.is_single is null) e'

/** Whether a callback `c` has an event `e` with this condition. */
export function existsEvent(condition: string): string {
  return `(exists (select 1 from events e where e.id = c.event_id and ${condition})
    or exists (select 1 from events e indexed by events_callback where e.callback_id = c.id and e.is_single is null and ${condition}))`
}

export interface SpanRow {
  array_start: number | null
  array_end: number | null
  item_start: number | null
  item_end: number | null
}

export function spanOfRow(row: SpanRow): FactSpan | null {
  if (row.array_start === null || row.array_end === null || row.item_start === null || row.item_end === null)
    return null
  return { arrayStart: row.array_start, arrayEnd: row.array_end, itemStart: row.item_start, itemEnd: row.item_end }
}

export interface DestinationRow {
  id: number
  name: string
  origin: DestinationOrigin
  state: DestinationState
  pause_reason: string | null
  url: string
  kinds: string | null
  environments: string | null
  institutions: string | null
  subjects: string | null
  authentication: AuthenticationFilter
  format: DeliveryFormat
  owner: string | null
  registration_id: string | null
  secrets: string
  previous_secret_until: number | null
  timeout_ms: number
  concurrency: number
  rate: number | null
  schedule: string | null
  delivery_order: DeliveryOrder
  on_exhausted: OnExhausted
  authorities: string | null
  circuit_opened_at: number | null
  headers: string
  created_at: number
  deliveries_after: number
  deliveries_through: number | null
}

export function destinationOfRow(row: DestinationRow): Destination {
  return {
    id: row.id,
    name: row.name,
    origin: row.origin,
    state: row.state,
    pauseReason: row.pause_reason,
    url: row.url,
    kinds: row.kinds === null ? null : (JSON.parse(row.kinds) as string[]),
    environments: row.environments === null ? null : (JSON.parse(row.environments) as Environment[]),
    institutions: row.institutions === null ? null : (JSON.parse(row.institutions) as string[]),
    subjects: row.subjects === null ? null : (JSON.parse(row.subjects) as SubjectFilter),
    authentication: row.authentication,
    format: row.format,
    owner: row.owner,
    registrationId: row.registration_id,
    secrets: JSON.parse(row.secrets) as string[],
    previousSecretUntil: row.previous_secret_until,
    timeoutMs: row.timeout_ms,
    concurrency: row.concurrency,
    rateLimit: row.rate,
    schedule: row.schedule === null ? null : (JSON.parse(row.schedule) as number[]),
    order: row.delivery_order,
    onExhausted: row.on_exhausted,
    authorities: row.authorities,
    circuitOpenedAt: row.circuit_opened_at,
    headers: JSON.parse(row.headers) as [string, string][],
    createdAt: row.created_at,
  }
}

/** The positions of the events of these callbacks, in order. */
export function positionsOfCallbacks(db: Connection, callbackIds: readonly number[]): number[] {
  return db
    .prepare<{ ids: string }, number>(`
      select e.id from json_each(:ids) j cross join events e indexed by events_callback on e.callback_id = j.value and e.is_single is null
      union all
      select c.event_id from json_each(:ids) j cross join callbacks c on c.id = j.value where c.event_id is not null
      order by 1`)
    .pluck()
    .all({ ids: JSON.stringify(callbackIds) })
}
