import type { ConfigWithSecrets } from '../config/config.ts'
import { routesOf } from '../config/config.ts'
import type { WantedAnswer } from '../domain/kinds.ts'
import type { Readiness } from '../domain/readiness.ts'
import { ENVIRONMENTS, type Realm, realmOf } from '../domain/realm.ts'
import type { InactivityAlarm } from '../jobs/inactivity-alarm.ts'
import type { OutageWatch } from '../jobs/outage-watch.ts'
import type { Traffic } from '../metrics/traffic.ts'
import { createBodyBudget } from '../platform/body-budget.ts'
import type { Log } from '../platform/log.ts'
import type { CallbackHandlerOptions } from '../receiving/callback-handler.ts'
import { type CallbackListener, startCallbackListener } from '../receiving/callback-listener.ts'
import type { ChargeListener } from '../receiving/charge-listener.ts'
import type { ListenerLimits } from '../receiving/listener.ts'
import type { GatewayCertificates } from './certificates.ts'
import { startCharges } from './charges.ts'
import type { connectEventBus } from './event-bus.ts'
import type { GuardedStore } from './guarded-store.ts'
import type { Notifications } from './notifications.ts'

interface ReceivingParts
  extends GuardedStore,
    Pick<CallbackHandlerOptions, 'instance' | 'refusals' | 'storedLog'>,
    Pick<GatewayCertificates, 'serverCertificate' | 'charges' | 'trust'> {
  readonly events: Pick<ReturnType<typeof connectEventBus>, 'onStored'>
  readonly notifications: Pick<Notifications, 'resolvesTokens' | 'onStored'>
  readonly inactivity: Pick<InactivityAlarm, 'received'>
  readonly outages: Pick<OutageWatch, 'answered'>
  readonly readiness: Pick<Readiness, 'written' | 'notStored'>
  readonly traffic: Pick<Traffic, 'answered'>
  readonly limits: Readonly<Record<'callbacks' | 'charges', ListenerLimits>>
  /** As in PassedSockets. */
  readonly sockets: Readonly<Partial<Record<'callbacks' | 'charges', number>>>
  /** Gets how each listener stops, also where a later one fails to start. */
  readonly stops: (() => Promise<void>)[]
  readonly log: Log
}

export interface Receiving {
  readonly callbacks: CallbackListener
  /** null: the configuration has no `chargeNotifications`. */
  readonly charges: ChargeListener | null
  /** Bytes of the bodies that are being received. */
  readonly bodyBytes: () => number
}

/** How long requests in flight may take when the gateway stops. */
const REQUEST_GRACE_MS = 4000

/** Starts the listeners for callbacks, and says what happens to a callback before and after it is stored. */
export async function startReceiving(config: ConfigWithSecrets, parts: ReceivingParts): Promise<Receiving> {
  const { store, diskGuard, clock, events, notifications, inactivity, outages, readiness, traffic, limits, sockets } =
    parts
  const bodies = createBodyBudget({
    limitBytes: config.storage.queue.bytes,
    otherBytes: () => store.pulse().waitingBytes,
  })
  const handling: Omit<CallbackHandlerOptions, 'listener' | 'bodyBytes'> = {
    bodies,
    instance: parts.instance,
    admits: diskGuard.admits,
    resolvesTokens: notifications.resolvesTokens,
    answers: answersOf(config),
    storeCallback: store.storeCallback,
    onStored(stored, callback) {
      readiness.written()
      events.onStored(stored, callback)
      notifications.onStored(stored, callback)
      inactivity.received(callback, stored)
    },
    onNotStored: readiness.notStored,
    onOutcome(outcome) {
      traffic.answered(outcome)
      outages.answered(outcome)
    },
    refusals: parts.refusals,
    storedLog: parts.storedLog,
    log: parts.log,
    now: clock.time,
  }
  const callbacks = await startCallbackListener({
    ...config.callbacks,
    ...handling,
    limits: limits.callbacks,
    socket: sockets.callbacks,
    serverCertificate: parts.serverCertificate,
    trust: parts.trust,
    matchRoute: routesOf(config),
  })
  parts.stops.push(() => callbacks.stop(REQUEST_GRACE_MS))
  const charges = await startCharges(config, {
    ...handling,
    limits: limits.charges,
    socket: sockets.charges,
    serverCertificate: parts.charges,
  })
  if (charges !== null) parts.stops.push(() => charges.stop(REQUEST_GRACE_MS))
  return { callbacks, charges, bodyBytes: bodies.bytes }
}

function answersOf({ institutions }: ConfigWithSecrets): ReadonlyMap<Realm, WantedAnswer> {
  return new Map(
    institutions.flatMap(({ name, answer }) =>
      ENVIRONMENTS.map((environment) => [realmOf(name, environment), answer] as const),
    ),
  )
}
