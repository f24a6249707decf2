import type { FreeSpace } from '../domain/disk-pressure.ts'
import { type DiskLevel, isWalPinned, minFreeBytesOf, nextLevel, roomIn, walLimitOf } from '../domain/disk-pressure.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import type { MinFreeSpace } from '../platform/units.ts'
import { createSpaceReclaimer } from './load-shedding.ts'

/** Watches the free space of the database's file system, and decides what is not written while space is short. */
export interface DiskGuard {
  /** Whether a callback with this many bytes may be stored now. Counts the refused ones. */
  admits(bytes: number): boolean
  level(): DiskLevel
  /** The write-ahead log cannot be moved into the database and would fill the disk, so nothing that can wait may be written. */
  isWalPinned(): boolean
  state(): DiskGuardState
  stop(): Promise<void>
}

export interface DiskGuardState {
  readonly level: DiskLevel
  readonly freeBytes: number
  readonly minFreeBytes: number
  /** Callbacks that were answered 503 for lack of space since the gateway started. */
  readonly refused: number
}

export interface DiskGuardOptions {
  /** null: unknown now. */
  readonly measure: () => FreeSpace | null
  readonly minFreeSpace: MinFreeSpace
  readonly store: Pick<Store, 'pulse' | 'reusableBytes' | 'dropRefusals' | 'clearResponseBodies' | 'checkpointWal'>
  /** Called with the reason when callbacks are refused from now on; with null when they are accepted again. */
  readonly onRefusing: (why: string | null) => void
  readonly log: Log
  /** How often the space is measured; default a second. */
  readonly intervalMs?: number
}

const INTERVAL_MS = 1000
/** Between two measurements at most this fraction of `minFreeSpace` is accepted; more triggers a measurement. */
const MEASUREMENTS_IN_MIN_FREE = 16
/** About what a callback needs beside its body, for rows and indexes. */
const ROWS_BYTES = 2048
/** To the write-ahead log first, then to the database. */
const TIMES_WRITTEN = 2

const CONSEQUENCES: Readonly<Record<DiskLevel, string>> = {
  ok: 'everything is recorded and accepted again',
  no_refusals: 'refusals are no longer recorded, old ones are removed',
  no_answers: 'answers of destinations are no longer recorded either, old ones are removed',
  no_callbacks: 'new callbacks are answered 503; what is stored is delivered',
}

const ADVICE =
  'free some space, or move the database (storage.url) to a larger disk; on a small one set storage.minFreeSpace to a size that leaves room'

const WAL_ADVICE =
  'end the process that reads the database for so long: a backup, an export, or an sqlite3 (fuser on the database file shows it); then deliveries continue'

/** For a database on another machine, whose disk cannot be measured. */
export const NO_DISK_GUARD: DiskGuard = {
  admits: () => true,
  level: () => 'ok',
  isWalPinned: () => false,
  state: () => ({ level: 'ok', freeBytes: Number.POSITIVE_INFINITY, minFreeBytes: 0, refused: 0 }),
  stop: async () => undefined,
}

