import type { X509Certificate } from 'node:crypto'
import { requireToken } from '../api/auth/authentication.ts'
import { operatorToken } from '../api/auth/operator-token.ts'
import { createLongPollRegistry } from '../api/events/long-polls.ts'
import { createHostCheck } from '../api/http/host-check.ts'
import { startApiListener, startControlListener } from '../api/http/listener.ts'
import { makeConfiguredCertificates } from '../certificates/development/development.ts'
import { rememberAppCertificates } from '../certificates/live/certificate-inventory.ts'
import type { Renewal } from '../certificates/live/renewal.ts'
import type { Config } from '../config/config.ts'
import { controlSocketOf } from '../config/control-socket.ts'
import { createReadiness } from '../domain/readiness.ts'
import { compileRoutes } from '../domain/routes.ts'
import { startClockGuard } from '../jobs/clock-guard.ts'
import { startDiskGuard } from '../jobs/disk-guard.ts'
import { startExpiryAlarm } from '../jobs/expiry-alarm.ts'
import { withLoadShedding } from '../jobs/load-shedding.ts'
import { createReplayRunner } from '../jobs/replay-runner.ts'
import { createRetentionRunner } from '../jobs/retention-runner.ts'
import { createBodyBudget } from '../platform/body-budget.ts'
import { closeTogether, createClosing } from '../platform/close.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { startCallbackListener } from '../receiving/callback-listener.ts'
import { openRefusals } from '../receiving/refusals.ts'
import { freeSpaceFor } from '../store/free-space.ts'
import { captureCertificate, takeCertificate } from '../tls/peer-certificate.ts'
import { type ApiAccess, createApi, operatorAccess } from './api.ts'
import { loadCertificates } from './certificates.ts'
import { startCharges } from './charges.ts'
import { instanceName, isCertificateNeeded, openClients, warnOfMissingTrust } from './clients.ts'
import { descriptorLimit, limitListeners, planDescriptors } from './descriptors.ts'
import { configuredDestinations } from './destinations.ts'
import { connectEventBus } from './event-bus.ts'
import { closeAfterFailedStart } from './failed-start.ts'
import { openForwarding } from './forwarding.ts'
import { watchInactivity } from './inactivity.ts'
import { listInventory } from './inventory.ts'
import { createMetrics } from './metrics.ts'
import { openGatewayStore } from './store.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export type AnyListener = 'callbacks' | 'charges' | 'api'

/** Descriptors of sockets that listen already: each replaces host and port of its listener. */
export type PassedSockets = Readonly<Partial<Record<AnyListener, number>>>

export interface Gateway {
  readonly addresses: { readonly callbacks: Address; readonly charges: Address | null; readonly api: Address }
  /** Files that were made because they were missing; only in development. */
  readonly made: readonly string[]
  /**
   * Takes up the configuration's certificates, chains and destinations; keys that need a restart are named in the log. What cannot be used
   * stays as it was.
   */
  reload(config: Config): Promise<Renewal>
  /** False: the writer has kept somebody waiting for so long that only a restart helps. */
  isAlive(): boolean
  /** Stops accepting, finishes requests, commits, closes; within 10 s. */
  stop(): Promise<void>
}

export interface GatewayOptions {
  readonly log: Log
  /** The store is lost: the process must end, for its supervisor to restart it. */
  readonly onLost: (error: Error) => void
  readonly sockets?: PassedSockets
  /** Lines of the log that were lost. */
  readonly droppedLines?: () => number
}

/** How long requests and attempts in flight may take to end when the gateway stops. */
const REQUEST_GRACE_MS = 4000
const ATTEMPT_GRACE_MS = 2500
/** A command may hold the database for a moment while the gateway starts. */
const GATEWAY_LOCK_WAIT_MS = 3000
/** The slowest batch of a writer that lives, also where it waits for the disk. */
const SILENCE_LIMIT_MS = 40_000

/**
 * The one place where rooms meet. What opens in order closes in reverse.
 * @throws PortariaError for every certificate, chain, database, port or destination that cannot be used, before anything is accepted
 */
