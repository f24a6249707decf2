import type { Config } from '../config/config.ts'
import type { Store } from '../domain/store.ts'
import { type ClockGuard, startClockGuard } from '../jobs/clock-guard.ts'
import { type DiskGuard, NO_DISK_GUARD, startDiskGuard } from '../jobs/disk-guard.ts'
import { withLoadShedding } from '../jobs/load-shedding.ts'
import { freeSpaceFor } from '../store/free-space.ts'
import type { Closing } from './close.ts'
import { openGatewayStore, type StoreUse } from './store.ts'

export interface GuardedStore {
  /** Refuses writes that can wait while disk space is short. */
  readonly store: Store
  readonly diskGuard: DiskGuard
  readonly clock: ClockGuard
}

/** A command may have the database locked for a moment while the gateway starts. */
const GATEWAY_LOCK_WAIT_MS = 3000

/** The store of a running gateway, with the guards of its disk and its clock. `closing` gets what ends them. */
export async function openGuardedStore(
  config: Config,
  { closing, ...use }: Omit<StoreUse, 'lockWaitMs'> & { readonly closing: Closing },
): Promise<GuardedStore> {
  const { log, readiness, time } = use
  const opened = await openGatewayStore(config, { ...use, lockWaitMs: GATEWAY_LOCK_WAIT_MS })
  closing.defer(() => opened.close())
  const { database, minFreeSpace } = config.storage
  const measure = 'file' in database ? () => freeSpaceFor(database.file) : null
  const guard = { minFreeSpace, store: opened, onRefusing: readiness.setShort, log }
  // The disk of a PostgreSQL server is not this machine's.
  const diskGuard = measure === null ? NO_DISK_GUARD : await startDiskGuard({ ...guard, measure })
  closing.defer(() => diskGuard.stop())
  const store = withLoadShedding(opened, diskGuard)
  const clock = await startClockGuard({ store, now: time.now, log, onRecorded: readiness.written })
  closing.defer(() => clock.stop())
  return { store, diskGuard, clock }
}
