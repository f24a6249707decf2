import type {
  AuthenticationFilter,
  DeliveryFormat,
  DeliveryOrder,
  Destination,
  DestinationOrigin,
  DestinationSettings,
  DestinationState,
  OnExhausted,
  SubjectFilter,
} from '../../domain/destination.ts'
import type { Environment } from '../../domain/realm.ts'

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

/** The columns of the settings. */
export function columnsOf(settings: DestinationSettings) {
  return {
    name: settings.name,
    url: settings.url,
    kinds: settings.kinds === null ? null : JSON.stringify(settings.kinds),
    environments: settings.environments === null ? null : JSON.stringify(settings.environments),
    institutions: settings.institutions === null ? null : JSON.stringify(settings.institutions),
    subjects: settings.subjects === null ? null : JSON.stringify(settings.subjects),
    authentication: settings.authentication,
    format: settings.format,
    secrets: JSON.stringify(settings.secrets),
    timeoutMs: settings.timeoutMs,
    concurrency: settings.concurrency,
    rate: settings.rateLimit,
    schedule: settings.schedule === null ? null : JSON.stringify(settings.schedule),
    order: settings.order,
    onExhausted: settings.onExhausted,
    authorities: settings.authorities,
    headers: JSON.stringify(settings.headers),
  }
}
