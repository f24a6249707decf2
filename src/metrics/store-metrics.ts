import { DISK_LEVELS, type DiskLevel } from '../domain/disk-pressure.ts'
import type { WriterPulse } from '../domain/store.ts'
import type { StoreSnapshot } from '../domain/store-snapshot.ts'
import { secondsSince } from './destination-metrics.ts'
import type { DiskUse } from './disk-use.ts'
import type { Exposition } from './exposition.ts'

export interface StoreSources {
  /** null: it is not known. */
  readonly stock: () => StoreSnapshot | null
  readonly disk: () => DiskUse | null
  readonly pulse: () => WriterPulse
  /** Of request bodies that are being read. */
  readonly bodyBytes: () => number
  readonly queue: { readonly events: number; readonly bytes: number }
  readonly diskGuard: () => { readonly level: DiskLevel; readonly minFreeBytes: number }
  readonly now: () => number
}

/** How the store is doing, and what waits in it for a person or a reader. */
export function exposeStore(exposition: Exposition, sources: StoreSources): void {
  const { stock, disk, pulse, bodyBytes, queue, diskGuard, now } = sources
  const gauge = (name: string, help: string, read: () => number) =>
    exposition.gauge({ name: `portaria_${name}`, help }, [], (tell) => tell({}, read()))

  gauge('writer_waiting_events', 'Events that wait for the writer, or are being written.', () => pulse().waitingEvents)
  gauge('writer_waiting_bytes', 'Bytes of notifications that wait for the writer.', () => pulse().waitingBytes)
  gauge(
    'request_body_bytes',
    'Bytes of notifications that are being received, and count with those that wait.',
    bodyBytes,
  )
  gauge(
    'writer_limit_events',
    'Beyond so many waiting events notifications get 503 (storage.queue.events).',
    () => queue.events,
  )
  gauge(
    'writer_limit_bytes',
    'Beyond so many bytes that wait or are being received notifications get 503 (storage.queue.bytes).',
    () => queue.bytes,
  )
  gauge(
    'writer_silent_seconds',
    'For how long the writer has given no sign of life although something waits for it.',
    () => pulse().silentMs / 1000,
  )
  gauge('store_readable', '0: the database could not be read for this answer; what is counted in it is left out.', () =>
    Number(stock() !== null),
  )
  exposition.gauge(
    { name: 'portaria_storage_bytes', help: 'Size of the database file, and of its log of changes (wal).' },
    ['file'],
    (tell) => {
      const use = disk()
      if (use === null) return
      tell({ file: 'database' }, use.databaseBytes)
      tell({ file: 'wal' }, use.walBytes)
    },
  )
  gauge(
    'storage_min_free_bytes',
    'Below so much free space the disk guard begins (storage.minFreeSpace).',
    () => diskGuard().minFreeBytes,
  )
  gauge('storage_free_bytes', "Free space on the database's file system.", () => disk()?.freeBytes ?? Number.NaN)
  exposition.gauge(
    {
      name: 'portaria_disk_level',
      help: '1 at the level that counts now, as space gets short: ok, no_refusals, no_answers, no_callbacks (notifications get 503).',
    },
    ['level'],
    (tell) => {
      for (const level of DISK_LEVELS) tell({ level }, Number(level === diskGuard().level))
    },
  )
  gauge(
    'quarantined_facts',
    'Facts that are held back until somebody decides.',
    () => stock()?.quarantined ?? Number.NaN,
  )
  exposition.gauge(
    {
      name: 'portaria_consumer_lag_events',
      help: "Events behind a consumer's position. owner: its client; empty: the operator's.",
    },
    ['owner', 'consumer'],
    (tell) => {
      for (const { owner, name, events } of stock()?.lags ?? []) tell({ owner: owner ?? '', consumer: name }, events)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_consumer_lag_seconds',
      help: 'For how long the first event behind its position has been there; 0: there is none.',
    },
    ['owner', 'consumer'],
    (tell) => {
      for (const { owner, name, oldestAt } of stock()?.lags ?? [])
        tell({ owner: owner ?? '', consumer: name }, secondsSince(oldestAt, now()))
    },
  )
}
