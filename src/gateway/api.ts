import { type ApiOptions, createApiApp } from '../api/app.ts'
import { type Authentication, authenticateAsOperator } from '../api/auth/authentication.ts'
import type { LongPollRegistry } from '../api/events/long-polls.ts'
import type { HostCheck } from '../api/http/host-check.ts'
import type { ClientCertificate } from '../certificates/live/client-certificate.ts'
import type { Renewal } from '../certificates/live/renewal.ts'
import { clientChainOf } from '../certificates/trust/client-chain.ts'
import type { Config } from '../config/config.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { checkReachableAddress } from '../delivery/guarded-connect.ts'
import { createNameResolver } from '../delivery/name-resolver.ts'
import type { Sender } from '../delivery/send.ts'
import { sendTestEvent } from '../delivery/test-event.ts'
import { compileAddressRules } from '../domain/address-rules.ts'
import type { Clock } from '../domain/clock.ts'
import type { EventBus } from '../domain/event-bus.ts'
import type { InventoryEntry } from '../domain/expiry.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { Pruning } from '../domain/retention.ts'
import type { Store } from '../domain/store.ts'
import { newSecret } from '../domain/webhook-secret.ts'
import type { Log } from '../platform/log.ts'
import { VERSION } from '../platform/version.ts'
import { identifyDatabase } from '../store/database-identity.ts'
import type { openClients } from './clients.ts'
import type { DescriptorPlan } from './descriptors.ts'
import { sendBlockedReason } from './forwarding.ts'
import type { Metrics } from './metrics.ts'

const CHECK_TIMEOUT_MS = 5000
/** Limits the look-ups for URLs that apps offer. Destinations have their own resolver. */
const CHECKED_NAMES = 50

/** Who may use the API, and what it says about the process. */
export interface ApiAccess {
  /** null: every Host header is accepted. */
  readonly checkHost: HostCheck | null
  readonly authenticate: Authentication
  readonly needsCertificate: boolean
  readonly about: object | null
  readonly reload: (() => Promise<Renewal>) | null
  /** As in ApiOptions. */
  readonly loop: ApiOptions['loop']
}

/** For the control socket: its file mode is the authentication, and `about` lets a command verify which gateway answers. */
export function operatorAccess(
  config: Config,
  {
    reload,
    passed,
    descriptors,
  }: Pick<ApiAccess, 'reload'> & {
    readonly passed: object
    readonly descriptors: DescriptorPlan | null
  },
): ApiAccess {
  return {
    // No browser reaches the socket.
    checkHost: null,
    authenticate: authenticateAsOperator,
    needsCertificate: false,
    about: { version: VERSION, database: identifyDatabase(config.storage.file), passed, descriptors },
    reload,
    // No destination leads to a socket file.
    loop: null,
  }
}

/** The API's handlers, over what runs in this process. */
export function createApi(
  config: Config,
  parts: ApiAccess &
    Awaited<ReturnType<typeof openClients>> & {
      readonly dispatcher: Pick<Dispatcher, 'refresh' | 'stats' | 'wake' | 'drop'>
      /** As in ReplayRoutesOptions. */
      readonly runReplays: () => void
      readonly pruning: Pruning
      readonly sender: Sender
      readonly store: Store
      readonly bus: EventBus
      readonly waiting: LongPollRegistry
      readonly log: Log
      readonly readiness: Readiness
      readonly clock: Clock
      /** null: nothing runs here that is measured. */
      readonly metrics: Pick<Metrics, 'text' | 'contentType'> | null
      readonly listCertificates: () => Promise<readonly InventoryEntry[]>
      /** What is shown to destinations now; null: nothing. */
      readonly client: () => ClientCertificate | null
    },
) {
  const rules = compileAddressRules(config.forwarding.allowedNetworks)
  const resolve = createNameResolver({ maxUnderWay: CHECKED_NAMES })
  return createApiApp({
    store: parts.store,
    bus: parts.bus,
    waiting: parts.waiting,
    kinds: config.callbacks.kinds.map((kind) => kind.name),
    defaults: config.forwarding,
    newSecret,
    checkUrl: (url) => checkReachableAddress(url, { rules, resolve, timeoutMs: CHECK_TIMEOUT_MS }),
    listCertificates: parts.listCertificates,
    clientChain: () => clientChainOf(parts.client(), new Date()),
    testDestination: (destination) => sendTestEvent(parts.sender, destination, Date.now()),
    onChanged: () => parts.dispatcher.refresh(),
    statsOf: (destinationId) => parts.dispatcher.stats(destinationId),
    sendBlockedReason: (destination) => sendBlockedReason(destination, parts.client()),
    wake: (destinationIds) => parts.dispatcher.wake(destinationIds),
    drop: (deliveryIds) => parts.dispatcher.drop(deliveryIds),
    runReplays: parts.runReplays,
    pruning: parts.pruning,
    onRedacted({ deliveryIds, destinationIds }) {
      parts.dispatcher.drop(deliveryIds)
      parts.dispatcher.wake(destinationIds)
    },
    now: Date.now,
    checkHost: parts.checkHost,
    authenticate: parts.authenticate,
    needsCertificate: parts.needsCertificate,
    clients: parts.clients,
    tokens: parts.tokens,
    scopeNames: parts.scopeNames,
    about: parts.about,
    reload: parts.reload,
    loop: parts.loop,
    onReleased({ fact, isNew, destinationIds }) {
      parts.dispatcher.wake(destinationIds)
      if (isNew) parts.bus.publish([fact])
    },
    checkReadiness: () => parts.readiness.checks(),
    clock: parts.clock,
    metrics: parts.metrics && { ...parts.metrics, isOpen: config.api.metrics === 'open' },
    version: VERSION,
    log: parts.log,
  })
}
