import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { KindRule } from '../domain/kinds.ts'
import { kindKey } from '../domain/realm.ts'
import type { SearchIndex } from '../domain/search/search-index.ts'
import type { SearchSettings, SearchTask } from '../domain/search/search-work.ts'
import type { Store } from '../domain/store.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

export interface SearchIndexerOptions {
  readonly store: Pick<
    Store,
    'readSearchSettings' | 'configureSearch' | 'rebuildSearch' | 'readSearchState' | 'workOnSearch' | 'pulse'
  >
  readonly kinds: readonly Pick<KindRule, 'institution' | 'name' | 'search'>[]
  /** Retention is emptying the runs up to this position, so they are not merged; 0: none. */
  readonly removingThrough?: () => number
  readonly now: () => number
  /** False: another process fills the index; default true. */
  readonly isMine?: () => boolean
  readonly log: Log
  readonly pace?: IndexerPace
}

/** How the indexer leaves the machine to others. */
export interface IndexerPace {
  /** A clock in ms that is never set. */
  readonly elapsed: () => number
  /** Ends early at the signal, and never fails. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>
}

const REAL_PACE: IndexerPace = {
  elapsed: () => performance.now(),
  rest: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

/** Fills the search index behind the writer. */
export interface SearchIndexer extends SearchIndex {
  /** Takes up the settings of the kinds, and continues where the last process stopped. */
  start(): void
  /** New events are in the database. */
  wake(): void
  /** After the step under way. */
  stop(): Promise<void>
}

/** Events of one step: some 200 ms of the reader thread, in slices, and some ms of the writer. */
const BATCH = 1024
/** Events that come within this time are indexed together. */
const GATHER_MS = 250
/** Looks for events that no wake announced, and tries again after an error. */
const LOOK_EVERY_MS = 10_000
/** The share of a core while callbacks wait for the disk, and while they arrive without waiting. */
const WAITING_SHARE = 0.04
const ARRIVING_SHARE = 0.2
/**
 * A rest looks this often whether callbacks still come, and goes by the smallest share of so many looks. Behind a step that a busy host made slow, it
 * would last many seconds otherwise.
 */
const LOOK_AGAIN_MS = 250
const LOOKS = 4
/** So many events at once are a line of the log. */
const MANY = 10_000

/** How much of a core the indexer takes, by the callbacks that wait or come. */
function createSharing(store: Pick<Store, 'pulse'>, pace: IndexerPace, stopping: AbortSignal) {
  /** Events have come since `shareNow` was last asked, or since `arrived`. */
  let isArriving = false

  function shareNow(): number {
    const isComing = isArriving
    isArriving = false
    if (store.pulse().waitingEvents > 0) return WAITING_SHARE
    return isComing ? ARRIVING_SHARE : 1
  }

  return {
    arrived(some: boolean): void {
      isArriving = some
    },
    /** Leaves the rest of the time to others, while callbacks come. */
    async leaveTime(busyMs: number): Promise<void> {
      const shares: number[] = []
      for (let leftMs = busyMs; !stopping.aborted; ) {
        shares.push(shareNow())
        const restPerMs = 1 / Math.min(...shares.slice(-LOOKS)) - 1
        const restMs = Math.min(leftMs * restPerMs, LOOK_AGAIN_MS)
        if (restMs > 0) await pace.rest(restMs, stopping)
        if (restMs < LOOK_AGAIN_MS) return
        leftMs -= restMs / restPerMs
      }
    },
  }
}

export function createSearchIndexer(options: SearchIndexerOptions): SearchIndexer {
  const { store, kinds, removingThrough = () => 0, now, isMine = () => true, log, pace = REAL_PACE } = options
  const stopping = new AbortController()
  const sharing = createSharing(store, pace, stopping.signal)
  /** True for ever once `configure` has worked. */
  let isConfigured = false
  /** Why nothing can be added: `tryWork` sets it after each try; null: nothing is in the way. */
  let problem: string | null = null
  /** Events have come since the index was last read on: `wake` sets it, `step` ends it. */
  let isWoken = true
  /** Ends the wait of `untilWoken`, which sets it. */
  let rouse: () => void = () => undefined
  /** From `start` on. */
  let running: Promise<void> | null = null

  /** Returns how many events it read, or null if nothing is to be done. */
  async function step(task: SearchTask): Promise<number | null> {
    const startedAt = pace.elapsed()
    // Only here: another task does not look for new events.
    if (task === 'index') {
      isWoken = false
      sharing.arrived(false)
    }
    const events = await store.workOnSearch(task, { limit: BATCH, after: removingThrough() })
    if (events !== null) await sharing.leaveTime(pace.elapsed() - startedAt)
    return events
  }

  /** Until nothing is left to do. Searches need new events first, and few runs. */
  async function work(): Promise<void> {
    const startedAt = pace.elapsed()
    let [indexed, rebuilt] = [0, 0]
    for (let isDone = false; !isDone && !stopping.signal.aborted && isMine(); ) {
      const added = await step('index')
      const merged = await step('merge')
      const renewed = added === null && merged === null ? await step('rebuild') : null
      indexed += added ?? 0
      rebuilt += renewed ?? 0
      isDone = added === null && merged === null && renewed === null
    }
    const durationMs = Math.round(pace.elapsed() - startedAt)
    if (indexed >= MANY) log.info({ events: indexed, durationMs }, 'search.indexed')
    if (rebuilt > 0 && !stopping.signal.aborted) log.info({ events: rebuilt, durationMs }, 'search.rebuilt')
  }

  /** Writes only where something has changed: most starts find the index as they left it. */
  async function configure(): Promise<void> {
    if (isConfigured) return
    const settings = searchSettingsOf(kinds)
    const isChanged = !isDeepStrictEqual(settings, await store.readSearchSettings())
    if (isChanged && (await store.configureSearch(settings))) log.info({}, 'search.settings_changed')
    isConfigured = true
  }

  async function tryWork(): Promise<void> {
    try {
      await configure()
      await work()
      if (problem !== null) log.info({}, 'search.resumed')
      problem = null
    } catch (error) {
      if (problem === null && !stopping.signal.aborted) log.warn({ error: messageOf(error) }, 'search.delayed')
      problem = messageOf(error)
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (isMine()) await tryWork()
      else isWoken = false
      await untilWoken()
    }
  }

  async function untilWoken(): Promise<void> {
    const waiting = new AbortController()
    rouse = () => waiting.abort()
    if (!isWoken || problem !== null) await pace.rest(LOOK_EVERY_MS, AbortSignal.any([stopping.signal, waiting.signal]))
    if (isWoken) await pace.rest(GATHER_MS, stopping.signal)
  }

  function wake(): void {
    sharing.arrived(true)
    if (isWoken) return
    isWoken = true
    if (problem === null) rouse()
  }

  return {
    wake,
    start() {
      running ??= run()
    },
    state: async () => ({ ...(await store.readSearchState(now())), problem }),
    async rebuild() {
      await store.rebuildSearch()
      wake()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Kinds that are indexed as a whole are left out. */
export function searchSettingsOf(kinds: SearchIndexerOptions['kinds']): SearchSettings {
  return Object.fromEntries(
    kinds.flatMap(({ institution, name, search }) =>
      search?.exclude.length === 0 ? [] : [[kindKey(institution, name), search]],
    ),
  )
}
