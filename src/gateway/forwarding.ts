import type { ClientCertificate } from '../certificates/live/client-certificate.ts'
import type { ConfigWithSecrets } from '../config/config.ts'
import { withConnectionBudget } from '../delivery/connection-budget.ts'
import { createDestinationCertificates } from '../delivery/destination-certificates.ts'
import { createDispatcher } from '../delivery/dispatcher.ts'
import { createSender, type Sender } from '../delivery/send.ts'
import type { AddressRules } from '../domain/address-rules.ts'
import type { Destination, DestinationSettings } from '../domain/destination.ts'
import { newSecret } from '../domain/secrets/webhook-secret.ts'
import type { Store } from '../domain/store.ts'
import type { ClockGuard } from '../jobs/clock-guard.ts'
import type { Log } from '../platform/log.ts'
import { VERSION } from '../platform/version.ts'
import type { Nodes } from './nodes/nodes.ts'

/** Writes the destinations of the configuration file to the database; those that left the file are retired. */
export async function syncDestinations(
  config: ConfigWithSecrets,
  store: Store,
  log: Log,
  isStarting = false,
): Promise<void> {
  const configured = await withSecrets(config.destinations, store)
  const { retired } = await store.syncDestinations(configured, Date.now(), isStarting)
  if (retired.length > 0) log.warn({ destinations: retired }, 'destinations.retired')
}

interface Forwarding {
  readonly store: Store
  readonly log: Log
  readonly client: () => ClientCertificate | null
  readonly rules: AddressRules
  /** As in SenderOptions. */
  readonly instance: string
  readonly now: () => number
}

/** Nothing is sent before the first `dispatcher.refresh()`: the caller must be able to stop the dispatcher first. */
export async function openForwarding(
  config: ConfigWithSecrets,
  parts: Omit<Forwarding, 'now'> & {
    readonly clock: Pick<ClockGuard, 'state' | 'time'>
    /** Most connections to all destinations together. */
    readonly connections: number
    /** null: this process sends to every destination. */
    readonly nodes: Pick<Nodes, 'holds' | 'mayBegin' | 'signOn' | 'follow'> | null
    readonly onAttempted: (durationMs: number) => void
  },
) {
  const { store, log, client, clock, connections, nodes, onAttempted } = parts
  await syncDestinations(config, store, log, true)
  // The retries of an attempt are counted from its end, so attempts have the time that deliveries have.
  const now = clock.time
  const sender = withConnectionBudget(createConfiguredSender({ ...parts, now }), { connections, now })
  const blockedReason = (destination: Destination) => sendBlockedReason(destination, client(), now())
  const dispatcher = createDispatcher({
    store,
    sender,
    policy: config.forwarding,
    isClockPlausible: () => clock.state().isPlausible,
    circuit: config.forwarding.circuit,
    catchUpRate: config.forwarding.catchUpRate,
    sendBlockedReason: blockedReason,
    ...(nodes !== null && { holds: nodes.holds, mayBegin: nodes.mayBegin }),
    now,
    random: Math.random,
    onAttempted,
    log,
  })
  nodes?.follow(dispatcher)
  /** A new destination needs its lease first. */
  async function refresh(): Promise<void> {
    // A failure is repeated by both.
    await nodes?.signOn().catch(() => undefined)
    await dispatcher.refresh()
  }
  return { sender, dispatcher: { ...dispatcher, refresh }, sendBlockedReason: blockedReason }
}

/** Why the client certificate keeps deliveries from being sent; null for plain http, which shows none. */
export function sendBlockedReason(
  { url }: Pick<Destination, 'url'>,
  client: ClientCertificate | null,
  now: number,
): string | null {
  return url.startsWith('https:') ? (client?.problem(new Date(now)) ?? null) : null
}

export function createConfiguredSender({ store, log, client, rules, instance, now }: Forwarding): Sender {
  return createSender({
    tlsFor: ({ authorities }) => ({ ...(authorities !== null && { ca: authorities }), ...client()?.tls }),
    onCertificate: createDestinationCertificates({ store, now, log }),
    rules,
    version: VERSION,
    instance,
    now,
  })
}

/** A destination without a configured secret keeps the secret that it got when it first appeared. */
async function withSecrets(configured: readonly DestinationSettings[], store: Store): Promise<DestinationSettings[]> {
  const known = await store.listDestinations({ removed: true })
  return configured.map((settings) => {
    if (settings.secrets.length > 0) return settings
    const kept = known.findLast((d) => d.name === settings.name && d.origin === 'configuration')?.secrets
    return { ...settings, secrets: kept ?? [newSecret()] }
  })
}