export async function startGateway(
  config: Config,
  { log, onLost, sockets = {}, droppedLines = () => 0 }: GatewayOptions,
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

    const whole = await openGatewayStore(config, {
      ...{ log, onLost, readiness, lockWaitMs: GATEWAY_LOCK_WAIT_MS },
      onCommit: traffic.committed,
    })
    closing.defer(() => whole.close())
    const diskGuard = await startDiskGuard({
      measure: () => freeSpaceFor(config.storage.file),
      minFreeSpace: config.storage.minFreeSpace,
      store: whole,
      onRefusing: readiness.setShort,
      log,
    })
    closing.defer(() => diskGuard.stop())
    const store = withLoadShedding(whole, diskGuard)
    const clock = await startClockGuard({ store, now, log })
    closing.defer(() => clock.stop())
    const instance = await instanceName(store)
    const working = await openForwarding(config, {
      ...{ store, log, clock, client: certificates.client, instance },
      connections: plan.allowed.destinations,
      onAttempted: traffic.attempted,
    })
    closing.defer(() => working.dispatcher.stop(ATTEMPT_GRACE_MS))
    await working.dispatcher.refresh()
    // What was put off by a clock that ran ahead is due now.
    clock.onTrusted(() => {
      const wakeAll = async () => working.dispatcher.wake((await store.listDestinations()).map(({ id }) => id))
      wakeAll().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'deliveries.not_woken'))
    })
    const replays = createReplayRunner({ store, wake: working.dispatcher.wake, now, log })
    closing.defer(() => replays.stop())
    const { retention } = config.storage
    const pruning = createRetentionRunner({
      ...{ store, retention, wake: working.dispatcher.wake, now, log },
      clockProblem: () => clock.state().problem,
    })
    closing.defer(() => pruning.stop())
    const events = connectEventBus(working.dispatcher, log)
    const refusals = await openRefusals({ store, log, now, onCounted: traffic.refused })
    closing.defer(() => refusals.close())
    // All listeners at once: one after the other, their graces would add up to more than a stop may take.
    const listening: (() => Promise<void>)[] = []
    closing.defer(() => closeTogether(listening))
    const waiting = createLongPollRegistry()
    closing.defer(() => waiting.close())

    const apps = rememberAppCertificates(now)
    const listCertificates = async () => {
      const { config, inUse } = certificates.current()
      return listInventory(config, { store, inUse, apps: apps.watched(now()), now: now() })
    }
    const clients = await openClients(config, store)
    warnOfMissingTrust(config, log)
    const api = (access: ApiAccess) => {
      const { client } = certificates
      const seen = { store, log, readiness, clock, metrics, listCertificates, client }
      const parts = { ...working, ...clients, ...seen, bus: events.bus, waiting, runReplays: replays.start, pruning }
      return createApi(config, { ...parts, ...access })
    }
    const reload = async () => certificates.reload()
    const control = await startControlListener(
      api(operatorAccess(config, { reload, passed, descriptors: plan })),
      controlSocketOf(config),
    )
    listening.push(() => control.stop())
    const apiListener = await startApiListener(
      api({
        // Under TLS a page of another name fails at the certificate.
        checkHost: config.api.tls === null ? createHostCheck(config.api.hostNames, refusals.on('api')) : null,
        authenticate: requireToken(token, clients.tokens, { onRefused: refusals.on('api'), now }),
        needsCertificate: isCertificateNeeded(config.api),
        about: null,
        reload: null,
        loop: { instance, onRefused: refusals.on('api') },
      }),
      {
        ...config.api,
        limits: limits.api,
        onRefused: refusals.on('api'),
        socket: sockets.api,
        tls: certificates.api,
        clients: certificates.apiClients && {
          authorities: certificates.apiClients,
          isRequired: config.api.clientCertificates === 'required',
          reading: { capture: captureCertificate, take: takingNote(apps.add) },
        },
      },
    )
    listening.push(() => apiListener.stop())

    const silence = await watchInactivity(config, { store, onRaised: events.onRaised, now, log })
    closing.defer(() => silence.stop())
    const bodies = createBodyBudget({
      limitBytes: config.storage.queue.bytes,
      otherBytes: () => store.pulse().waitingBytes,
    })
    const handleCallback = {
      kinds: config.callbacks.kinds,
      bodies,
      instance,
      admits: diskGuard.admits,
      storeCallback: readiness.watch(store.storeCallback),
      log,
      now: clock.time,
      onOutcome: traffic.answered,
      onStored(...stored: Parameters<typeof events.onStored>) {
        events.onStored(...stored)
        silence.heard(stored[1])
      },
      refusals,
    }
    const callbacks = await startCallbackListener({
      ...config.callbacks,
      ...handleCallback,
      limits: limits.callbacks,
      socket: sockets.callbacks,
      serverCertificate: certificates.own,
      trust: certificates.trust,
      matchRoute: compileRoutes(config.callbacks.kinds, config.callbacks.suffixes),
    })
    listening.push(() => callbacks.stop(REQUEST_GRACE_MS))
    const charges = await startCharges(config, {
      ...handleCallback,
      limits: limits.charges,
      socket: sockets.charges,
      serverCertificate: certificates.charges,
    })
    if (charges !== null) listening.push(() => charges.stop(REQUEST_GRACE_MS))
    for (const [name, listener] of Object.entries({ callbacks, charges, api: apiListener }))
      if (listener !== null && sockets[name as AnyListener] !== undefined)
        passed[name as AnyListener] = addressOf(listener)
    const expiry = startExpiryAlarm({
      ...{ list: listCertificates, store, onRaised: events.onRaised, now, log },
      isClockPlausible: () => clock.state().isPlausible,
    })
    closing.defer(() => expiry.stop())
    const destinations = configuredDestinations(config, { certificates, store, dispatcher: working.dispatcher, log })
    const unwatch = await certificates.watch({
      callbacks,
      charges,
      api: apiListener,
      sender: working.sender,
      destinations,
      onRenewed: () => void expiry.check(),
    })
    closing.defer(() => unwatch())

    metrics.expose({
      ...{ store, readiness, clock, droppedLines, log, dispatcher: working.dispatcher },
      ...{ bodyBytes: bodies.bytes, diskGuard: diskGuard.state, certificates: expiry.latest, heard: silence.kinds },
      connections: () => [
        { listener: 'callbacks', open: callbacks.connections(), limit: limits.callbacks.maxConnections },
        ...(charges === null
          ? []
          : [{ listener: 'charges', open: charges.connections(), limit: limits.charges.maxConnections }]),
        { listener: 'api', open: apiListener.connections(), limit: limits.api.maxConnections },
      ],
    })
    replays.start()
    pruning.start()
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

/** Of what apps show, as far as it is verified. */
function takingNote(add: (certificate: X509Certificate) => void): typeof takeCertificate {
  return function takeAndRemember(socket) {
    const certificate = takeCertificate(socket)
    if (certificate !== undefined && socket.authorized) add(certificate)
    return certificate
  }
}

function addressOf({ host, port }: Address): Address {
  return { host, port }
}
