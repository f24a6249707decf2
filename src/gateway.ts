import { startApiListener, startControlListener } from './api/api-listener.ts'
import { requireToken } from './api/authentication.ts'
import { operatorToken } from './api/operator-token.ts'
import { createWaitingRoom } from './api/waiting-room.ts'
import { makeConfiguredCertificates } from './certificates/development.ts'
import { startExpiryWatch } from './certificates/expiry-watch.ts'
import type { Renewal } from './certificates/renewal.ts'
import { keysThatNeedRestart } from './config/changed-keys.ts'
import type { Config } from './config/config.ts'
import { controlSocketOf } from './config/control-socket.ts'
import type { Dispatcher } from './delivery/dispatcher.ts'
import { createReplayRunner } from './delivery/replay-runner.ts'
import { compileNetworks } from './domain/address-rules.ts'
import { messageOf, PortariaError } from './domain/errors.ts'
import { createEventHub } from './domain/event-hub.ts'
import { logLimitOf, reserveOf } from './domain/headroom.ts'
import type { Log } from './domain/log.ts'
import { createReadiness, type Readiness } from './domain/readiness.ts'
import { compileRoutes } from './domain/routes.ts'
import type { Store } from './domain/store.ts'
import { type Access, createApi, operatorAccess } from './gateway-api.ts'
import { type GatewayCertificates, loadCertificates, loadClient } from './gateway-certificates.ts'
import { isCertificateNeeded, openClients, warnOfMissingTrust } from './gateway-clients.ts'
import { listWatched } from './gateway-expiry.ts'
import { createConfiguredSender, startForwarding, syncDestinations } from './gateway-forwarding.ts'
import { startHeadroom } from './gateway-headroom.ts'
import { createMetrics } from './gateway-metrics.ts'
import { spreadNews } from './gateway-news.ts'
import { watchSilence } from './gateway-silence.ts'
import { sparing } from './gateway-sparing.ts'
import { startCallbackListener } from './receiving/callback-listener.ts'
import { type ChargeListener, startChargeListener } from './receiving/charge-listener.ts'
import { captureCertificate, takeCertificate } from './receiving/offered-chain.ts'
import { openRefusals } from './receiving/refusals.ts'
import { freeSpaceFor } from './store/free-space.ts'
import { openStore, type StoreOptions } from './store/open-store.ts'
import { createRetentionRunner } from './store/retention-runner.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export type ListenerName = 'callbacks' | 'charges' | 'api'

