import type { X509Certificate } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { Api } from '../api/app.ts'
import { startControlListener } from '../api/listening/listener.ts'
import { renewIssued, renewList, renewPair } from '../certificates/authority/renewing.ts'
import type { ConfigWithSecrets } from '../config/config.ts'
import { controlSocketOf } from '../config/control-socket.ts'
import { startAuthorityRunner } from '../jobs/authority-runner.ts'
import { startExpiryAlarm } from '../jobs/expiry-alarm.ts'
import { PortariaError, systemWords } from '../platform/errors.ts'
import { makeFolder } from '../platform/folder.ts'
import { captureCertificate, takeCertificate } from '../tls/peer-certificate.ts'
import { type Address, type AnyListener, addressOf, type PassedSockets } from './addresses.ts'
import type { ApiAccess } from './api.ts'
import type { Opened, OpeningOptions } from './opening.ts'
import type { Receiving } from './receiving.ts'
import type { Services } from './services.ts'

export interface ListeningOptions extends Pick<OpeningOptions, 'log' | 'now' | 'closing'> {
  /** As in `GatewayOptions`. */
  readonly sockets: PassedSockets
  readonly reloadConfiguration: ApiAccess['reloadConfiguration']
  readonly droppedLines: () => number
}

/** What the earlier stages have made. */
interface Built {
  readonly opened: Opened
  readonly services: Services
}

/** Third stage: begins to accept connections. @throws PortariaError for every port that cannot be used */
export async function startListening(config: ConfigWithSecrets, built: Built, options: ListeningOptions) {
  const { opened, services } = built
  const { metrics, certificates } = opened
  const { log, sockets } = options
  const passed: Partial<Record<AnyListener, Address>> = {}
  const api = await startApis(config, built, { ...options, passed })
  const { callbacks, charges, bodyBytes } = await opened.parts.receiving.startReceiving(config, {
    ...opened,
    ...services,
    traffic: metrics.traffic,
    log,
    sockets,
    serverCertificate: certificates.serverCertificate,
    trust: certificates.trust,
    charges: certificates.charges,
  })
  const listeners = { callbacks, charges, api }
  for (const [name, listener] of Object.entries(listeners))
    if (listener !== null && sockets[name as AnyListener] !== undefined)
      passed[name as AnyListener] = addressOf(listener)
  const { reload, reloadTrust, expiring } = await watchCertificates(config, built, { ...options, listeners })
  exposeMetrics(built, { ...options, listeners, expiring, bodyBytes })
  return {
    addresses: { callbacks: addressOf(callbacks), charges: charges && addressOf(charges), api: addressOf(api) },
    reload,
    reloadTrust,
  }
}

/** The control socket and the API listener. */
async function startApis(
  config: ConfigWithSecrets,
  { opened, services }: Built,
  options: ListeningOptions & { readonly passed: Partial<Record<AnyListener, Address>> },
) {
  const { store, certificates, limits, token, plan, parts } = opened
  const { stops, refusals, clients, instance, service } = services
  const { log, now, sockets, reloadConfiguration, passed } = options
  const api = (access: ApiAccess): Api =>
    parts.api.createApi(config, {
      ...opened,
      ...services.forwarding,
      ...clients,
      ...service,
      ...services.answering,
      now,
      log,
      client: certificates.client,
      configuration: opened.configuration.state,
      rules: services.rules,
      bus: services.events.bus,
      alarms: services.alarms,
      overview: services.overview,
      checks: services.checks,
      reconcile: services.reconcile,
      unheard: services.unheard,
      runReplays: services.jobs.replays.start,
      pruning: services.jobs.retention,
      searchIndex: services.jobs.searchIndex,
      ...access,
    })
  const access = parts.api.operatorAccess(config, {
    reload: async () => certificates.reload(),
    trustInUse() {
      const { used, problems } = certificates.chains()
      return { used: used.map(({ chain, named, environment, pem }) => ({ chain, named, environment, pem })), problems }
    },
    reloadConfiguration,
    announceOwn: refusals.own.announce,
    passed,
    descriptors: plan,
  })
  // With SQLite it exists: the database is in it.
  makeNodeFolder(config)
  /** Set by the first command that asks this gateway. */
  let forCommands: Api | null = null
  const answerCommand: RequestListener = function answerCommand(request, response) {
    forCommands ??= api(access)
    forCommands.serve(request, response)
  }
  const control = await startControlListener(answerCommand, controlSocketOf(config))
  stops.push(() => control.stop())
  const listener = await parts.apiListener.startApi(config, {
    api,
    clients,
    certificates,
    operatorToken: token,
    instance,
    now,
    log,
    limits: limits.api,
    socket: sockets.api,
    reading: { capture: captureCertificate, take: rememberVerified(service.addApp) },
    onRefused: refusals.on('api'),
    isOwn: refusals.own.expects,
    store,
    onSessionsEnded: services.onSessionsEnded,
  })
  stops.push(() => listener.stop())
  return listener
}

