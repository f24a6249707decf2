import { dirname, join } from 'node:path'
import { createApiApp } from './api/api-app.ts'
import { startApiListener, startControlListener } from './api/api-listener.ts'
import { type Authentication, requireOperatorToken, trustEveryone } from './api/authentication.ts'
import { operatorToken } from './api/operator-token.ts'
import { makeDevelopmentCertificates } from './certificates/development.ts'
import { type ClientCertificate, loadClientCertificate } from './certificates/client-certificate.ts'
import { loadServerCertificate } from './certificates/server-certificate.ts'
import { loadTrust } from './certificates/trust.ts'
import type { Config, TlsFiles } from './config/config.ts'
import { createDispatcher, type Dispatcher } from './delivery/dispatcher.ts'
import { checkReachableAddress } from './delivery/guarded-connect.ts'
import { createSender, type Sender } from './delivery/send.ts'
import { sendTestEvent } from './delivery/test-event.ts'
import { compileAddressRules, compileNetworks } from './domain/address-rules.ts'
import type { DestinationSettings } from './domain/destination.ts'
import type { Log } from './domain/log.ts'
import { compileRoutes } from './domain/routes.ts'
import type { Store } from './domain/store.ts'
import { VERSION } from './domain/version.ts'
import { newSecret } from './domain/webhook-secret.ts'
import { startCallbackListener } from './receiving/callback-listener.ts'
import { startChargeListener } from './receiving/charge-listener.ts'
import type { RunningListener } from './receiving/listener.ts'
import { openStore } from './store/open-store.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Gateway {
  readonly addresses: { readonly callbacks: Address; readonly charges: Address | null; readonly api: Address }
  /** Files that were made because they were missing; only in development. */
  readonly made: readonly string[]
  /** Stops accepting, finishes requests, commits, closes; within 10 s. */
  stop(): Promise<void>
}

export interface GatewayOptions {
  readonly log: Log
  /** The store is lost: the process must end, for its supervisor to restart it. */
  readonly onLost: (error: Error) => void
}

/** How long requests and attempts in flight may take to end when the gateway stops. */
const REQUEST_GRACE_MS = 4000
const ATTEMPT_GRACE_MS = 2500
const CHECK_TIMEOUT_MS = 5000
/** A command may hold the database for a moment while the gateway starts. */
const GATEWAY_LOCK_WAIT_MS = 3000
const COMMAND_LOCK_WAIT_MS = 500

/** The control socket stands beside the database. */
export function controlSocketOf(config: Config): string {
  return join(dirname(config.storage.file), 'control.sock')
}

/**
 * The one place where rooms meet. What opens in order closes in reverse.
 * @throws PortariaError for every certificate, chain, database, port or destination that cannot be used, before anything is accepted
 */
