import type { KindRule } from '../domain/kinds.ts'
import type { Realm } from '../domain/realm.ts'
import type { SettledToken } from '../domain/service/notification-token.ts'
import { createEntryReader } from '../domain/service/token-entry.ts'
import type { Log } from '../platform/log.ts'
import { startEnvironmentWorker, type WorkerParts } from './resolving/environment-worker.ts'
import type { ResolvingSettings } from './resolving/query-permits.ts'
import { createResolvingLog } from './resolving/resolving-log.ts'

export interface NotificationResolverOptions
  extends Pick<WorkerParts, 'store' | 'fetchEntries' | 'isMine' | 'now' | 'random'> {
  readonly realms: readonly Realm[]
  readonly kinds: readonly KindRule[]
  /** Read again for every decision, so that a reload takes effect at once. */
  readonly settingsOf: (environment: Realm) => ResolvingSettings
  /** New events are committed, at that time. */
  readonly onSettled: (environment: Realm, settled: SettledToken, at: number) => void
  readonly log: Log
}

/**
 * Asks the service for the entries of charge tokens, and stores each new one as an event. All state is in the store: a restart continues. A token
 * that is not resolved in time becomes an event itself, whether or not the service can be asked.
 */
export interface NotificationResolver {
  /** A token of this environment waits; left out: of any. */
  wake(environment?: Realm): void
  /** Settings of this environment, or its client of the service, have changed: a hold after failures ends. */
  renewed(environment: Realm): void
  /** Aborts queries under way; their jobs wait for the next start. */
  stop(): Promise<void>
}

export function startNotificationResolver(options: NotificationResolverOptions): NotificationResolver {
  const { realms, store, fetchEntries, isMine = () => true, now, random, kinds, settingsOf, onSettled, log } = options
  const parts = {
    store,
    fetchEntries,
    isMine,
    now,
    random,
    readEntry: createEntryReader(kinds),
    log: createResolvingLog(log, now),
  }
  const workers = new Map(
    realms.map((environment) => [
      environment,
      startEnvironmentWorker(environment, {
        ...parts,
        settings: () => settingsOf(environment),
        onSettled: (settled, at) => onSettled(environment, settled, at),
      }),
    ]),
  )
  return {
    wake(environment) {
      if (environment !== undefined) workers.get(environment)?.wake()
      else for (const worker of workers.values()) worker.wake()
    },
    renewed: (environment) => workers.get(environment)?.renewed(),
    async stop() {
      await Promise.all([...workers.values()].map((worker) => worker.stop()))
    },
  }
}
