import { type Config, givingUpOf } from '../config/config.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { FailingChannel } from '../domain/alarms/alarm.ts'
import type { InventoryEntry } from '../domain/expiry.ts'
import type { KindActivity } from '../domain/inactivity.ts'
import type { OverviewFacts } from '../domain/overview/overview.ts'
import type { Readiness } from '../domain/readiness.ts'
import {
  type GivingUp,
  REFUSED_CALLBACK_CODES,
  REFUSED_CALLBACK_MS,
  type RefusedCallbacks,
  refusedCallbacksOf,
} from '../domain/refused-callbacks.ts'
import type { SearchIndex, SearchState } from '../domain/search/search-index.ts'
import type { ServiceStatus } from '../domain/service/service-status.ts'
import type { Store } from '../domain/store.ts'
import { type AlarmSources, exposeAlarms } from '../metrics/alarm-metrics.ts'
import { createCachedReading } from '../metrics/cached-reading.ts'
import { exposeConnections, type ListenerConnections } from '../metrics/connection-metrics.ts'
import { exposeDestinations } from '../metrics/destination-metrics.ts'
import { measureDisk } from '../metrics/disk-use.ts'
import { createExposition } from '../metrics/exposition.ts'
import { exposeNode, type NodeSources } from '../metrics/node-metrics.ts'
import { exposeProcess } from '../metrics/process-metrics.ts'
import { exposeSearch } from '../metrics/search-metrics.ts'
import { createServiceTraffic, exposeService, type ServiceTraffic } from '../metrics/service-metrics.ts'
import { exposeStore, type StoreSources } from '../metrics/store-metrics.ts'
import { createTraffic, type Traffic } from '../metrics/traffic.ts'
import { exposeWatched, type WatchSources } from '../metrics/watch-metrics.ts'
import { guarded } from '../platform/background.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import type { ConfigurationState } from '../domain/configuration-state.ts'
import type { FileProblem } from '../domain/unused-files.ts'
import type { Log } from '../platform/log.ts'
import { VERSION } from '../platform/version.ts'

/** Read for each scrape of `/metrics`. */
export interface MetricSources {
  readonly store: Pick<Store, 'takeSnapshot' | 'pulse' | 'listRefusals'>
  readonly now: () => number
  readonly dispatcher: Pick<Dispatcher, 'totals'>
  readonly readiness: Pick<Readiness, 'checks'>
  readonly clock: WatchSources['clock']
  readonly bodyBytes: StoreSources['bodyBytes']
  readonly unreadBytes: StoreSources['unreadBytes']
  readonly diskGuard: StoreSources['diskGuard']
  readonly certificates: () => readonly InventoryEntry[]
  readonly unusedFiles: () => readonly FileProblem[]
  readonly configuration: () => ConfigurationState
  readonly kindActivity: () => readonly KindActivity[]
  readonly outages: WatchSources['outages']
  readonly alarms: AlarmSources & { readonly failing: () => readonly FailingChannel[] }
  readonly connections: () => readonly ListenerConnections[]
  readonly searchIndex: Pick<SearchIndex, 'state'>
  readonly readServiceStatus: () => Promise<readonly ServiceStatus[]>
  readonly nodes: NodeSources['nodes']
  readonly unheard: NodeSources['unheard']
  readonly droppedLines: () => number
  readonly log: Log
}

export interface Metrics {
  readonly traffic: Traffic
  readonly service: ServiceTraffic
  /** Called once, when every source exists. */
  expose(sources: MetricSources): void
  /** The answer to `GET /metrics`. */
  text(): Promise<string>
  readonly contentType: string
  /** For the overview; what is read from the database is at most a few seconds old. @throws PortariaError `store_unavailable` before `expose` */
  overviewFacts(): Promise<OverviewFacts>
  stop(): void
}

/** Waiting deliveries are counted so often while no overview is read. */
const COUNT_WAITING_MS = 60_000

/** Enough for every cause; beyond it, counts are of the newest ones. */
const REFUSALS_LOOKED_AT = 1000

