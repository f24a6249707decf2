import type { X509Certificate } from 'node:crypto'
import { createBoundedAnswers } from '../api/answers/bounded-answers.ts'
import { operatorToken } from '../api/auth/operator-token.ts'
import { createCheckRuns, type RunCheck } from '../api/check/check-runs.ts'
import { createLongPollRegistry } from '../api/events/long-polls.ts'
import { startControlListener } from '../api/listening/listener.ts'
import { createStreamRegistry } from '../api/streams/stream-registry.ts'
import { makeConfiguredCertificates } from '../certificates/development/development.ts'
import { rememberAppCertificates } from '../certificates/live/certificate-inventory.ts'
import { rememberServiceServers } from '../certificates/live/service-servers.ts'
import type { ConfigWithSecrets } from '../config/config.ts'
import { controlSocketOf } from '../config/control-socket.ts'
import { createReplaceableRules } from '../domain/address-rules.ts'
import { createReadiness } from '../domain/readiness.ts'
import { startExpiryAlarm } from '../jobs/expiry-alarm.ts'
import { createRefusedCallbackAlarm } from '../jobs/refused-callback-alarm.ts'
import { closeTogether, createClosing } from '../platform/close.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { openRefusals } from '../receiving/refusals.ts'
import { createStoredLog } from '../receiving/stored-log.ts'
import { captureCertificate, takeCertificate } from '../tls/peer-certificate.ts'
import type { ApiAccess } from './api.ts'
import { loadCertificates } from './certificates.ts'
import { descriptorLimit, limitListeners, planDescriptors } from './descriptors.ts'
import type { Reloaded } from './destinations.ts'
import { connectEventBus } from './event-bus.ts'
import { closeAfterFailedStart } from './failed-start.ts'
import { openGuardedStore } from './guarded-store.ts'
import { watchInactivity } from './inactivity.ts'
import { listInventory } from './inventory.ts'
import { loadParts } from './late-parts.ts'
import { createMetrics } from './metrics.ts'
import { createOverview } from './overview.ts'
import { createServiceStatus } from './service-status.ts'
import { createStoreJobs } from './store-jobs.ts'
import { createTrustDiff } from './trust-diff.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export type AnyListener = 'callbacks' | 'charges' | 'api'

/** File descriptors of sockets that the service manager opened. Each replaces the host and port of its listener. */
export type PassedSockets = Readonly<Partial<Record<AnyListener, number>>>

export interface Gateway {
  readonly addresses: { readonly callbacks: Address; readonly charges: Address | null; readonly api: Address }
  /** Certificate files that were created because they were missing; only in development. */
  readonly made: readonly string[]
  /**
   * Takes up certificates, chains and destinations of the configuration. The log names changed keys that need a restart. A certificate or chain
   * that cannot be used leaves the earlier one in use.
   */
  reload(config: ConfigWithSecrets): Promise<Reloaded>
  /** False: something has waited for the writer for so long that only a restart helps. */
  isAlive(): boolean
  /**
   * Stops accepting, finishes requests, commits and closes, within 10 s.
   * @throws Error whose `cause` is the first failure; everything else is closed nevertheless
   */
  stop(): Promise<void>
}

export interface GatewayOptions {
  readonly log: Log
  /** The store is lost: the process must end, so that its supervisor restarts it. */
  readonly onLost: (error: Error) => void
  readonly sockets?: PassedSockets
  /** For a request on the control socket: reads the configuration file and calls `Gateway.reload`; left out: the request is not served. */
  readonly reloadConfiguration?: ApiAccess['reloadConfiguration']
  /** Runs `portaria check`; left out: the request is not served. */
  readonly runCheck?: RunCheck | null
  /** How many log lines were lost. */
  readonly droppedLines?: () => number
  /** Takes functions that log what is still summed up, for an end of the process without a stop. */
  readonly sumUpWith?: (logSums: () => void) => void
}

/** How long attempts in flight may take when the gateway stops. */
const ATTEMPT_GRACE_MS = 2500
/** A live writer takes less for its slowest batch, also where it waits for the disk. */
const SILENCE_LIMIT_MS = 40_000

/**
 * Opens every part of a gateway and connects them. They close in reverse order, also when a later part fails to open.
 * @throws PortariaError for every certificate, chain, database, port or destination that cannot be used, before any connection is accepted
 */
