import type { ScopeNames } from '../domain/scopes.ts'
import { CERTIFICATE_OPERATIONS } from './certificate-operations.ts'
import { clientOperations } from './client-operations.ts'
import { CONSUMER_OPERATIONS } from './consumer-operations.ts'
import { DELIVERY_OPERATIONS } from './delivery-operations.ts'
import { destinationOperations } from './destination-operations.ts'
import { EVENT_OPERATIONS } from './event-operations.ts'
import { CONTROL_OPERATIONS, HEALTH_OPERATIONS, RELOAD_OPERATIONS } from './gateway-operations.ts'
import type { GatewayRoutesOptions } from './gateway-routes.ts'
import { type MetricsRoutesOptions, metricsOperations } from './metrics-routes.ts'
import type { Operation } from './operation.ts'
import { QUARANTINE_OPERATIONS } from './quarantine-operations.ts'
import { REFUSAL_OPERATIONS } from './refusal-operations.ts'
import { REGISTRATION_OPERATIONS } from './registration-operations.ts'
import { REPLAY_OPERATIONS } from './replay-operations.ts'
import { RETENTION_OPERATIONS } from './retention-operations.ts'
import { TOKEN_OPERATIONS } from './token-operations.ts'

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
