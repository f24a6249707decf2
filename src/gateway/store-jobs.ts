import type { Config } from '../config/config.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { ClockGuard } from '../jobs/clock-guard.ts'
import { createReplayRunner } from '../jobs/replay-runner.ts'
import { createRetentionRunner } from '../jobs/retention-runner.ts'
import { createSearchIndexer } from '../jobs/search-indexer.ts'
import type { Log } from '../platform/log.ts'
import type { Closing } from './close.ts'
import type { GuardedStore } from './guarded-store.ts'
import type { Nodes } from './nodes/nodes.ts'

interface StoreJobParts extends Pick<GuardedStore, 'store'>, Pick<Dispatcher, 'wake'> {
  readonly clock: Pick<ClockGuard, 'state'>
  /** null: they are this process's alone. */
  readonly nodes: Pick<Nodes, 'isMine' | 'onMine'> | null
  readonly closing: Closing
  readonly now: () => number
  readonly log: Log
}

/** Replays, retention and the search index: they change what is stored, in small steps, from `start` until `closing` ends them. */
export function createStoreJobs(config: Config, { store, wake, clock, nodes, closing, now, log }: StoreJobParts) {
  const isMine = nodes?.isMine ?? (() => true)
  const replays = createReplayRunner({ store, wake, now, isMine, log })
  closing.defer(() => replays.stop())
  const retention = createRetentionRunner({
    store,
    retention: config.storage.retention,
    wake,
    now,
    isMine,
    log,
    clockProblem: () => clock.state().problem,
  })
  closing.defer(() => retention.stop())
  const searchIndex = createSearchIndexer({
    store,
    kinds: config.callbacks.kinds,
    removingThrough: retention.splitThrough,
    now,
    isMine,
    log,
  })
  closing.defer(() => searchIndex.stop())
  return {
    replays,
    retention,
    searchIndex,
    start() {
      replays.start()
      retention.start()
      searchIndex.start()
      nodes?.onMine(replays.start)
      nodes?.onMine(retention.start)
      nodes?.onMine(searchIndex.wake)
    },
  }
}