export async function startGateway(config: Config, { log, onLost }: GatewayOptions): Promise<Gateway> {
  const now = Date.now
  const closing: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }
  try {
    const made =
      config.mode === 'development'
        ? (await makeDevelopmentCertificates(dirname(config.callbacks.certificate))).made
        : []
    const own = loadOwn(config.callbacks, 'callbacks', log)
    const trust = loadInstalledTrust(config, log)
    const token = operatorToken(config.api.operatorTokenFile, config.mode === 'development')
    const state: State = { isOpen: false, isDiskBroken: false }

    const store = await openGatewayStore(config, { log, onLost, state, lockWaitMs: GATEWAY_LOCK_WAIT_MS })
    closing.push(() => store.close())
    const working = await startForwarding(config, store, log)
    closing.push(() => working.dispatcher.stop(ATTEMPT_GRACE_MS))
    // All listeners at once: one after the other, their graces would add up to more than a stop may take.
    const listening: (() => Promise<void>)[] = []
    closing.push(() => Promise.all(listening.map((stopListening) => stopListening())))

    const api = (authenticate: Authentication) => createApi(config, { ...working, store, log, state, authenticate })
    const control = await startControlListener(api(trustEveryone), controlSocketOf(config))
    listening.push(() => control.stop())
    const apiListener = await startApiListener(api(requireOperatorToken(token)), {
      ...config.api,
      tls: config.api.tls === null ? null : loadOwn(config.api.tls, 'api', log),
    })
    listening.push(() => apiListener.stop())

    const intake = {
      kinds: config.callbacks.kinds,
      storeCallback: store.storeCallback,
      log,
      now,
      onStored: working.onStored,
    }
    const callbacks = await startCallbackListener({
      ...config.callbacks,
      ...intake,
      own,
      trust,
      matchRoute: compileRoutes(config.callbacks.kinds, config.callbacks.suffixes),
    })
    listening.push(() => callbacks.stop(REQUEST_GRACE_MS))
    const charges = await startCharges(config, intake, log)
    if (charges !== null) listening.push(() => charges.stop(REQUEST_GRACE_MS))

    state.isOpen = true
    closing.push(async () => {
      state.isOpen = false
    })
    return {
      addresses: {
        callbacks: addressOf(callbacks),
        charges: charges && addressOf(charges),
        api: addressOf(apiListener),
      },
      made,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * The store and the gateway's handlers alone, on a socket of the caller's own: for a command that changes something while no gateway runs. On
 * the shared socket another command could ask it for something just when it ends.
 * @throws PortariaError `store_locked` while another process owns the database
 */
export async function openControl(config: Config, socketPath: string, log: Log): Promise<{ stop(): Promise<void> }> {
  const state: State = { isOpen: true, isDiskBroken: false }
  const store = await openGatewayStore(config, {
    log,
    onLost: () => undefined,
    state,
    lockWaitMs: COMMAND_LOCK_WAIT_MS,
  })
  const sender = createConfiguredSender(config, loadClient(config, log))
  const idle: Pick<Dispatcher, 'refresh' | 'stats' | 'wake'> = {
    refresh: async () => undefined,
    stats: () => null,
    wake: () => undefined,
  }
  try {
    const control = await startControlListener(
      createApi(config, { dispatcher: idle, sender, store, log, state, authenticate: trustEveryone }),
      socketPath,
    )
    return {
      async stop() {
        await control.stop()
        await sender.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

interface State {
  isOpen: boolean
  isDiskBroken: boolean
}

function openGatewayStore(
  config: Config,
  { log, onLost, state, lockWaitMs }: GatewayOptions & { state: State; lockWaitMs: number },
): Promise<Store> {
  return openStore({
    ...config.storage,
    firstWaitMs: config.forwarding.schedule[0] ?? 0,
    lockWaitMs,
    onTrouble({ broken, message }) {
      state.isDiskBroken = broken
      if (broken) log.error({ error: message }, 'store.broken')
      else log.warn({}, 'store.recovered')
    },
    onLost,
  })
}

async function startForwarding(config: Config, store: Store, log: Log) {
  const { retired } = await store.syncDestinations(await withSecrets(config.destinations, store), Date.now())
  if (retired.length > 0) log.warn({ destinations: retired }, 'destinations.retired')
  const client = loadClient(config, log)
  const sender = createConfiguredSender(config, client)
  const dispatcher = createDispatcher({
    store,
    sender,
    policy: config.forwarding,
    circuit: config.forwarding.circuit,
    backlogRate: config.forwarding.backlogRate,
    // Plain http has no handshake in which it could be shown.
    whyNotSend: ({ url }) => (url.startsWith('https:') ? (client?.problem(new Date()) ?? null) : null),
    now: Date.now,
    random: Math.random,
    log,
  })
  await dispatcher.refresh()
  return {
    sender,
    dispatcher,
    onStored: (stored: { destinationIds: readonly number[] }) => dispatcher.wake(stored.destinationIds),
  }
}

function loadClient(config: Config, log: Log): ClientCertificate | null {
  const files = config.forwarding.clientCertificate
  if (files === null) return null
  const client = loadClientCertificate(files, new Date())
  const problem = client.problem(new Date())
  if (problem !== null) log.error({ problem }, 'certificate.trouble')
  return client
}

function createConfiguredSender(config: Config, client: ClientCertificate | null): Sender {
  return createSender({
    tlsFor: ({ authorities }) => ({ ...(authorities !== null && { ca: authorities }), ...client?.tls }),
    rules: compileAddressRules(config.forwarding.allowedNetworks),
    version: VERSION,
    now: Date.now,
  })
}

/** A destination without a secret keeps the one that was made for it when it was first seen. */
async function withSecrets(configured: readonly DestinationSettings[], store: Store): Promise<DestinationSettings[]> {
  const known = await store.listDestinations({ removed: true })
  return configured.map((settings) => {
    if (settings.secrets.length > 0) return settings
    const kept = known.findLast((d) => d.name === settings.name && d.origin === 'configuration')?.secrets
    return { ...settings, secrets: kept ?? [newSecret()] }
  })
}

function createApi(
  config: Config,
  parts: {
    dispatcher: Pick<Dispatcher, 'refresh' | 'stats' | 'wake'>
    sender: Sender
    store: Store
    log: Log
    state: State
    authenticate: Authentication
  },
) {
  const rules = compileAddressRules(config.forwarding.allowedNetworks)
  return createApiApp({
    store: parts.store,
    kinds: config.callbacks.kinds.map((kind) => kind.name),
    defaults: config.forwarding,
    newSecret,
    checkUrl: (url) => checkReachableAddress(url, { rules, timeoutMs: CHECK_TIMEOUT_MS }),
    testDestination: (destination) => sendTestEvent(parts.sender, destination, Date.now()),
    onChanged: () => parts.dispatcher.refresh(),
    statsOf: (destinationId) => parts.dispatcher.stats(destinationId),
    wake: (destinationIds) => parts.dispatcher.wake(destinationIds),
    now: Date.now,
    authenticate: parts.authenticate,
    whyNotReady: () => [
      ...(parts.state.isOpen ? [] : ['the listeners are not open']),
      ...(parts.state.isDiskBroken ? ['the disk fails'] : []),
    ],
    version: VERSION,
    log: parts.log,
  })
}

function startCharges(
  config: Config,
  intake: Omit<
    Parameters<typeof startChargeListener>[0],
    'host' | 'port' | 'own' | 'tokens' | 'isAddressAllowed' | 'limits'
  >,
  log: Log,
): Promise<RunningListener | null> {
  const settings = config.chargeNotifications
  if (settings === null) {
    if (config.callbacks.kinds.some((kind) => kind.name === 'charge'))
      log.warn({ set: 'chargeNotifications' }, CHARGES_ARE_OFF)
    return Promise.resolve(null)
  }
  const isInList = compileNetworks(settings.allowedAddresses)
  return startChargeListener({
    ...settings,
    ...intake,
    own: settings.tls === null ? null : loadOwn(settings.tls, 'chargeNotifications', log),
    isAddressAllowed: (address) => settings.allowedAddresses.length === 0 || isInList(address),
    limits: config.callbacks.limits,
  })
}

export const CHARGES_ARE_OFF =
  'kind charge is taken over mutual TLS only; the service sends charge notifications without a client certificate: set chargeNotifications to receive those'

function loadInstalledTrust(config: Config, log: Log) {
  const { trust, warnings } = loadTrust(config.callbacks.trust, new Date())
  for (const warning of warnings) log.error({ warning }, 'certificate.trouble')
  return trust
}

function loadOwn(files: TlsFiles, section: string, log: Log): { cert: string; key: string } {
  const { cert, key, warnings } = loadServerCertificate(files, new Date(), section)
  for (const warning of warnings) log.error({ warning }, 'certificate.trouble')
  return { cert, key }
}

function addressOf({ host, port }: Address): Address {
  return { host, port }
}
