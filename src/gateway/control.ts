import { createBoundedAnswers } from '../api/answers/bounded-answers.ts'
import type { Answer, Target } from '../api/calls.ts'
import { createLongPollRegistry } from '../api/events/long-polls.ts'
import { newRequestId } from '../api/http/request-id.ts'
import { createStreamRegistry } from '../api/streams/stream-registry.ts'
import { type Config, realmsOf } from '../config/config.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { compileAddressRules } from '../domain/address-rules.ts'
import type { Destination } from '../domain/destination.ts'
import { createEventBus } from '../domain/event-bus.ts'
import { createReadiness } from '../domain/readiness.ts'
import type { SearchIndex } from '../domain/search/search-index.ts'
import { startClockGuard } from '../jobs/clock-guard.ts'
import { createRetentionRunner } from '../jobs/retention-runner.ts'
import { createSearchIndexer, type SearchIndexer } from '../jobs/search-indexer.ts'
import type { Log } from '../platform/log.ts'
import { alarmPlanOf } from './alarms/alarm-plan.ts'
import { createApi, operatorAccess } from './api.ts'
import { loadClient } from './certificate-renewals.ts'
import { NO_CHARGES_SERVICE } from './charges-service.ts'
import { instanceName, openClients } from './clients.ts'
import { createClosing } from './close.ts'
import { closeAfterFailedStart } from './failed-start.ts'
import { createConfiguredSender, sendBlockedReason } from './forwarding.ts'
import { listInventory } from './inventory.ts'
import { createSharedTime } from './nodes/shared-time.ts'
import { reconciledKindsOf } from './reconcile/reconciled-kinds.ts'
import { openGatewayStore } from './store.ts'
import { createTrustDiff } from './trust-diff.ts'

/** A gateway that is stopping keeps the database locked for a moment. */
const COMMAND_LOCK_WAIT_MS = 500

export interface Control {
  /** As the operator: who may write the database may do everything. */
  readonly ask: (request: Target) => Promise<Answer>
  stop(): Promise<void>
}

/**
 * The store and the API's operations alone, for a command that changes something while no gateway runs.
 * @throws PortariaError `store_locked` while another process owns the database
 */
export async function openControl(config: Config, log: Log): Promise<Control> {
  const readiness = createReadiness()
  readiness.setListening(true)
  const closing = createClosing()
  const time = createSharedTime()
  const { now } = time
  try {
    const lockWaitMs = COMMAND_LOCK_WAIT_MS
    const store = await openGatewayStore(config, { log, onLost: () => undefined, readiness, time, lockWaitMs })
    closing.defer(() => store.close())
    const client = loadClient(config, log)
    const instance = await instanceName(store)
    const rules = compileAddressRules(config.forwarding.allowedNetworks)
    const sender = createConfiguredSender({ store, log, client: () => client, rules, instance, now })
    closing.defer(() => sender.close())
    const listCertificates = () => listInventory(config, { store, inUse: null, now: now() })
    const diffTrust = createTrustDiff({ config: () => config, inUse: () => [], store, now })
    const clients = await openClients(config, store, now)
    const waiting = createLongPollRegistry()
    const { retention } = config.storage
    const clock = await startClockGuard({ store, now, log })
    closing.defer(() => clock.stop())
    const clockProblem = () => clock.state().problem
    const pruning = createRetentionRunner({ store, retention, wake: IDLE.wake, now, clockProblem, log })
    closing.defer(() => pruning.stop())
    const indexer = createSearchIndexer({ store, kinds: config.callbacks.kinds, now, log })
    closing.defer(() => indexer.stop())
    const searchIndex = whenAsked(indexer)
    const observed = {
      store,
      now,
      log,
      readiness,
      clock,
      unheard: () => null,
      metrics: null,
      configuration: null,
      listCertificates,
      diffTrust,
      client: () => client,
    }
    const service = {
      chargesService: NO_CHARGES_SERVICE,
      readServiceStatus: null,
      reconcile: { realms: realmsOf(config), kinds: () => reconciledKindsOf(config), reconciler: null, takeUp: null },
    }
    const blockedReason = (destination: Destination) => sendBlockedReason(destination, observed.client(), now())
    const parts = {
      dispatcher: IDLE,
      sendBlockedReason: blockedReason,
      sender,
      rules,
      pruning,
      searchIndex,
      ...service,
      ...observed,
    }
    // A replay created here starts with the next gateway.
    const answers = createBoundedAnswers({ log, now })
    const streams = createStreamRegistry({ log, answers })
    const events = {
      bus: createEventBus(),
      waiting,
      streams,
      answers,
      alarms: { plan: () => alarmPlanOf(config.alarms), test: null, wake: () => undefined },
      overview: null,
      checks: null,
      runReplays: () => undefined,
    }
    const access = operatorAccess(config, {
      reload: null,
      trustInUse: null,
      reloadConfiguration: null,
      announceOwn: null,
      passed: {},
      descriptors: null,
    })
    const { calls } = createApi(config, { ...parts, ...events, ...clients, ...access })
    closing.defer(() => waiting.close())
    closing.defer(() => streams.close())
    const ask = (request: Target) =>
      calls.askAt({ principal: { kind: 'operator' }, requestId: newRequestId() }, request)
    return { ask, stop: closing.close }
  } catch (error) {
    await closeAfterFailedStart(closing, log)
    throw error
  }
}

/** Instead of a dispatcher: no deliveries are sent. */
const IDLE: Pick<Dispatcher, 'refresh' | 'stats' | 'nextProbeAt' | 'wake' | 'drop'> = {
  refresh: async () => undefined,
  stats: () => null,
  nextProbeAt: () => null,
  wake: () => undefined,
  drop: () => 0,
}

/** Only a command that makes the search index again waits for it: the others leave it to the gateway. */
function whenAsked(indexer: SearchIndexer): SearchIndex {
  return {
    state: indexer.state,
    async rebuild() {
      await indexer.rebuild()
      indexer.start()
    },
  }
}
