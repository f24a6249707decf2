import type { FreeSpace } from '../domain/headroom.ts'
import { type HeadroomLevel, isLogStuck, logLimitOf, nextLevel, reserveOf, roomIn } from '../domain/headroom.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import type { Reserve } from '../platform/units.ts'
import { createShedding } from './sparing.ts'

/** Watches the free space of the database's file system, and decides what is left undone for want of it. */
export interface Headroom {
  /** Whether a callback of so many bytes may be stored now; one that may not is counted. */
  admits(bytes: number): boolean
  level(): HeadroomLevel
  /** Nothing that can wait may be written just now: the log cannot be moved into the database, and would fill the disk. */
  isLogStuck(): boolean
  state(): HeadroomState
  stop(): Promise<void>
}

export interface HeadroomState {
  readonly level: HeadroomLevel
  readonly freeBytes: number
  readonly reserveBytes: number
  /** Callbacks that were answered 503 for want of space, since the gateway started. */
  readonly refused: number
}

export interface HeadroomOptions {
  /** null: nobody knows now. */
  readonly measure: () => FreeSpace | null
  readonly reserve: Reserve
  readonly store: Pick<Store, 'pulse' | 'reusableBytes' | 'dropRefusals' | 'dropAnswers' | 'emptyLog'>
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

const CONSEQUENCES: Readonly<Record<HeadroomLevel, string>> = {
  ok: 'everything is recorded and accepted again',
  no_refusals: 'refusals are no longer recorded, old ones are removed',
  no_answers: 'nor are the answers of destinations recorded, old ones are removed',
  no_callbacks: 'new callbacks are answered 503; what is stored is delivered',
}

const ADVICE =
  'free some space, or move the database (storage.url) to a larger disk; on a small one set storage.reserve to a size that leaves room'

const STUCK_ADVICE =
  'end what reads the database for so long: a backup, an export, or an sqlite3 (fuser on the database file tells which); deliveries go on then'

/** In effect when it returns. */
export async function startHeadroom(options: HeadroomOptions): Promise<Headroom> {
  const { measure, reserve, store, log } = options
  let level: HeadroomLevel = 'ok'
  let space = { freeBytes: Number.POSITIVE_INFINITY, reserveBytes: 0 }
  let reusableBytes = 0
  let acceptedBytes = 0
  let refused = 0
  let isMeasured = true
  let isAsking = false
  let inLogBytes = 0
  let isStuck = false
  const shedding = createShedding({ store, level: () => level, isLogStuck: isLogStuckNow, log })

  function look(): void {
    acceptedBytes = 0
    const measured = measure()
    if (measured === null) {
      // What was known last goes on to count.
      if (isMeasured) log.warn({}, 'headroom.not_measured')
      isMeasured = false
      return
    }
    isMeasured = true
    space = { freeBytes: measured.freeBytes, reserveBytes: reserveOf(reserve, measured.totalBytes) }
    inLogBytes = Math.max(0, measured.logBytes - logLimitOf(space.reserveBytes))
    const now = { freeBytes: space.freeBytes, reusableBytes, owedBytes: owedBytes() }
    goTo(nextLevel(level, roomIn(now), space.reserveBytes))
    setStuck(isLogStuck(now, inLogBytes, space.reserveBytes))
  }

  /** What is accepted but not written, and what a long read has kept in the log. */
  function owedBytes(): number {
    const { waitingEvents, waitingBytes } = store.pulse()
    return TIMES_WRITTEN * (waitingBytes + waitingEvents * ROWS_BYTES) + inLogBytes
  }

  function setStuck(next: boolean): void {
    if (next && !isStuck) log.error({ ...space, inLogBytes, do: STUCK_ADVICE }, 'headroom.log_stuck')
    isStuck = next
  }

  /** Where space is short, as of now: a second would be too long. */
  function isLogStuckNow(): boolean {
    if (level !== 'ok') look()
    return isStuck
  }

  /** It would be moved with the next commit; but callbacks are refused, and there may be none. */
  async function emptyLog(): Promise<void> {
    // While somebody reads it, or the disk fails, it stays; the next look tries again.
    if (level !== 'ok' && inLogBytes > 0) await store.emptyLog().catch(() => false)
  }

  function goTo(next: HeadroomLevel): void {
    if (next === level) return
    const from = level
    level = next
    const fields = { from, to: level, ...space, reusableBytes, refused, meaning: CONSEQUENCES[level] }
    if (level === 'ok') log.info(fields, 'headroom.changed')
    else log[level === 'no_callbacks' ? 'error' : 'warn']({ ...fields, do: ADVICE }, 'headroom.changed')
    if (level === 'no_callbacks') options.onRefusing(whyRefused())
    else if (from === 'no_callbacks') options.onRefusing(null)
  }

  function whyRefused(): string {
    const { freeBytes, reserveBytes } = space
    const kept = inLogBytes > logLimitOf(reserveBytes) ? `, ${mib(inLogBytes)} needed to move the log of changes` : ''
    return `the disk is nearly full: ${mib(freeBytes)} free${kept}, storage.reserve is ${mib(reserveBytes)}`
  }

  /** Whoever reads may be busy for long: what it said last is good enough until then. */
  async function askForReusable(): Promise<void> {
    isAsking = true
    try {
      await emptyLog()
      reusableBytes = await store.reusableBytes().catch(() => reusableBytes)
    } finally {
      isAsking = false
    }
  }

  const lookAround = guarded(log, 'watching free space', async () => {
    look()
    shedding.goOn()
    if (!isAsking) await askForReusable()
  })

  await askForReusable()
  lookAround()
  const timer = setInterval(lookAround, options.intervalMs ?? LOOK_MS).unref()
  return {
    admits(bytes) {
      acceptedBytes += bytes + ROWS_BYTES
      if (acceptedBytes > space.reserveBytes / LOOKS_IN_RESERVE) look()
      if (level === 'no_callbacks') refused++
      return level !== 'no_callbacks'
    },
    level: () => level,
    isLogStuck: isLogStuckNow,
    state: () => ({ level, ...space, refused }),
    async stop() {
      clearInterval(timer)
      await shedding.stop()
    },
  }
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}
