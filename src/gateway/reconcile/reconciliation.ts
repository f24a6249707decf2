import type { Config } from '../../config/config.ts'
import { realmsOf } from '../../config/config.ts'
import type { OwnEvent } from '../../domain/event.ts'
import type { PublishedEvent } from '../../domain/event-bus.ts'
import type { RaisedWarning } from '../../domain/event-record.ts'
import type { Realm } from '../../domain/realm.ts'
import { createEntryReader } from '../../domain/service/token-entry.ts'
import type { Store } from '../../domain/store.ts'
import { type ReconcilerOptions, type RunningReconciler, startReconciler } from '../../jobs/reconcile/reconciler.ts'
import type { Log } from '../../platform/log.ts'
import type { ServiceClients } from '../service-clients.ts'
import type { ServiceInUse } from '../service-in-use.ts'
import { createServiceQuestions } from './service-questions.ts'

export interface ReconciliationParts extends Pick<ReconcilerOptions, 'outages' | 'isMine'> {
  readonly store: Store
  readonly clients: Pick<ServiceClients, 'of'>
  /** As GatewayCertificates.service: a reload changes it. */
  readonly service: (environment: Realm) => ServiceInUse | null
  readonly announce: (destinationIds: readonly number[], events: readonly PublishedEvent[]) => void
  readonly onRaised: (event: OwnEvent, raised: RaisedWarning) => void
  readonly now: () => number
  readonly log: Log
}

/** Asks the service for what was missed, with the clients of the service. */
export function startReconciliation(config: Config, parts: ReconciliationParts): RunningReconciler {
  const { service, clients, announce, ...rest } = parts
  return startReconciler({
    ...rest,
    realms: realmsOf(config),
    questions: createServiceQuestions(clients, config.api.servicePathSegment),
    readEntry: createEntryReader(config.callbacks.kinds),
    settingsOf(environment) {
      const settings = service(environment)?.settings
      return settings === undefined ? null : { ...settings.reconcile, budgets: settings.dailyBudgets }
    },
    onStored: (environment, settled, receivedAt) =>
      announce(
        settled.destinationIds,
        settled.facts.map((fact) => ({ ...fact, environment, receivedAt })),
      ),
  })
}