function makeNodeFolder({ node, storage }: ConfigWithSecrets): void {
  if ('file' in storage.database) return
  try {
    makeFolder(node.folder, 0o700)
  } catch (error) {
    const words = `the folder ${node.folder} for the control socket cannot be created: ${systemWords(error)}; correct node.folder`
    throw new PortariaError('listen_failed', words, { cause: error })
  }
}

interface Listeners extends Pick<Receiving, 'callbacks' | 'charges'> {
  readonly api: Awaited<ReturnType<typeof startApis>>
}

/** Takes up renewed certificates, and warns of those that expire. */
async function watchCertificates(
  config: ConfigWithSecrets,
  { opened, services }: Built,
  { log, now, closing, listeners }: ListeningOptions & { readonly listeners: Listeners },
) {
  const { certificates, store, clock, parts } = opened
  const { service, events, forwarding, rules, notifications, alarms } = services
  const expiry = startExpiryAlarm({
    list: service.listCertificates,
    store,
    onRaised: events.onRaised,
    now,
    log,
    isClockPlausible: () => clock.state().isPlausible,
  })
  closing.defer(() => expiry.stop())
  const destinations = parts.destinations.configuredDestinations(config, {
    ...forwarding,
    certificates,
    configuration: opened.configuration,
    service: service.serviceClients,
    rules,
    alarms,
    store,
    log,
  })
  const unwatch = await certificates.watch({
    ...listeners,
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
        service.serviceClients.renew(environment)
        notifications.renewed(environment)
      },
    },
    onRenewed: () => void expiry.check(),
  })
  closing.defer(() => unwatch())
  const isClient = (id: string) => services.clients.clients.find(id) !== undefined
  const renewals = startAuthorityRunner({
    tasks: () => tasksOfAuthority(certificates.current().config, now, isClient),
    isClockPlausible: () => clock.state().isPlausible,
    log,
  })
  closing.defer(() => renewals.stop())
  clock.onTrusted(() => void renewals.run())
  return { reload: destinations.reload, reloadTrust: destinations.reloadTrust, expiring: expiry.latest }
}

/** What the private authority of the configuration renews: its list, the certificate that it issued to the gateway, and those of others. */
function tasksOfAuthority(
  { certificates, forwarding }: ConfigWithSecrets,
  now: () => number,
  isClient: (id: string) => boolean,
) {
  const folder = certificates.authority
  if (folder === null) return []
  const files = forwarding.clientCertificate
  return [
    () => renewList(folder, new Date(now())),
    async () => (files === null ? null : renewPair(folder, files, new Date(now()))),
    () => renewIssued(folder, new Date(now()), isClient),
  ]
}

function exposeMetrics(
  { opened, services }: Built,
  {
    log,
    now,
    droppedLines,
    listeners,
    expiring,
    bodyBytes,
  }: Pick<ListeningOptions, 'log' | 'now' | 'droppedLines'> & {
    readonly listeners: Listeners
    readonly expiring: ReturnType<typeof startExpiryAlarm>['latest']
    readonly bodyBytes: Receiving['bodyBytes']
  },
): void {
  const { store, readiness, clock, diskGuard, limits, metrics, nodes } = opened
  metrics.expose({
    nodes: nodes?.state,
    unheard: services.unheard,
    store,
    now,
    readiness,
    clock,
    droppedLines,
    log,
    dispatcher: services.forwarding.dispatcher,
    readServiceStatus: services.service.readServiceStatus,
    searchIndex: services.jobs.searchIndex,
    bodyBytes,
    unreadBytes: services.answering.answers.bytes,
    diskGuard: diskGuard.state,
    certificates: expiring,
    unusedFiles: opened.certificates.problems,
    configuration: opened.configuration.state,
    kindActivity: services.inactivity.kinds,
    outages: services.outages.open,
    alarms: services.alarms,
    connections: () =>
      (['callbacks', 'charges', 'api'] as const).flatMap((name) => {
        const open = listeners[name]?.connections()
        return open === undefined ? [] : [{ listener: name, open, limit: limits[name].maxConnections }]
      }),
  })
}

/** Remembers the client certificates of apps for the certificate inventory, if TLS verified them. */
function rememberVerified(add: (certificate: X509Certificate) => void): typeof takeCertificate {
  return function takeAndRemember(socket) {
    const certificate = takeCertificate(socket)
    if (certificate !== undefined && socket.authorized) add(certificate)
    return certificate
  }
}
