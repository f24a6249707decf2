import type { RequestHandler } from 'express'
import type { BoundedAnswers } from '../api/answers/bounded-answers.ts'
import { createApiApp, type Guards } from '../api/app.ts'
import { type Authentication, authenticateAsOperator } from '../api/auth/authentication.ts'
import type { CertificateOptions } from '../api/certificates/endpoints.ts'
import type { CheckRuns } from '../api/check/check-runs.ts'
import type { LongPollRegistry } from '../api/events/long-polls.ts'
import type { GatewayOptions } from '../api/gateway/endpoints.ts'
import type { HostCheck } from '../api/listening/host-check.ts'
import type { OverviewSource } from '../api/overview/endpoints.ts'
import type { ReconcileOptions } from '../api/reconcile/endpoints.ts'
import type { ServiceOptions } from '../api/service/endpoints.ts'
import type { StreamRegistry } from '../api/streams/stream-registry.ts'
import type { ClientCertificate } from '../certificates/live/client-certificate.ts'
import { clientChainOf } from '../certificates/trust/client-chain.ts'
import { type Config, kindNamesOf } from '../config/config.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { checkReachableAddress } from '../delivery/guarded-connect.ts'
import { createNameResolver } from '../delivery/name-resolver.ts'
import type { Sender } from '../delivery/send.ts'
import { sampleKindOf, sendTestEvent } from '../delivery/test-event.ts'
import type { ActionChannel } from '../domain/actions/action.ts'
import type { AddressRules } from '../domain/address-rules.ts'
import type { AlarmSource } from '../domain/alarms/alarm-source.ts'
import type { Clock } from '../domain/clock.ts'
import type { Destination } from '../domain/destination.ts'
import type { EventBus } from '../domain/event-bus.ts'
import type { InventoryEntry } from '../domain/expiry.ts'
import { createEventMask } from '../domain/masking/event-mask.ts'
import type { Unheard } from '../domain/nodes/foreign-changes.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { Pruning } from '../domain/retention.ts'
import type { SearchIndex } from '../domain/search/search-index.ts'
import { newSecret } from '../domain/secrets/webhook-secret.ts'
import type { ChargesService } from '../domain/service/charges-service.ts'
import type { DeviceSignIn } from '../domain/sign-in/device-sign-in.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../platform/log.ts'
import { VERSION } from '../platform/version.ts'
import { identityOf } from '../store/database-identity.ts'
import type { openClients } from './clients.ts'
import type { DescriptorPlan } from './descriptors.ts'
import type { Metrics } from './metrics.ts'

const CHECK_TIMEOUT_MS = 5000
/** Name lookups at the same time for URLs in requests; deliveries have a resolver of their own. */
const CHECKED_NAMES = 50

/** What differs between the API listener and the control socket. */
export interface ApiAccess {
  readonly channel: ActionChannel
  /** null: every Host header is accepted. */
  readonly checkHost: HostCheck | null
  readonly authenticate: Authentication
  readonly needsCertificate: boolean
  /** How people sign in on a device; null: not at all. */
  readonly devices: DeviceSignIn | null
  readonly about: GatewayOptions['about']
  readonly reload: GatewayOptions['reload']
  readonly trustInUse: GatewayOptions['trustInUse']
  readonly reloadConfiguration: GatewayOptions['reloadConfiguration']
  readonly announceOwn: ((port: number) => void) | null
  /** As in `Guards`. */
  readonly loop: Guards['loop']
  /** As in `ApiOptions`. */
  readonly pages: RequestHandler | null
}

/** For the control socket: its file mode is the authentication, and commands check which database the gateway uses. */
export function operatorAccess(
  config: Config,
  {
    reload,
    trustInUse,
    reloadConfiguration,
    announceOwn,
    passed,
    descriptors,
  }: Pick<ApiAccess, 'reload' | 'trustInUse' | 'reloadConfiguration' | 'announceOwn'> & {
    readonly passed: NonNullable<GatewayOptions['about']>['passed']
    readonly descriptors: DescriptorPlan | null
  },
): ApiAccess {
  return {
    channel: 'control',
    // Browsers cannot reach the socket.
    checkHost: null,
    authenticate: authenticateAsOperator,
    needsCertificate: false,
    devices: null,
    about: {
      version: VERSION,
      startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
      database: identityOf(config.storage.database),
      passed,
      descriptors,
    },
    reload,
    trustInUse,
    reloadConfiguration,
    announceOwn,
    // No destination can lead to a socket file.
    loop: null,
    pages: null,
  }
}