/** Descriptors of sockets that listen already: each replaces host and port of its listener. */
export type PassedSockets = Readonly<Partial<Record<ListenerName, number>>>

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
const COMMAND_LOCK_WAIT_MS = 500
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
  const passed: Partial<Record<ListenerName, Address>> = {}
  const { closing, stop } = closingInReverse()
  try {
    const made = config.mode === 'development' ? (await makeConfiguredCertificates(config.callbacks)).made : []
    const certificates = loadCertificates(config, log)
    const token = operatorToken(config.api.operatorTokenFile, config.mode === 'development')
    const readiness = createReadiness()
    const metrics = createMetrics(config)
    closing.push(async () => metrics.stop())
    const { traffic } = metrics

    const whole = await openGatewayStore(config, {
      ...{ log, onLost, readiness, lockWaitMs: GATEWAY_LOCK_WAIT_MS },
      onCommit: traffic.committed,
    })
    closing.push(() => whole.close())
    const headroom = await startHeadroom({
      measure: () => freeSpaceFor(config.storage.file),
      reserve: config.storage.reserve,
      store: whole,
      onRefusing: readiness.setShort,
      log,
    })
    closing.push(() => headroom.stop())
    const store = sparing(whole, headroom.level)
    const working = await startForwarding(config, {
      ...{ store, log, client: certificates.client },
      onAttempted: traffic.attempted,
    })
    closing.push(() => working.dispatcher.stop(ATTEMPT_GRACE_MS))
    const replays = createReplayRunner({ store, wake: working.dispatcher.wake, now, log })
    closing.push(() => replays.stop())
    const { retention } = config.storage
    const pruning = createRetentionRunner({ store, retention, wake: working.dispatcher.wake, now, log })
    closing.push(() => pruning.stop())
    const news = spreadNews(working.dispatcher)
    const refusals = await openRefusals({ store, log, now, onCounted: traffic.refused })
    closing.push(() => refusals.close())
    // All listeners at once: one after the other, their graces would add up to more than a stop may take.
    const listening: (() => Promise<void>)[] = []
    closing.push(() => Promise.all(listening.map((stopListening) => stopListening())))
    const waiting = createWaitingRoom()
    closing.push(async () => waiting.close())

    const listCertificates = async () => {
      const { config, inUse } = certificates.current()
      return listWatched(config, { store, inUse, now: now() })
    }
    const clients = await openClients(config, store)
    warnOfMissingTrust(config, log)
    const api = (access: Access) => {
      const { client } = certificates
      const seen = { store, log, readiness, metrics, listCertificates, client }
      const parts = { ...working, ...clients, ...seen, hub: news.hub, waiting, runReplays: replays.start, pruning }
      return createApi(config, { ...parts, ...access })
    }
    const reload = async () => certificates.reload()
    const control = await startControlListener(api(operatorAccess(config, { reload, passed })), controlSocketOf(config))
    listening.push(() => control.stop())
    const apiListener = await startApiListener(
      api({
        authenticate: requireToken(token, clients.tokens),
        needsCertificate: isCertificateNeeded(config.api),
        about: null,
        reload: null,
      }),
      {
        ...config.api,
        socket: sockets.api,
        tls: certificates.api,
        clients: certificates.apiClients && {
          authorities: certificates.apiClients,
          isRequired: config.api.clientCertificates === 'required',
          reading: { capture: captureCertificate, take: takeCertificate },
        },
      },
    )
    listening.push(() => apiListener.stop())

    const silence = await watchSilence(config, { store, onRaised: news.onRaised, now, log })
    closing.push(() => silence.stop())
    const intake = {
      kinds: config.callbacks.kinds,
      admits: headroom.admits,
      storeCallback: readiness.watch(store.storeCallback),
      log,
      now,
      onAnswered: traffic.answered,
      onStored(...stored: Parameters<typeof news.onStored>) {
        news.onStored(...stored)
        silence.heard(stored[1])
      },
      refusals,
    }
    const callbacks = await startCallbackListener({
      ...config.callbacks,
      ...intake,
      socket: sockets.callbacks,
      own: certificates.own,
      trust: certificates.trust,
      matchRoute: compileRoutes(config.callbacks.kinds, config.callbacks.suffixes),
    })
    listening.push(() => callbacks.stop(REQUEST_GRACE_MS))
    const charges = await startCharges(config, { ...intake, socket: sockets.charges, own: certificates.charges })
    if (charges !== null) listening.push(() => charges.stop(REQUEST_GRACE_MS))
    for (const [name, listener] of Object.entries({ callbacks, charges, api: apiListener }))
      if (listener !== null && sockets[name as ListenerName] !== undefined)
        passed[name as ListenerName] = addressOf(listener)
    const expiry = startExpiryWatch({ list: listCertificates, store, onRaised: news.onRaised, now, log })
    closing.push(() => expiry.stop())
    const destinations = configuredDestinations(config, { certificates, store, dispatcher: working.dispatcher, log })
    const unwatch = await certificates.watch({
      callbacks,
      charges,
      api: apiListener,
      sender: working.sender,
      destinations,
      onRenewed: () => void expiry.check(),
    })
    closing.push(async () => unwatch())

    metrics.expose({
      ...{ store, readiness, droppedLines, log, dispatcher: working.dispatcher },
      ...{ headroom: headroom.state, certificates: expiry.latest, heard: silence.kinds },
    })
    replays.start()
    pruning.start()
    readiness.setListening(true)
    closing.push(async () => readiness.setListening(false))
    return {
      addresses: {
        callbacks: addressOf(callbacks),
        charges: charges && addressOf(charges),
        api: addressOf(apiListener),
      },
      made,
      reload: destinations.reload,
      isAlive: () => store.pulse().silentMs < SILENCE_LIMIT_MS,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** How a running gateway takes up the file's destinations: one change after the other. */
function configuredDestinations(
  started: Config,
  parts: { certificates: GatewayCertificates; store: Store; dispatcher: Dispatcher; log: Log },
) {
  const { certificates, store, dispatcher, log } = parts
  let known = started
  let latest: Promise<unknown> = Promise.resolve()

  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = latest.then(change)
    latest = changed.catch(() => undefined)
    return changed
  }

  /** Destinations first, all or none of them: where they cannot be taken up nothing is. */
  async function take(config: Config): Promise<Renewal> {
    await syncDestinations(config, store, log)
    // Each change is named once; what was changed back needs no restart.
    const changed = keysThatNeedRestart(known, config)
    const keys = keysThatNeedRestart(started, config).filter((key) => changed.includes(key))
    if (keys.length > 0) log.warn({ keys, do: 'restart the gateway' }, 'configuration.needs_restart')
    known = config
    const renewal = certificates.reload(config)
    await dispatcher.refresh()
    return renewal
  }

  async function takeAuthorities(): Promise<void> {
    await syncDestinations(certificates.current().config, store, log)
    await dispatcher.refresh()
  }

  return {
    reload: (config: Config) => inTurn(() => take(config)),
    renew() {
      inTurn(takeAuthorities).catch((error: unknown) => {
        const advice = 'send SIGHUP once the database takes changes: until then the old authorities count'
        log.error({ error: messageOf(error), do: advice }, 'destinations.not_renewed')
      })
    },
  }
}

/**
 * The store and the gateway's handlers alone, on a socket of the caller's own: for a command that changes something while no gateway runs. On
 * the shared socket another command could ask it for something just when it ends.
 * @throws PortariaError `store_locked` while another process owns the database
 */
export async function openControl(config: Config, socketPath: string, log: Log): Promise<{ stop(): Promise<void> }> {
  const readiness = createReadiness()
  readiness.setListening(true)
  const { closing, stop } = closingInReverse()
  try {
    const lockWaitMs = COMMAND_LOCK_WAIT_MS
    const store = await openGatewayStore(config, { log, onLost: () => undefined, readiness, lockWaitMs })
    closing.push(() => store.close())
    const client = loadClient(config, log)
    const sender = createConfiguredSender(config, { store, log, client: () => client })
    closing.push(() => sender.close())
    const listCertificates = () => listWatched(config, { store, inUse: null, now: Date.now() })
    const clients = await openClients(config, store)
    const waiting = createWaitingRoom()
    const { retention } = config.storage
    const pruning = createRetentionRunner({ store, retention, wake: IDLE.wake, now: Date.now, log })
    closing.push(() => pruning.stop())
    const seen = { store, log, readiness, metrics: null, listCertificates, client: () => client }
    const parts = { dispatcher: IDLE, sender, pruning, ...seen }
    // A replay that is asked for here is left to the next gateway.
    const left = { hub: createEventHub(), waiting, runReplays: () => undefined }
    const access = operatorAccess(config, { reload: null, passed: {} })
    const app = createApi(config, { ...parts, ...left, ...clients, ...access })
    const control = await startControlListener(app, socketPath)
    closing.push(() => control.stop())
    closing.push(async () => waiting.close())
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What opened in order closes in reverse. */
function closingInReverse() {
  const closing: (() => Promise<unknown>)[] = []
  async function stop(): Promise<void> {
    for (const close of closing.splice(0).reverse()) await close()
  }
  return { closing, stop }
}

/** In place of a dispatcher where nothing is sent. */
const IDLE: Pick<Dispatcher, 'refresh' | 'stats' | 'wake' | 'drop'> = {
  refresh: async () => undefined,
  stats: () => null,
  wake: () => undefined,
  drop: () => undefined,
}

async function openGatewayStore(
  config: Config,
  {
    log,
    readiness,
    ...options
  }: GatewayOptions & { readiness: Readiness } & Pick<StoreOptions, 'lockWaitMs' | 'onCommit'>,
): Promise<Store> {
  const store = await openStore({
    ...config.storage,
    ...options,
    firstWaitMs: config.forwarding.schedule[0] ?? 0,
    logBytes: logBytesFor(config.storage),
    onTrouble({ broken, message }) {
      readiness.setBroken(broken)
      if (broken) log.error({ error: message }, 'store.broken')
      else log.warn({}, 'store.recovered')
    },
  })
  readiness.setMigrated(true)
  return store
}

/** Where the reserve is small the log of changes must be small, too. */
function logBytesFor({ file, reserve }: Config['storage']): number {
  return logLimitOf(reserveOf(reserve, freeSpaceFor(file)?.totalBytes ?? Number.POSITIVE_INFINITY))
}

function startCharges(
  config: Config,
  parts: Omit<Parameters<typeof startChargeListener>[0], 'host' | 'port' | 'tokens' | 'isAddressAllowed' | 'limits'>,
): Promise<ChargeListener | null> {
  const settings = config.chargeNotifications
  if (settings === null && parts.socket !== undefined) throw new PortariaError('configuration_invalid', NO_CHARGES)
  if (settings === null) {
    if (config.callbacks.kinds.some((kind) => kind.name === 'charge'))
      parts.log.warn({ set: 'chargeNotifications' }, CHARGES_ARE_OFF)
    return Promise.resolve(null)
  }
  const isInList = compileNetworks(settings.allowedAddresses)
  return startChargeListener({
    ...settings,
    ...parts,
    isAddressAllowed: (address) => settings.allowedAddresses.length === 0 || isInList(address),
    limits: config.callbacks.limits,
  })
}

export const CHARGES_ARE_OFF =
  'kind charge is taken over mutual TLS only; the service sends charge notifications without a client certificate: set chargeNotifications to receive those'

const NO_CHARGES =
  'a socket was passed for charges, but the configuration has no chargeNotifications: write that section, or disable the socket unit'

function addressOf({ host, port }: Address): Address {
  return { host, port }
}
