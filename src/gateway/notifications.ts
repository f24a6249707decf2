import type { ReceivedCallback } from '../domain/event.ts'
import type { PublishedEvent } from '../domain/event-bus.ts'
import type { StoredCallback } from '../domain/event-record.ts'
import type { KindRule } from '../domain/kinds.ts'
import type { Realm } from '../domain/realm.ts'
import type { SettledToken } from '../domain/service/notification-token.ts'
import type { Store } from '../domain/store.ts'
import { type NotificationResolver, startNotificationResolver } from '../jobs/notification-resolver.ts'
import type { ResolvingSettings } from '../jobs/resolving/query-permits.ts'
import type { TokenAnswer } from '../jobs/resolving/token-query.ts'
import type { Traffic } from '../metrics/traffic.ts'
import type { Log } from '../platform/log.ts'
import { isAboutSubject, ServiceFailure } from '../service/failure.ts'
import { getNotification } from '../service/notifications.ts'
import type { ServiceClients } from './service-clients.ts'
import type { ServiceInUse } from './service-in-use.ts'

export interface NotificationParts {
  readonly realms: readonly Realm[]
  readonly kinds: readonly KindRule[]
  readonly store: Store
  readonly clients: Pick<ServiceClients, 'of'>
  /** As GatewayCertificates.service: a reload changes it. */
  readonly service: (environment: Realm) => ServiceInUse | null
  readonly announce: (destinationIds: readonly number[], events: readonly PublishedEvent[]) => void
  readonly traffic: Pick<Traffic, 'resolved'>
  /** As in WorkerParts. */
  readonly isMine?: (() => boolean) | undefined
  readonly now: () => number
  readonly log: Log
}

export interface Notifications extends Pick<NotificationResolver, 'wake' | 'renewed' | 'stop'> {
  /** Whether new tokens of this environment wait for their entries. Tokens that wait already are asked for in any case. */
  resolvesTokens(environment: Realm): boolean
  onStored(stored: StoredCallback, callback: ReceivedCallback): void
}

/** Where the section `service` has no entry any more. */
const RESOLVE_WITHIN_MS = 6 * 3_600_000

/** Resolves the tokens of charge callbacks with the clients of the service. */
export function resolveNotifications(parts: NotificationParts): Notifications {
  const { realms, kinds, store, clients, service, announce, traffic, isMine = () => true, now, log } = parts

  function settingsOf(environment: Realm): ResolvingSettings {
    const settings = service(environment)?.settings
    const hasClient = settings !== undefined && settings.baseAddresses.charges !== null
    return {
      client: hasClient ? { dailyBudget: settings.dailyBudgets.notifications } : null,
      resolveWithinMs: settings?.resolveWithinMs ?? RESOLVE_WITHIN_MS,
    }
  }

  function onSettled(environment: Realm, settled: SettledToken, receivedAt: number): void {
    traffic.resolved(environment, settled.eventIds.length)
    announce(
      settled.destinationIds,
      settled.facts.map((fact) => ({ ...fact, environment, receivedAt })),
    )
  }

  const resolver = startNotificationResolver({
    store,
    realms,
    kinds,
    settingsOf,
    onSettled,
    isMine,
    now,
    log,
    random: Math.random,
    fetchEntries: (environment, token, signal) => fetchEntries(clients, { environment, token, signal }),
  })
  return {
    ...resolver,
    resolvesTokens(environment) {
      const settings = service(environment)?.settings
      return settings?.resolveTokens === true && settings.baseAddresses.charges !== null
    },
    onStored({ tokenId }, { environment }) {
      if (tokenId !== undefined) resolver.wake(environment)
    },
  }
}

async function fetchEntries(
  clients: NotificationParts['clients'],
  { environment, token, signal }: { environment: Realm; token: string; signal: AbortSignal },
): Promise<TokenAnswer> {
  const client = clients.of(environment)
  if (client === null) return { reason: NO_CLIENT, isAboutToken: false, retryAfterMs: null }
  try {
    const entries = await getNotification(client, token, signal)
    return { entries: entries.map(({ id, bytes }) => ({ entryId: id, bytes })) }
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error
    const { message: reason, retryAfterMs } = error
    return { reason, retryAfterMs, isAboutToken: isAboutSubject(error) }
  }
}

const NO_CLIENT = 'the section service has no entry for this environment'