async function readRefused(
  store: Pick<Store, 'listRefusals'>,
  now: number,
  givingUp: GivingUp,
): Promise<RefusedCallbacks[]> {
  const filter = { codes: REFUSED_CALLBACK_CODES, refusedFrom: now - REFUSED_CALLBACK_MS, newestFirst: true }
  return refusedCallbacksOf((await store.listRefusals(filter, REFUSALS_LOOKED_AT)).refusals, givingUp)
}

const STARTING = 'the gateway is starting: ask again in a moment'

/** The metrics of one gateway. Counters of events start at 0 here. */
export function createMetrics(config: Config): Metrics {
  const exposition = createExposition()
  const givingUp = givingUpOf(config)
  const traffic = createTraffic(exposition, config.callbacks.kinds, givingUp)
  let serviceStatus: () => readonly ServiceStatus[] | null = () => null
  const service = createServiceTraffic(exposition, () => serviceStatus() ?? [])
  let refresh = async () => undefined as unknown
  let overviewFacts = (): Promise<OverviewFacts> => Promise.reject(new PortariaError('store_unavailable', STARTING))
  let stopObserving: () => void = () => undefined

  return {
    traffic,
    service,
    expose(sources) {
      const { store, now, dispatcher, readiness, log, searchIndex, readServiceStatus, ...rest } = sources
      const cached = <T>(read: () => Promise<T>, what: string) =>
        createCachedReading(read, {
          now,
          onFailed: (error) => log.warn({ what, error: messageOf(error) }, 'metrics.incomplete'),
        })
      const snapshot = cached(() => store.takeSnapshot(), 'database counts')
      const { database } = config.storage
      const disk = 'file' in database ? cached(() => measureDisk(database.file), 'disk use') : null
      const search = cached<SearchState>(searchIndex.state, 'state of the search index')
      const status = cached(readServiceStatus, 'state of the service')
      const refused = cached(() => readRefused(store, now(), givingUp), 'refused callbacks')
      serviceStatus = status.latest
      exposeDestinations(exposition, { totals: dispatcher.totals, snapshot: snapshot.latest, now })
      exposeStore(exposition, {
        ...rest,
        snapshot: snapshot.latest,
        disk: disk?.latest ?? null,
        pulse: store.pulse,
        queue: config.storage.queue,
        now,
      })
      exposeSearch(exposition, { search: search.latest })
      exposeConnections(exposition, rest.connections)
      exposeWatched(exposition, { ...rest, checks: readiness.checks, now })
      exposeService(exposition, { status: status.latest, now })
      exposeAlarms(exposition, rest.alarms)
      exposeNode(exposition, { ...rest, now, node: config.node.name, version: VERSION })
      refresh = () => Promise.all([snapshot.refresh(), disk?.refresh(), search.refresh(), status.refresh()])
      const countWaiting = async () => {
        await snapshot.refresh()
        const backlogs = snapshot.latest()?.backlogs
        if (backlogs) traffic.waiting(backlogs.reduce((sum, { waiting, blocked }) => sum + waiting + blocked, 0))
      }
      const counting = setInterval(
        guarded(log, 'counting deliveries that wait', countWaiting),
        COUNT_WAITING_MS,
      ).unref()
      const stopProcess = exposeProcess(exposition, { ...rest, version: VERSION })
      stopObserving = () => {
        clearInterval(counting)
        stopProcess()
      }
      overviewFacts = async () => {
        await Promise.all([countWaiting(), search.refresh(), status.refresh(), refused.refresh()])
        return {
          refused: refused.latest() ?? [],
          now: now(),
          traffic: traffic.recent(),
          checks: readiness.checks(),
          clock: rest.clock.state(),
          pulse: store.pulse(),
          disk: rest.diskGuard(),
          certificates: rest.certificates(),
          unusedFiles: rest.unusedFiles(),
          configuration: rest.configuration(),
          kinds: rest.kindActivity(),
          outages: rest.outages(),
          destinations: dispatcher.totals(),
          stored: snapshot.latest(),
          service: status.latest() ?? [],
          search: search.latest(),
          failingChannels: rest.alarms.failing(),
          unheard: rest.unheard(),
        }
      }
    },
    async text() {
      await refresh()
      return exposition.text()
    },
    contentType: exposition.contentType,
    overviewFacts: () => overviewFacts(),
    stop: () => stopObserving(),
  }
}
