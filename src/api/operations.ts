import type { ScopeNames } from '../domain/scopes.ts'
import { TOKEN_OPERATIONS } from './auth/token-operations.ts'
import { CERTIFICATE_OPERATIONS } from './certificates/certificate-operations.ts'
import { clientOperations } from './clients/client-operations.ts'
import { CONSUMER_OPERATIONS } from './consumers/consumer-operations.ts'
import { DELIVERY_OPERATIONS } from './deliveries/delivery-operations.ts'
import { destinationOperations } from './destinations/destination-operations.ts'
import { EVENT_OPERATIONS } from './events/event-operations.ts'
import { CONTROL_OPERATIONS, HEALTH_OPERATIONS, RELOAD_OPERATIONS } from './gateway/gateway-operations.ts'
import type { GatewayRoutesOptions } from './gateway/gateway-routes.ts'
import { type MetricsRoutesOptions, metricsOperations } from './gateway/metrics-routes.ts'
import type { Operation } from './http/endpoint.ts'
import { QUARANTINE_OPERATIONS } from './quarantine/quarantine-operations.ts'
import { REFUSAL_OPERATIONS } from './refusals/refusal-operations.ts'
import { REPLAY_OPERATIONS } from './replays/replay-operations.ts'
import { RETENTION_OPERATIONS } from './retention/retention-operations.ts'
import { REGISTRATION_OPERATIONS } from './service-api/registration-operations.ts'

export interface OperationsOptions extends GatewayRoutesOptions, MetricsRoutesOptions {
  readonly kinds: readonly string[]
  readonly scopeNames: ScopeNames
}

/** Every endpoint that is served, in the order of the document. */
export function operationsOf({ kinds, scopeNames, about, reload, metrics }: OperationsOptions): readonly Operation[] {
  return [
    ...EVENT_OPERATIONS,
    ...CONSUMER_OPERATIONS,
    ...REPLAY_OPERATIONS,
    ...DELIVERY_OPERATIONS,
    ...QUARANTINE_OPERATIONS,
    ...destinationOperations(kinds),
    ...REGISTRATION_OPERATIONS,
    ...clientOperations(scopeNames),
    ...TOKEN_OPERATIONS,
    ...REFUSAL_OPERATIONS,
    ...RETENTION_OPERATIONS,
    ...CERTIFICATE_OPERATIONS,
    ...(about === null ? [] : CONTROL_OPERATIONS),
    ...(reload === null ? [] : RELOAD_OPERATIONS),
    ...HEALTH_OPERATIONS,
    ...metricsOperations({ metrics }),
  ]
}
