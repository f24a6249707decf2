import { createBoundedAnswers } from '../api/answers/bounded-answers.ts'
import { createCheckRuns, type RunCheck } from '../api/check/check-runs.ts'
import { createLongPollRegistry } from '../api/events/long-polls.ts'
import { createStreamRegistry } from '../api/streams/stream-registry.ts'
import { rememberAppCertificates } from '../certificates/live/certificate-inventory.ts'
import { rememberServiceServers } from '../certificates/live/service-servers.ts'
import { type ConfigWithSecrets, givingUpOf, realmsOf } from '../config/config.ts'
import { createReplaceableRules, type ReplaceableAddressRules } from '../domain/address-rules.ts'
import { createRefusedCallbackAlarm } from '../jobs/refused-callback-alarm.ts'
import { messageOf } from '../platform/errors.ts'
import { openRefusals } from '../receiving/refusals.ts'
import { closeTogether } from './close.ts'
import { connectEventBus } from './event-bus.ts'
import { watchInactivity } from './inactivity.ts'
import { listInventory } from './inventory.ts'
import { hearOtherNodes } from './nodes/other-nodes.ts'
import type { Opened, OpeningOptions } from './opening.ts'
import { createOverview, sumUpHours } from './overview.ts'
import { watchOutages } from './reconcile/outages.ts'
import { reconciledKindsOf } from './reconcile/reconciled-kinds.ts'
import { createServiceStatus } from './service-status.ts'
import { createStoreJobs } from './store-jobs.ts'
import { createTrustDiff } from './trust-diff.ts'

/** How long attempts in flight may take when the gateway stops. */
const ATTEMPT_GRACE_MS = 2500

export interface ServiceOptions extends Omit<OpeningOptions, 'onLost'> {
  /** As in `GatewayOptions`. */
  readonly runCheck: RunCheck | null
}

/** What works on the store, and answers callers, before anybody can connect. */
export type Services = Awaited<ReturnType<typeof buildServices>>

/** Second stage. @throws PortariaError for destinations that cannot be used */
export async function buildServices(config: ConfigWithSecrets, opened: Opened, options: ServiceOptions) {
  const { log, now, closing, runCheck } = options
  const { store, clock, metrics, nodes, certificates } = opened
  const { openClients, warnOfMissingTrust, instanceName } = opened.parts.clients
  const instance = await instanceName(store)
  const rules = createReplaceableRules(config.forwarding.allowedNetworks)
  const forwarding = await startForwarding(config, opened, { ...options, instance, rules })
  const jobs = createStoreJobs(config, { store, wake: forwarding.dispatcher.wake, clock, nodes, closing, now, log })
  const alarms = opened.parts.alarms.createAlarms(config, { ...opened, now, closing, log })
  const hearers = { onEvents: jobs.searchIndex.wake, onOwnEvent: alarms.note }
  const events = connectEventBus(forwarding.dispatcher, hearers, log)
  const onRaised = events.onRaised
  const onRecorded = createRefusedCallbackAlarm({ store, onRaised, givingUp: givingUpOf(config), log })
  const refusals = await openRefusals({ store, log, now, onCounted: metrics.traffic.refused, onRecorded })
  closing.defer(() => refusals.close())
  // At the same time: one after the other, their grace periods would exceed the time for a stop.
  const stops: (() => Promise<void>)[] = []
  closing.defer(() => closeTogether(stops))
  const answering = createAnswering(opened, options)
  const clients = await openClients(config, store, now)
  warnOfMissingTrust(config, log)
  const service = openService(config, opened, { ...options, rules })
  const { dispatcher } = forwarding
  const hourSums = sumUpHours({ store, traffic: metrics.traffic, dispatcher, closing, now, log })
  const isMine = nodes?.isMine
  const inactivity = await watchInactivity(config, { store, onRaised: events.onRaised, isMine, now, log })
  nodes?.onMine(() => void inactivity.check())
  closing.defer(() => inactivity.stop())
  const outages = await watchOutages(config, { ...opened, onRaised: events.onRaised, closing, log })
  const notifications = opened.parts.notifications.resolveNotifications({
    // Tokens of an institution that is not configured any more become events, too.
    realms: [
      ...new Set([...realmsOf(config), ...(await store.countWaitingTokens()).map(({ environment }) => environment)]),
    ],
    kinds: config.callbacks.kinds,
    store,
    clients: service.serviceClients,
    service: certificates.service,
    announce: events.announce,
    traffic: metrics.traffic,
    isMine,
    now: clock.time,
    log,
  })
  nodes?.onMine(() => notifications.wake())
  closing.defer(() => notifications.stop())
  const reconciliation = opened.parts.reconciliation.startReconciliation(config, {
    store,
    clients: service.serviceClients,
    service: certificates.service,
    outages,
    announce: events.announce,
    onRaised: events.onRaised,
    isMine,
    now: clock.time,
    log,
  })
  nodes?.onMine(reconciliation.wake)
  outages.onFound(reconciliation.wake)
  closing.defer(() => reconciliation.stop())
  /** The pages are made later. */
  let onSessionsEnded: (() => unknown) | undefined
  const unheard = hearOtherNodes({
    store,
    bus: events.bus,
    inactivity,
    dispatcher: forwarding.dispatcher,
    waiting: answering.waiting,
    clients: clients.clients,
    takeUp: {
      replays: jobs.replays.start,
      tokens: () => notifications.wake(),
      sessions: () => onSessionsEnded?.(),
      // A failed one is repeated.
      leases: () => nodes?.signOn().catch(() => undefined),
    },
    closing,
    now,
    log,
  })
  return {
    instance,
    rules,
    forwarding,
    jobs,
    events,
    refusals,
    stops,
    clients,
    service,
    inactivity,
    outages,
    reconcile: {
      realms: realmsOf(config),
      kinds: () => reconciledKindsOf(certificates.current().config),
      reconciler: reconciliation,
      takeUp: reconciliation.takeUp,
    },
    notifications,
    unheard,
    alarms,
    answering,
    onSessionsEnded(refresh: () => unknown) {
      onSessionsEnded = refresh
    },
    overview: createOverview(metrics, opened.configuration.state, hourSums, now),
    checks: runCheck && createCheckRuns(runCheck, now),
  }
}

