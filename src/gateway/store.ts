import type { Config } from '../config/config.ts'
import { minFreeBytesOf, walLimitOf } from '../domain/disk-pressure.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../platform/log.ts'
import type { MinFreeSpace } from '../platform/units.ts'
import { freeSpaceFor } from '../store/free-space.ts'
import { openPostgres, openStore, type StoreOptions } from '../store/open-store.ts'
import type { SharedTime } from './nodes/shared-time.ts'

export type StoreUse = Pick<StoreOptions, 'lockWaitMs' | 'onCommit' | 'onLost'> & {
  readonly log: Log
  readonly readiness: Readiness
  /** Follows the clock of a database that several nodes use. */
  readonly time: SharedTime
}

export async function openGatewayStore(config: Config, { log, readiness, time, ...options }: StoreUse): Promise<Store> {
  const { database, minFreeSpace } = config.storage
  const common = {
    ...config.storage,
    kinds: config.callbacks.kinds,
    ...options,
    firstWaitMs: config.forwarding.schedule[0] ?? 0,
    onLosing: () => readiness.setBroken(DISK_FAILS),
    onReaderLost: (error: Error) =>
      log.error({ error: error.message, hint: 'restart the gateway' }, 'store.reader_lost'),
    onTrouble({ broken, message }: { broken: boolean; message: string }) {
      readiness.setBroken(broken ? ('file' in database ? DISK_FAILS : message) : null)
      if (broken) log.error({ error: message }, 'store.broken')
      else log.warn({}, 'store.recovered')
    },
  } satisfies Omit<StoreOptions, 'file'>
  const store =
    'file' in database
      ? await openStore({ ...common, file: database.file, walBytes: walBytesFor(database.file, minFreeSpace) })
      : await openPostgres({
          ...common,
          ...database,
          time,
          node: config.node.name,
          isProduction: config.mode === 'production',
          onUnsafe: (settings) => log.warn({ settings }, 'store.unsafe'),
        })
  readiness.setMigrated(true)
  return store
}

const DISK_FAILS = 'the disk fails'

/** A small `minFreeSpace` needs a small write-ahead log, too. */
function walBytesFor(file: string, minFreeSpace: MinFreeSpace): number {
  return walLimitOf(minFreeBytesOf(minFreeSpace, freeSpaceFor(file)?.totalBytes ?? Number.POSITIVE_INFINITY))
}
