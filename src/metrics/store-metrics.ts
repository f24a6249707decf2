import { DISK_LEVELS, type DiskLevel } from '../domain/disk-pressure.ts'
import type { WriterPulse } from '../domain/store.ts'
import type { StoreSnapshot } from '../domain/store-snapshot.ts'
import { secondsSince } from './destination-metrics.ts'
import type { DiskUse } from './disk-use.ts'
import type { Exposition } from './exposition.ts'

export interface StoreSources {
  /** null: unknown. */
  readonly snapshot: () => StoreSnapshot | null
  /** null: of the disk of a PostgreSQL server nothing is known. */
  readonly disk: (() => DiskUse | null) | null
  readonly pulse: () => WriterPulse
  /** Bytes of request bodies that are being received. */
  readonly bodyBytes: () => number
  /** Bytes of answers of the API and the pages that wait for their readers. */
  readonly unreadBytes: () => number
  readonly queue: { readonly events: number; readonly bytes: number }
  readonly diskGuard: () => { readonly level: DiskLevel; readonly freeBytes: number; readonly minFreeBytes: number }
  readonly now: () => number
}

/** The store: its writer, its disk, quarantine and consumers. */
export function exposeStore(exposition: Exposition, sources: StoreSources): void {
  const { snapshot, disk, pulse, bodyBytes, unreadBytes, queue, diskGuard, now } = sources
  const gauge = (name: string, help: string, read: () => number) =>
    exposition.gauge({ name: `portaria_${name}`, help }, [], (emit) => emit({}, read()))

  gauge(
    'writer_waiting_events',
    'Callbacks that wait for the writer or are being written.',
    () => pulse().waitingEvents,
  )
  gauge('writer_waiting_bytes', 'Bytes of callbacks that wait for the writer.', () => pulse().waitingBytes)
  gauge(
    'request_body_bytes',
    'Bytes of callbacks that are being received. They count against the limit together with the waiting ones.',
    bodyBytes,
  )
  gauge(
    'unread_answer_bytes',
    'Bytes of answers of the API and the pages that wait for their readers; at most 16 MiB.',
    unreadBytes,
  )
  gauge(
    'writer_limit_events',
    'Limit of waiting callbacks: beyond it callbacks get 503 (storage.queue.events).',
    () => queue.events,
  )
  gauge(
    'writer_limit_bytes',
    'Limit of waiting and received bytes: beyond it callbacks get 503 (storage.queue.bytes).',
    () => queue.bytes,
  )
  gauge(
    'writer_silent_seconds',
    'Time since the last answer of the writer while something waits for it; 0: it is idle.',
    () => pulse().silentMs / 1000,
  )
  gauge(
    'store_readable',
    '0: the database could not be read for this scrape, and the metrics from it are missing.',
    () => Number(snapshot() !== null),
  )
  if (disk !== null) exposeDisk(exposition, disk, diskGuard)
  gauge(
    'quarantined_facts',
    'Facts in quarantine that wait for a decision.',
    () => snapshot()?.quarantined ?? Number.NaN,
  )
  exposition.gauge(
    {
      name: 'portaria_consumer_lag_events',
      help: "Events after a consumer's position. owner: the client's id; empty: the operator.",
    },
    ['owner', 'consumer'],
    (emit) => {
      for (const { owner, name, events } of snapshot()?.lags ?? []) emit({ owner: owner ?? '', consumer: name }, events)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_consumer_lag_seconds',
      help: "Age of the first event after a consumer's position; 0: there is none.",
    },
    ['owner', 'consumer'],
    (emit) => {
      for (const { owner, name, oldestAt } of snapshot()?.lags ?? [])
        emit({ owner: owner ?? '', consumer: name }, secondsSince(oldestAt, now()))
    },
  )
}

/** The disk of an SQLite database. */
function exposeDisk(
  exposition: Exposition,
  disk: NonNullable<StoreSources['disk']>,
  diskGuard: StoreSources['diskGuard'],
): void {
  exposition.gauge(
    {
      name: 'portaria_storage_bytes',
      help: 'Size of the database file and of its write-ahead log (wal); not of PostgreSQL.',
    },
    ['file'],
    (emit) => {
      const use = disk()
      if (use === null) return
      emit({ file: 'database' }, use.databaseBytes)
      emit({ file: 'wal' }, use.walBytes)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_storage_min_free_bytes',
      help: 'The disk guard acts below this much free space (storage.minFreeSpace).',
    },
    [],
    (emit) => emit({}, diskGuard().minFreeBytes),
  )
  exposition.gauge(
    { name: 'portaria_storage_free_bytes', help: "Free space on the database's file system; not of PostgreSQL." },
    [],
    (emit) => emit({}, disk()?.freeBytes ?? Number.NaN),
  )
  exposition.gauge(
    {
      name: 'portaria_disk_level',
      help: '1 for the current level of the disk guard: ok, no_refusals, no_answers, no_callbacks (callbacks get 503).',
    },
    ['level'],
    (emit) => {
      for (const level of DISK_LEVELS) emit({ level }, Number(level === diskGuard().level))
    },
  )
}
