import {
  CLOCK_JUMP_LIMIT_MS,
  CLOCK_LEAD_LIMIT_MS,
  type Clock,
  type ClockRecord,
  CONFIRM_CLOCK_HINT,
  clockProblem,
  isFarAhead,
  lastCertainTime,
} from '../domain/clock.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

/** Watches the wall clock. While it is implausible, nothing is removed or expired by age. */
export interface ClockGuard extends Clock {
  /** The wall clock, or the expected time while the wall clock is more than 7 days behind. */
  time(): number
  /** Called each time that the clock becomes plausible again. */
  onTrusted(listener: () => void): void
  stop(): void
}

export interface ClockGuardOptions {
  readonly store: Pick<Store, 'readClock' | 'recordClock'>
  readonly now: () => number
  /** A clock in ms that is never set. */
  readonly monotonic?: () => number
  readonly log: Log
  /** How often the clocks are compared, and a plausible time is recorded; default a minute. */
  readonly intervalMs?: number
  /** Called each time that the database has stored the time, which shows that it accepts writes. */
  readonly onRecorded?: () => void
}

/** In effect when it returns. */
export async function startClockGuard(options: ClockGuardOptions): Promise<ClockGuard> {
  const { store, now, monotonic = () => performance.now(), log, intervalMs = 60_000 } = options
  const { onRecorded = () => undefined } = options
  /** The last certain moment on both clocks. */
  const certain = { wall: now(), monotonic: monotonic() }
  /** `distrust` sets it, `trust` ends it. */
  let isDistrusted = false
  /** How far ahead a plausible wall clock may be: further after a start, because the gateway was stopped for an unknown time. */
  let leadLimitMs = CLOCK_JUMP_LIMIT_MS
  /** `noteBehind` sets it; `compare` and `confirm` end it. */
  let isBehind = false
  const listeners: (() => void)[] = []
  const trusted = () => {
    for (const listener of listeners) listener()
  }

  /** The time that the wall clock should show, in whole ms, as the database stores it. */
  function expected(elapsed = monotonic()): number {
    return Math.round(certain.wall + elapsed - certain.monotonic)
  }

  /** Reads each clock once, because it runs for each callback. @returns the time that callbacks get */
  function compare(): number {
    const wall = now()
    const elapsed = monotonic()
    const due = expected(elapsed)
    const isAhead = isFarAhead(wall, due, leadLimitMs)
    if (isAhead && !isDistrusted) distrust(due)
    else if (isFarAhead(due, wall)) noteBehind(wall)
    else if (!isAhead) {
      isBehind = false
      if (isDistrusted) {
        trust()
        log.info({ clock: new Date(wall).toISOString() }, 'clock.plausible')
        void record({ heartbeatAt: wall }).then(trusted)
      }
      certain.wall = wall
      certain.monotonic = elapsed
    }
    return isBehind ? due : wall
  }

  /** Time continues from the last certain moment. A callback stored under 1970 would be too old as soon as the clock is set. */
  function noteBehind(wall: number): void {
    if (!isBehind) {
      const times = { clock: new Date(wall).toISOString(), lastCertain: new Date(expected()).toISOString() }
      log.error({ ...times, hint: 'set the clock: until then callbacks get the expected time' }, 'clock.behind')
    }
    isBehind = true
  }

  function beCertainOf(wall: number): void {
    certain.wall = wall
    certain.monotonic = monotonic()
  }

  function trust(): void {
    isDistrusted = false
    leadLimitMs = CLOCK_JUMP_LIMIT_MS
  }

  function distrust(since: number): void {
    isDistrusted = true
    beCertainOf(since)
    const times = { clock: new Date(now()).toISOString(), lastCertain: new Date(since).toISOString() }
    log.error({ ...times, hint: CONFIRM_CLOCK_HINT }, 'clock.implausible')
    void record({ distrustedSince: since })
  }

  async function write(clock: ClockRecord): Promise<void> {
    await store.recordClock(clock)
    onRecorded()
  }

  async function record(clock: ClockRecord): Promise<void> {
    try {
      await write(clock)
    } catch (error) {
      // The next comparison records again.
      log.warn({ error: messageOf(error) }, 'clock.not_recorded')
    }
  }

  async function compareAndRecord(): Promise<void> {
    const time = compare()
    await record(isDistrusted ? { distrustedSince: certain.wall } : { heartbeatAt: time })
  }

  const since = lastCertainTime(await store.readClock())
  if (since !== null && isFarAhead(now(), since)) {
    leadLimitMs = CLOCK_LEAD_LIMIT_MS
    distrust(since)
  } else {
    if (since !== null && isFarAhead(since, now())) beCertainOf(since)
    await compareAndRecord()
  }
  const timer = setInterval(guarded(log, 'comparing the clocks', compareAndRecord), intervalMs).unref()

  return {
    time: compare,
    state() {
      compare()
      return { isPlausible: !isDistrusted, problem: isDistrusted ? clockProblem(now(), certain.wall) : null }
    },
    async confirm() {
      await write({ heartbeatAt: now() })
      if (isDistrusted) log.info({ clock: new Date(now()).toISOString() }, 'clock.confirmed')
      trust()
      isBehind = false
      beCertainOf(now())
      trusted()
    },
    onTrusted(listener) {
      listeners.push(listener)
    },
    stop: () => clearInterval(timer),
  }
}