/** Deliveries are sent from here on. */
async function startForwarding(
  config: ConfigWithSecrets,
  { store, clock, certificates, plan, metrics, nodes, parts }: Opened,
  { log, closing, sumUpWith, instance, rules }: ServiceOptions & { instance: string; rules: ReplaceableAddressRules },
) {
  const forwarding = await parts.forwarding.openForwarding(config, {
    store,
    log,
    clock,
    client: certificates.client,
    rules,
    instance,
    connections: plan.allowed.destinations,
    nodes,
    onAttempted: metrics.traffic.attempted,
  })
  const { dispatcher } = forwarding
  sumUpWith(dispatcher.logSums)
  closing.defer(() => dispatcher.stop(ATTEMPT_GRACE_MS))
  await dispatcher.refresh()
  // Deliveries that a clock in the future had postponed are due now.
  clock.onTrusted(() => {
    const wakeAll = async () => dispatcher.wake((await store.listDestinations()).map(({ id }) => id))
    wakeAll().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'deliveries.not_woken'))
  })
  return forwarding
}

/** What bounds the answers of the API together: long polls, streams, and bytes that wait to be read. */
function createAnswering({ limits }: Opened, { log, now, closing }: ServiceOptions) {
  const answers = createBoundedAnswers({ log, now })
  const waiting = createLongPollRegistry()
  closing.defer(() => waiting.close())
  // A quarter: the other connections stay free for requests.
  const streams = createStreamRegistry({
    log,
    answers,
    places: Math.min(500, Math.ceil(limits.api.maxConnections / 4)),
    placesOfAddress: Math.max(1, Math.floor(limits.api.connectionsPerAddress / 2)),
  })
  closing.defer(() => streams.close())
  return { answers, waiting, streams }
}

/** The clients of the service, and what is known of every certificate. */
function openService(
  config: ConfigWithSecrets,
  { store, certificates, metrics, parts }: Opened,
  { log, now, closing, rules }: ServiceOptions & { rules: ReplaceableAddressRules },
) {
  const { tokens = [], pathTokens = [] } = config.chargeNotifications ?? {}
  const apps = rememberAppCertificates(now)
  const servers = rememberServiceServers(now)
  const serviceClients = parts.service.createServiceClients({
    realms: realmsOf(config),
    service: certificates.service,
    servicePathSegment: config.api.servicePathSegment,
    rules,
    log,
    onRequest: metrics.service.requested,
    onTokenFetched: metrics.service.tokenFetched,
    otherSecrets: [...tokens, ...pathTokens].map(({ token }) => token),
    onCertificate: servers.add,
  })
  closing.defer(() => serviceClients.close())
  return {
    serviceClients,
    /** Remembers a certificate that an app has shown. */
    addApp: apps.add,
    chargesService: parts.charges.createChargesService({
      chargeNotifications: config.chargeNotifications,
      publicUrl: () => certificates.current().config.chargeNotifications?.publicUrl ?? null,
      settingsOf: (environment) => certificates.service(environment)?.settings ?? null,
      clientOf: serviceClients.of,
    }),
    readServiceStatus: createServiceStatus({
      realms: realmsOf(config),
      service: certificates.service,
      clients: serviceClients,
      store,
      now,
    }),
    async listCertificates() {
      const { config, inUse } = certificates.current()
      const met = [...apps.watched(now()), ...servers.watched(now())]
      return listInventory(config, { store, inUse, met, now: now() })
    },
    diffTrust: createTrustDiff({
      config: () => certificates.current().config,
      inUse: () => certificates.chains().used,
      store,
      now,
    }),
  }
}
