import type { Config } from '../config/config.ts'
import { minFreeBytesOf, walLimitOf } from '../domain/disk-pressure.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../platform/log.ts'
import { freeSpaceFor } from '../store/free-space.ts'
import { openStore, type StoreOptions } from '../store/open-store.ts'

export type StoreUse = Pick<StoreOptions, 'lockWaitMs' | 'onCommit' | 'onLost'> & {
  readonly log: Log
  readonly readiness: Readiness
}

export async function openGatewayStore(config: Config, { log, readiness, ...options }: StoreUse): Promise<Store> {
  const store = await openStore({
    ...config.storage,
    kinds: config.callbacks.kinds,
    ...options,
    firstWaitMs: config.forwarding.schedule[0] ?? 0,
    walBytes: walBytesFor(config.storage),
    onLosing: () => readiness.setBroken(true),
    onReaderLost: (error) => log.error({ error: error.message, hint: 'restart the gateway' }, 'store.reader_lost'),
    onTrouble({ broken, message }) {
      readiness.setBroken(broken)
      if (broken) log.error({ error: message }, 'store.broken')
      else log.warn({}, 'store.recovered')
    },
  })
  readiness.setMigrated(true)
  return store
}

/** A small `minFreeSpace` needs a small write-ahead log, too. */
function walBytesFor({ file, minFreeSpace }: Config['storage']): number {
  return walLimitOf(minFreeBytesOf(minFreeSpace, freeSpaceFor(file)?.totalBytes ?? Number.POSITIVE_INFINITY))
}
