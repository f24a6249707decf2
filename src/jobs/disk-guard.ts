import type { FreeSpace } from '../domain/disk-pressure.ts'
import { type DiskLevel, isWalPinned, minFreeBytesOf, nextLevel, roomIn, walLimitOf } from '../domain/disk-pressure.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import type { MinFreeSpace } from '../platform/units.ts'
import { createSpaceReclaimer } from './load-shedding.ts'

/** Watches the free space of the database's file system, and decides what is left undone for want of it. */
export interface DiskGuard {
  /** Whether a callback of so many bytes may be stored now; one that may not is counted. */
  admits(bytes: number): boolean
  level(): DiskLevel
  /** Nothing that can wait may be written just now: the log cannot be moved into the database, and would fill the disk. */
  isWalPinned(): boolean
  state(): DiskGuardState
  stop(): Promise<void>
}

export interface DiskGuardState {
  readonly level: DiskLevel
  readonly freeBytes: number
  readonly minFreeBytes: number
  /** Callbacks that were answered 503 for want of space, since the gateway started. */
  readonly refused: number
}

export interface DiskGuardOptions {
  /** null: nobody knows now. */
  readonly measure: () => FreeSpace | null
  readonly minFreeSpace: MinFreeSpace
  readonly store: Pick<Store, 'pulse' | 'reusableBytes' | 'dropRefusals' | 'clearResponseBodies' | 'checkpointWal'>
  /** From now on callbacks are refused, and why; null: they are taken again. */
  readonly onRefusing: (why: string | null) => void
  readonly log: Log
  /** How often it looks; default a second. */
  readonly intervalMs?: number
}

const LOOK_MS = 1000
/** Callbacks that come faster are not waited for: at most this part of the reserve is accepted between two looks. */
const LOOKS_IN_RESERVE = 16
/** What a callback needs beside its body, about: its rows, and the indexes that lead to them. */
const ROWS_BYTES = 2048
/** First to the log, then from there to the database. */
const TIMES_WRITTEN = 2

const CONSEQUENCES: Readonly<Record<DiskLevel, string>> = {
  ok: 'everything is recorded and accepted again',
  no_refusals: 'refusals are no longer recorded, old ones are removed',
  no_answers: 'nor are the answers of destinations recorded, old ones are removed',
  no_callbacks: 'new callbacks are answered 503; what is stored is delivered',
}

const ADVICE =
  'free some space, or move the database (storage.url) to a larger disk; on a small one set storage.minFreeSpace to a size that leaves room'

const STUCK_ADVICE =
  'end what reads the database for so long: a backup, an export, or an sqlite3 (fuser on the database file tells which); deliveries go on then'

/** In effect when it returns. */
export async function startDiskGuard(options: DiskGuardOptions): Promise<DiskGuard> {
  const { measure, minFreeSpace, store, log } = options
  let level: DiskLevel = 'ok'
  let space = { freeBytes: Number.POSITIVE_INFINITY, minFreeBytes: 0 }
  let reusableBytes = 0
  let acceptedBytes = 0
  let refused = 0
  let isMeasured = true
  let isAsking = false
  let walBacklogBytes = 0
  let isStuck = false
  const reclaimer = createSpaceReclaimer({ store, level: () => level, isWalPinned: isWalPinnedNow, log })

  function look(): void {
    acceptedBytes = 0
    const measured = measure()
    if (measured === null) {
      // What was known last goes on to count.
      if (isMeasured) log.warn({}, 'disk.not_measured')
      isMeasured = false
      return
    }
    isMeasured = true
    space = { freeBytes: measured.freeBytes, minFreeBytes: minFreeBytesOf(minFreeSpace, measured.totalBytes) }
    walBacklogBytes = Math.max(0, measured.walBytes - walLimitOf(space.minFreeBytes))
    const now = { freeBytes: space.freeBytes, reusableBytes, pendingBytes: pendingBytes() }
    goTo(nextLevel(level, roomIn(now), space.minFreeBytes))
    setStuck(isWalPinned(now, walBacklogBytes, space.minFreeBytes))
  }

  /** What is accepted but not written, and what a long read has kept in the log. */
  function pendingBytes(): number {
    const { waitingEvents, waitingBytes } = store.pulse()
    return TIMES_WRITTEN * (waitingBytes + waitingEvents * ROWS_BYTES) + walBacklogBytes
  }

  function setStuck(next: boolean): void {
    if (next && !isStuck) log.error({ ...space, walBacklogBytes, hint: STUCK_ADVICE }, 'disk.wal_pinned')
    isStuck = next
  }

  /** Where space is short, as of now: a second would be too long. */
  function isWalPinnedNow(): boolean {
    if (level !== 'ok') look()
    return isStuck
  }

  /** It would be moved with the next commit; but callbacks are refused, and there may be none. */
  async function checkpointWal(): Promise<void> {
    // While somebody reads it, or the disk fails, it stays; the next look tries again.
    if (level !== 'ok' && walBacklogBytes > 0) await store.checkpointWal().catch(() => false)
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
      walBacklogBytes > walLimitOf(minFreeBytes) ? `, ${mib(walBacklogBytes)} needed to move the log of changes` : ''
    return `the disk is nearly full: ${mib(freeBytes)} free${kept}, storage.minFreeSpace is ${mib(minFreeBytes)}`
  }

  /** Whoever reads may be busy for long: what it said last is good enough until then. */
  async function askForReusable(): Promise<void> {
    isAsking = true
    try {
      await checkpointWal()
      reusableBytes = await store.reusableBytes().catch(() => reusableBytes)
    } finally {
      isAsking = false
    }
  }

  const lookAround = guarded(log, 'watching free space', async () => {
    look()
    reclaimer.start()
    if (!isAsking) await askForReusable()
  })

  await askForReusable()
  lookAround()
  const timer = setInterval(lookAround, options.intervalMs ?? LOOK_MS).unref()
  return {
    admits(bytes) {
      acceptedBytes += bytes + ROWS_BYTES
      if (acceptedBytes > space.minFreeBytes / LOOKS_IN_RESERVE) look()
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