export async function startGateway(
  config: ConfigWithSecrets,
  {
    log,
    onLost,
    sockets = {},
    reloadConfiguration = null,
    runCheck = null,
    droppedLines = () => 0,
    sumUpWith = () => undefined,
  }: GatewayOptions,
): Promise<Gateway> {
  const now = Date.now
  const passed: Partial<Record<AnyListener, Address>> = {}
  const closing = createClosing()
  try {
    const made = config.mode === 'development' ? (await makeConfiguredCertificates(config.callbacks)).made : []
    const plan = planDescriptors(config, descriptorLimit())
    const limits = limitListeners(config, plan, log)
    const certificates = loadCertificates(config, log)
    const token = operatorToken(config.api.operatorTokenFile, config.mode === 'development')
    const readiness = createReadiness()
    const metrics = createMetrics(config)
    closing.defer(() => metrics.stop())
    const { traffic } = metrics
    const storedLog = createStoredLog(log)
    sumUpWith(storedLog.flush)
    // After the store has closed: what it still stores is logged, too.
    closing.defer(() => storedLog.flush())

    const opening = openGuardedStore(config, { log, readiness, onLost, onCommit: traffic.committed, closing, now })
    const loading = loadParts()
    const { store, diskGuard, clock } = await opening
    const [
      { createApi, operatorAccess },
      { startApi },
      { createChargesService },
      { instanceName, openClients, warnOfMissingTrust },
      { configuredDestinations },
      { openForwarding },
      { resolveNotifications },
      { startReceiving },
      { createServiceClients },
    ] = await loading
    const instance = await instanceName(store)
    const rules = createReplaceableRules(config.forwarding.allowedNetworks)
    const forwarding = await openForwarding(config, {
      ...{ store, log, clock, client: certificates.client, rules, instance },
      connections: plan.allowed.destinations,
      onAttempted: traffic.attempted,
    })
    sumUpWith(forwarding.dispatcher.logSums)
    closing.defer(() => forwarding.dispatcher.stop(ATTEMPT_GRACE_MS))
    await forwarding.dispatcher.refresh()
    // Deliveries that a clock in the future had postponed are due now.
    clock.onTrusted(() => {
      const wakeAll = async () => forwarding.dispatcher.wake((await store.listDestinations()).map(({ id }) => id))
      wakeAll().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'deliveries.not_woken'))
    })
    const jobs = createStoreJobs(config, { store, wake: forwarding.dispatcher.wake, clock, closing, now, log })
    const events = connectEventBus(forwarding.dispatcher, jobs.searchIndex.wake, log)
    const onRecorded = createRefusedCallbackAlarm({ store, onRaised: events.onRaised, log })
    const refusals = await openRefusals({ store, log, now, onCounted: traffic.refused, onRecorded })
    closing.defer(() => refusals.close())
    // At the same time: one after the other, their grace periods would exceed the time for a stop.
    const stops: (() => Promise<void>)[] = []
    closing.defer(() => closeTogether(stops))
    const answers = createBoundedAnswers({ log, now })
    const waiting = createLongPollRegistry()
    closing.defer(() => waiting.close())
    // A quarter: the other connections stay free for requests.
    const streams = createStreamRegistry({
      ...{ log, answers, places: Math.min(500, Math.ceil(limits.api.maxConnections / 4)) },
      placesOfAddress: Math.max(1, Math.floor(limits.api.connectionsPerAddress / 2)),
    })
    closing.defer(() => streams.close())

    const apps = rememberAppCertificates(now)
    const servers = rememberServiceServers(now)
    const listCertificates = async () => {
      const { config, inUse } = certificates.current()
      const met = [...apps.watched(now()), ...servers.watched(now())]
      return listInventory(config, { store, inUse, met, now: now() })
    }
    const diffTrust = createTrustDiff({ config: () => certificates.current().config, store, now })
    const clients = await openClients(config, store)
    warnOfMissingTrust(config, log)
    const service = createServiceClients({
      ...{ service: certificates.service, servicePathSegment: config.api.servicePathSegment, rules, log },
      ...{ onRequest: metrics.service.requested, onTokenFetched: metrics.service.tokenFetched },
      otherSecrets: config.chargeNotifications?.tokens.map(({ token }) => token) ?? [],
      onCertificate: servers.add,
    })
    closing.defer(() => service.close())
    const chargesService = createChargesService({
      chargeNotifications: config.chargeNotifications,
      publicUrl: () => certificates.current().config.chargeNotifications?.publicUrl ?? null,
      settingsOf: (environment) => certificates.service(environment)?.settings ?? null,
      clientOf: service.of,
    })
    const readServiceStatus = createServiceStatus({ service: certificates.service, clients: service, store, now })
    const overview = createOverview(metrics, now)
    const checks = runCheck && createCheckRuns(runCheck, now)
    const api = (access: ApiAccess) => {
      const { client } = certificates
      const seen = { store, log, readiness, clock, metrics, listCertificates, diffTrust, client, readServiceStatus }
      const parts = {
        ...forwarding,
        rules,
        ...clients,
        ...seen,
        bus: events.bus,
        waiting,
        streams,
        answers,
        overview,
        checks,
        runReplays: jobs.replays.start,
        pruning: jobs.retention,
        searchIndex: jobs.searchIndex,
        chargesService,
      }
      return createApi(config, { ...parts, ...access })
    }
    const reload = async () => certificates.reload()
    const control = await startControlListener(
      api(
        operatorAccess(config, {
          reload,
          reloadConfiguration,
          announceOwn: refusals.own.announce,
          passed,
          descriptors: plan,
        }),
      ).serve,
      controlSocketOf(config),
    )
    stops.push(() => control.stop())
    const apiListener = await startApi(config, {
      ...{ api, clients, certificates, operatorToken: token, instance, now, log },
      limits: limits.api,
      socket: sockets.api,
      reading: { capture: captureCertificate, take: rememberVerified(apps.add) },
      onRefused: refusals.on('api'),
    })
    stops.push(() => apiListener.stop())

    const inactivity = await watchInactivity(config, { store, onRaised: events.onRaised, now, log })
    closing.defer(() => inactivity.stop())
    const notifications = resolveNotifications({
      ...{ kinds: config.callbacks.kinds, store, clients: service, service: certificates.service },
      ...{ announce: events.announce, traffic, now: clock.time, log },
    })
    closing.defer(() => notifications.stop())
    const { callbacks, charges, bodyBytes } = await startReceiving(config, {
      ...{ store, diskGuard, clock, events, notifications, inactivity, readiness, traffic, refusals, storedLog, log },
      ...{ instance, limits, sockets, stops },
      serverCertificate: certificates.serverCertificate,
      trust: certificates.trust,
      charges: certificates.charges,
    })
    for (const [name, listener] of Object.entries({ callbacks, charges, api: apiListener }))
      if (listener !== null && sockets[name as AnyListener] !== undefined)
        passed[name as AnyListener] = addressOf(listener)
    const expiry = startExpiryAlarm({
      ...{ list: listCertificates, store, onRaised: events.onRaised, now, log },
      isClockPlausible: () => clock.state().isPlausible,
    })
    closing.defer(() => expiry.stop())
    const destinations = configuredDestinations(config, { ...forwarding, certificates, service, rules, store, log })
    const unwatch = await certificates.watch({
      callbacks,
      charges,
      api: apiListener,
      sender: {
        renew() {
          forwarding.sender.renew()
          // Destinations that wait for the certificate resume. A failed refresh is repeated.
          forwarding.dispatcher.refresh().catch(() => undefined)
        },
      },
      destinations,
      service: {
        renew(environment) {
          service.renew(environment)
          notifications.renewed(environment)
        },
      },
      onRenewed: () => void expiry.check(),
    })
    closing.defer(() => unwatch())

    metrics.expose({
      ...{
        store,
        readiness,
        clock,
        droppedLines,
        log,
        dispatcher: forwarding.dispatcher,
        readServiceStatus,
        searchIndex: jobs.searchIndex,
      },
      ...{
        bodyBytes,
        unreadBytes: answers.bytes,
        diskGuard: diskGuard.state,
        certificates: expiry.latest,
        kindActivity: inactivity.kinds,
      },
      connections: () => [
        { listener: 'callbacks', open: callbacks.connections(), limit: limits.callbacks.maxConnections },
        ...(charges === null
          ? []
          : [{ listener: 'charges', open: charges.connections(), limit: limits.charges.maxConnections }]),
        { listener: 'api', open: apiListener.connections(), limit: limits.api.maxConnections },
      ],
    })
    jobs.start()
    readiness.setListening(true)
    closing.defer(() => readiness.setListening(false))
    return {
      addresses: {
        callbacks: addressOf(callbacks),
        charges: charges && addressOf(charges),
        api: addressOf(apiListener),
      },
      made,
      reload: destinations.reload,
      isAlive: () => store.pulse().silentMs < SILENCE_LIMIT_MS,
      stop: closing.close,
    }
  } catch (error) {
    await closeAfterFailedStart(closing, log)
    throw error
  }
}

/** Remembers the client certificates of apps for the certificate inventory, if TLS verified them. */
function rememberVerified(add: (certificate: X509Certificate) => void): typeof takeCertificate {
  return function takeAndRemember(socket) {
    const certificate = takeCertificate(socket)
    if (certificate !== undefined && socket.authorized) add(certificate)
    return certificate
  }
}

function addressOf({ host, port }: Address): Address {
  return { host, port }
}
