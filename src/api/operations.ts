import type { ActionChannel } from '../domain/actions/action.ts'
import type { AlarmSource } from '../domain/alarms/alarm-source.ts'
import type { EventMask } from '../domain/masking/event-mask.ts'
import type { ScopeNames } from '../domain/scopes.ts'
import type { SearchIndex } from '../domain/search/search-index.ts'
import type { ChargesService } from '../domain/service/charges-service.ts'
import type { DeviceSignIn } from '../domain/sign-in/device-sign-in.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../platform/log.ts'
import { alarmEndpoints } from './alarms/endpoints.ts'
import type { BoundedAnswers } from './answers/bounded-answers.ts'
import { auditEndpoints } from './audit/endpoints.ts'
import { recorded } from './audit/recording.ts'
import type { AccessTokens } from './auth/access-tokens.ts'
import type { Authentication } from './auth/authentication.ts'
import { storeViews } from './auth/store-scope.ts'
import { type CertificateOptions, certificateEndpoints, clientChainEndpoint } from './certificates/endpoints.ts'
import type { CheckRuns } from './check/check-runs.ts'
import { checkEndpoints } from './check/endpoints.ts'
import { clientEndpoints } from './clients/endpoints.ts'
import type { ClientRegistry } from './clients/registry.ts'
import { consumerEndpoints } from './consumers/endpoints.ts'
import { type DeliveryParts, deliveryEndpoints } from './deliveries/endpoints.ts'
import { destinationEndpoints } from './destinations/endpoints.ts'
import type { DestinationOptions } from './destinations/options.ts'
import { eventEndpoints } from './events/endpoints.ts'
import type { PollingOptions } from './events/event-lists.ts'
import { shareReads } from './events/shared-reads.ts'
import {
  controlEndpoints,
  documentEndpoint,
  type GatewayOptions,
  healthEndpoints,
  metricsEndpoints,
  referenceEndpoint,
} from './gateway/endpoints.ts'
import type { Endpoint } from './http/endpoint.ts'
import { createTraitsMemory } from './http/filter-hint.ts'
import { checkedOperation, type Operation } from './http/operation.ts'
import { nodeEndpoints } from './nodes/endpoints.ts'
import { type OverviewSource, overviewEndpoints } from './overview/endpoints.ts'
import { type QuarantineParts, quarantineEndpoints } from './quarantine/endpoints.ts'
import { type ReconcileOptions, reconcileEndpoints, reconcileRunEndpoints } from './reconcile/endpoints.ts'
import { refusalEndpoints } from './refusals/endpoints.ts'
import { appRegistrationEndpoints } from './registrations/endpoints.ts'
import { type ReplayParts, replayEndpoints } from './replays/endpoints.ts'
import { type RetentionEndpointsOptions, retentionEndpoints } from './retention/endpoints.ts'
import { searchEndpoints } from './search/endpoints.ts'
import { type ServiceOptions, serviceEndpoints } from './service/endpoints.ts'
import { serviceApiEndpoints } from './service-api/endpoints.ts'
import { tokenEndpoints } from './service-api/token-endpoint.ts'
import type { StreamRegistry } from './streams/stream-registry.ts'
import { subjectReads } from './subjects/endpoints.ts'

/** What the endpoints need. */
export interface OperationOptions {
  readonly store: Store
  readonly now: () => number
  readonly log: Log
  /** For clients that may not see personal data. */
  readonly mask: EventMask
  /** How requests come, for the log of actions. */
  readonly channel: ActionChannel
  readonly identity: Identity
  readonly polling: PollingOptions
  readonly streams: StreamRegistry
  readonly answers: BoundedAnswers
  readonly alarms: AlarmSource
  /** null: not served, because no gateway runs. */
  readonly overview: OverviewSource | null
  /** null: not served. */
  readonly checks: CheckRuns | null
  readonly work: Work
  readonly destinations: Omit<DestinationOptions, 'nextProbeOf'>
  readonly certificates: CertificateOptions
  /** The charges interface of the service, as the gateway calls it for apps. */
  readonly charges: ChargesService
  readonly service: ServiceOptions
  readonly reconcile: ReconcileOptions
  readonly searchIndex: SearchIndex
  readonly gateway: GatewayOptions
}