/** In effect when it returns. */
export async function startDiskGuard(options: DiskGuardOptions): Promise<DiskGuard> {
  const { measure, minFreeSpace, store, log } = options
  /** `goTo` alone changes it, after a measurement. */
  let level: DiskLevel = 'ok'
  /** As `measureNow` found it last. */
  let space = { freeBytes: Number.POSITIVE_INFINITY, minFreeBytes: 0 }
  /** As `readReusable` found it last. */
  let reusableBytes = 0
  /** Since the last measurement: `admits` adds, `measureNow` begins again. */
  let acceptedBytes = 0
  /** `admits` counts. */
  let refused = 0
  /** Whether the last `measureNow` worked. */
  let isMeasured = true
  /** During `readReusable`. */
  let isReading = false
  /** As `measureNow` found it last. */
  let walBacklogBytes = 0
  /** `setPinned` alone changes it. */
  let isPinned = false
  const reclaimer = createSpaceReclaimer({ store, level: () => level, isWalPinned: isWalPinnedNow, log })

  function measureNow(): void {
    acceptedBytes = 0
    const measured = measure()
    if (measured === null) {
      // The last measurement stays in effect.
      if (isMeasured) log.warn({}, 'disk.not_measured')
      isMeasured = false
      return
    }
    isMeasured = true
    space = { freeBytes: measured.freeBytes, minFreeBytes: minFreeBytesOf(minFreeSpace, measured.totalBytes) }
    walBacklogBytes = Math.max(0, measured.walBytes - walLimitOf(space.minFreeBytes))
    const now = { freeBytes: space.freeBytes, reusableBytes, pendingBytes: pendingBytes() }
    goTo(nextLevel(level, roomIn(now), space.minFreeBytes))
    setPinned(isWalPinned(now, walBacklogBytes, space.minFreeBytes))
  }

  /** Accepted and not written yet, and kept in the write-ahead log by a long read. */
  function pendingBytes(): number {
    const { waitingEvents, waitingBytes } = store.pulse()
    return TIMES_WRITTEN * (waitingBytes + waitingEvents * ROWS_BYTES) + walBacklogBytes
  }

  function setPinned(next: boolean): void {
    if (next && !isPinned) log.error({ ...space, walBacklogBytes, hint: WAL_ADVICE }, 'disk.wal_pinned')
    isPinned = next
  }

  /** Measures again while space is short, because a second is too long then. */
  function isWalPinnedNow(): boolean {
    if (level !== 'ok') measureNow()
    return isPinned
  }

  /** A commit would move the log, but while callbacks are refused there may be no commit. */
  async function checkpointWal(): Promise<void> {
    // Fails during a read or while the disk fails; the next measurement tries again.
    if (level !== 'ok' && walBacklogBytes > 0) await store.checkpointWal?.().catch(() => false)
  }

  function goTo(next: DiskLevel): void {
    if (next === level) return
    const from = level
    level = next
    const fields = { from, to: level, ...space, reusableBytes, refused, meaning: CONSEQUENCES[level] }
    if (level === 'ok') log.info(fields, 'disk.changed')
    else log[level === 'no_callbacks' ? 'error' : 'warn']({ ...fields, hint: ADVICE }, 'disk.changed')
    if (level === 'no_callbacks') options.onRefusing(whyRefused())
    else if (from === 'no_callbacks') options.onRefusing(null)
  }

  function whyRefused(): string {
    const { freeBytes, minFreeBytes } = space
    const kept =
      walBacklogBytes > walLimitOf(minFreeBytes) ? `, ${mib(walBacklogBytes)} needed to move the write-ahead log` : ''
    return `the disk is nearly full: ${mib(freeBytes)} free${kept}, storage.minFreeSpace is ${mib(minFreeBytes)}`
  }

  /** The reader may be busy for long. Until it answers, the last number is good enough. */
  async function readReusable(): Promise<void> {
    isReading = true
    try {
      await checkpointWal()
      reusableBytes = (await store.reusableBytes?.().catch(() => reusableBytes)) ?? 0
    } finally {
      isReading = false
    }
  }

  const watch = guarded(log, 'watching free space', async () => {
    measureNow()
    reclaimer.start()
    if (!isReading) await readReusable()
  })

  await readReusable()
  watch()
  const timer = setInterval(watch, options.intervalMs ?? INTERVAL_MS).unref()
  return {
    admits(bytes) {
      acceptedBytes += bytes + ROWS_BYTES
      if (acceptedBytes > space.minFreeBytes / MEASUREMENTS_IN_MIN_FREE) measureNow()
      if (level === 'no_callbacks') refused++
      return level !== 'no_callbacks'
    },
    level: () => level,
    isWalPinned: isWalPinnedNow,
    state: () => ({ level, ...space, refused }),
    async stop() {
      clearInterval(timer)
      await reclaimer.stop()
    },
  }
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}