/** Connects the API's handlers to the parts that run in this process. */
export function createApi(
  config: Config,
  parts: ApiAccess &
    Awaited<ReturnType<typeof openClients>> & {
      readonly dispatcher: Pick<Dispatcher, 'refresh' | 'stats' | 'nextProbeAt' | 'wake' | 'drop'>
      /** As in `ReplayParts`. */
      readonly runReplays: () => void
      readonly pruning: Pruning
      readonly searchIndex: SearchIndex
      readonly sender: Sender
      readonly rules: AddressRules
      readonly store: Store
      readonly now: () => number
      readonly bus: EventBus
      readonly waiting: LongPollRegistry
      readonly streams: StreamRegistry
      readonly answers: BoundedAnswers
      readonly alarms: AlarmSource
      /** null: no gateway runs. */
      readonly overview: OverviewSource | null
      /** null: not served. */
      readonly checks: CheckRuns | null
      readonly log: Log
      readonly readiness: Readiness
      readonly configuration: GatewayOptions['configuration']
      readonly clock: Clock
      readonly unheard: () => Unheard | null
      /** null: nothing is measured, because no gateway runs. */
      readonly metrics: Pick<Metrics, 'text' | 'contentType'> | null
      readonly chargesService: ChargesService
      readonly listCertificates: () => Promise<readonly InventoryEntry[]>
      readonly diffTrust: CertificateOptions['diffTrust']
      readonly readServiceStatus: ServiceOptions['readServiceStatus']
      readonly reconcile: ReconcileOptions
      /** The current client certificate for destinations; null: none. */
      readonly client: () => ClientCertificate | null
      readonly sendBlockedReason: (destination: Destination) => string | null
    },
) {
  const resolve = createNameResolver({ maxUnderWay: CHECKED_NAMES })
  const { store, bus, waiting, dispatcher, sender, rules } = parts
  return createApiApp({
    store,
    now: parts.now,
    log: parts.log,
    channel: parts.channel,
    mask: createEventMask(config.callbacks.kinds),
    guards: { checkHost: parts.checkHost, loop: parts.loop },
    identity: {
      authenticate: parts.authenticate,
      clients: parts.clients,
      tokens: parts.tokens,
      scopeNames: parts.scopeNames,
      needsCertificate: parts.needsCertificate,
      devices: parts.devices,
    },
    polling: { bus, waiting },
    streams: parts.streams,
    answers: parts.answers,
    alarms: parts.alarms,
    overview: parts.overview,
    checks: parts.checks,
    work: {
      wake: (destinationIds) => dispatcher.wake(destinationIds),
      drop: (deliveryIds) => dispatcher.drop(deliveryIds),
      nextProbeOf: (destinationId) => dispatcher.nextProbeAt(destinationId),
      runReplays: parts.runReplays,
      pruning: parts.pruning,
      onReleased({ fact, isNew, destinationIds }) {
        dispatcher.wake(destinationIds)
        if (isNew) bus.publish([fact])
      },
      onRedacted({ deliveryIds, destinationIds }) {
        dispatcher.drop(deliveryIds)
        dispatcher.wake(destinationIds)
      },
    },
    destinations: {
      kinds: kindNamesOf(config),
      unnamedKinds: config.callbacks.kinds.filter(({ institution }) => institution === null).map(({ name }) => name),
      institutions: config.institutions.map(({ name }) => name),
      defaults: config.forwarding,
      newSecret,
      checkUrl: (url) => checkReachableAddress(url, { rules, resolve, timeoutMs: CHECK_TIMEOUT_MS }),
      testDestination: (destination, kind) => {
        const sample = sampleKindOf(config, destination, kind)
        return sendTestEvent(sender, destination, { now: parts.now(), kind, sample })
      },
      onChanged: () => dispatcher.refresh(),
      statsOf: (destinationId) => dispatcher.stats(destinationId),
      sendBlockedReason: parts.sendBlockedReason,
    },
    charges: parts.chargesService,
    certificates: {
      listCertificates: parts.listCertificates,
      diffTrust: parts.diffTrust,
      clientChain: () => clientChainOf(parts.client(), new Date()),
    },
    service: { readServiceStatus: parts.readServiceStatus },
    reconcile: parts.reconcile,
    searchIndex: parts.searchIndex,
    gateway: {
      version: VERSION,
      checkReadiness: () => parts.readiness.checks(),
      clock: parts.clock,
      unheard: parts.unheard,
      now: parts.now,
      ...servedToCommands(parts),
      async writeReference(document) {
        const { referenceOf } = await import('../pages/reference/reference.ts')
        return referenceOf(document)
      },
      metrics: parts.metrics && { ...parts.metrics, isOpen: config.api.metrics === 'open' },
    },
    pages: parts.pages,
  })
}

type ServedToCommands = Pick<
  GatewayOptions,
  'about' | 'configuration' | 'reload' | 'trustInUse' | 'reloadConfiguration' | 'announceOwn'
>

function servedToCommands({
  about,
  configuration,
  reload,
  trustInUse,
  reloadConfiguration,
  announceOwn,
}: ServedToCommands): ServedToCommands {
  return { about, configuration, reload, trustInUse, reloadConfiguration, announceOwn }
}