/** Who may call the API. */
export interface Identity {
  readonly authenticate: Authentication
  readonly clients: ClientRegistry
  readonly tokens: AccessTokens
  /** How people sign in on a device; null, or left out: not at all. */
  readonly devices?: DeviceSignIn | null
  readonly scopeNames: ScopeNames
  /** The service's own API for registrations (/registration, /payment) is only for callers with a client certificate (Document 1, Authentication 1). */
  readonly needsCertificate: boolean
}

/** The background work of the gateway that requests start or change. */
export interface Work
  extends Pick<DeliveryParts, 'wake' | 'drop' | 'nextProbeOf'>,
    Pick<ReplayParts, 'runReplays'>,
    Pick<QuarantineParts, 'onReleased'>,
    Pick<RetentionEndpointsOptions, 'pruning' | 'onRedacted'> {}

/** The endpoints by their ids, in the order of the document. Pages and commands ask for none of those that are left out. */
export type Endpoints = ReturnType<typeof endpointsOf>

function endpointsOf(options: OperationOptions, describe: () => Promise<object>) {
  const { store, now, log, identity, polling, streams, answers, work, destinations } = options
  const { certificates, charges, gateway, overview, checks, reconcile } = options
  const { readServiceStatus } = options.service
  const common = { store, now, log }
  const events = shareReads(store)
  const storeFor = storeViews(store, events)
  const hints = { traits: createTraitsMemory(store), kinds: destinations.kinds }
  return {
    ...eventEndpoints({ storeFor, mask: options.mask, now, ...polling, streams, answers, hints, ...work }),
    ...subjectReads({ storeFor, mask: options.mask, now, hints, nextProbeOf: work.nextProbeOf }),
    ...consumerEndpoints({ store, events, now, ...polling, answers, hints }),
    ...replayEndpoints({ storeFor, ...common, ...work }),
    ...deliveryEndpoints({ store, storeFor, mask: options.mask, now, ...work }),
    ...quarantineEndpoints({ ...common, mask: options.mask, ...work }),
    ...destinationEndpoints({ storeFor, now, ...destinations, nextProbeOf: work.nextProbeOf }),
    ...serviceApiEndpoints({ ...common, ...destinations, charges, findClient: identity.clients.find }),
    ...appRegistrationEndpoints({ ...common, ...destinations, ...identity }),
    ...clientEndpoints(identity),
    ...tokenEndpoints({ ...common, devices: null, ...identity, findClient: identity.clients.find }),
    ...refusalEndpoints(store),
    ...auditEndpoints(store),
    ...retentionEndpoints({ ...common, ...work, clock: gateway.clock }),
    ...certificateEndpoints({ ...certificates, now }),
    ...nodeEndpoints(store),
    ...orNone(readServiceStatus && serviceEndpoints(readServiceStatus)),
    ...reconcileEndpoints({ store, now, ...reconcile }),
    ...orNone(reconcile.reconciler && reconcileRunEndpoints(reconcile, reconcile.reconciler)),
    ...orNone(overview && overviewEndpoints({ overview, streams, store, now })),
    ...orNone(checks && checkEndpoints(checks)),
    ...alarmEndpoints({ store, now, alarms: options.alarms }),
    ...searchEndpoints({ searchIndex: options.searchIndex, log }),
    ...controlEndpoints(gateway),
    ...healthEndpoints(gateway),
    showContract: documentEndpoint(describe),
    showReference: referenceEndpoint(describe, gateway.writeReference),
    getClientChain: clientChainEndpoint(certificates),
    ...metricsEndpoints(gateway),
  }
}

function orNone<E extends object>(endpoints: E | null): E {
  return endpoints ?? ({} as E)
}

/** Every operation that is served, in the order of the document. */
export function operationsOf(options: OperationOptions): readonly Operation[] {
  const { store, now, log, channel, identity, gateway } = options
  async function describe(): Promise<object> {
    const { openApiDocument } = await import('./openapi/openapi.ts')
    return openApiDocument({ ...identity, version: gateway.version, operations })
  }
  const recording = { store, now, log, channel }
  const operations: readonly Operation[] = Object.entries<Endpoint>(endpointsOf(options, describe)).map(
    ([id, endpoint]) => recorded(checkedOperation(id, endpoint), recording),
  )
  return operations
}
