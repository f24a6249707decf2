import { OVERVIEW_MINUTES, type RecentTraffic } from '../domain/overview/overview.ts'

/** Minutes of the latency and of failures that count as recent. */
const RECENT_MINUTES = 5
const MINUTE_MS = 60_000

/** Bucket n ends at 0.1 ms × 1.19^n (four to an octave): 100 µs to 7 min. */
const BUCKETS = 88
const FIRST_MS = 0.1
const PER_OCTAVE = 4

/** Counts of the last minutes in fixed memory. A call takes well below a microsecond. */
export interface RecentCounts {
  stored(kind: string, durationMs: number): void
  failed(repeatedUntil: string | null): void
  /** @param deliveries how many wait now */
  waiting(deliveries: number): void
  /** At this moment, since the start. */
  read(): RecentTraffic
}

interface Minute {
  readonly callbacks: Map<string, number>
  readonly latencies: Uint32Array
  failed: number
  /** The most that was seen; null: they were not counted. */
  waiting: number | null
  /** Of its failed ones. */
  readonly untils: Set<string>
}

export function createRecentCounts(kinds: readonly string[], now: () => number = Date.now): RecentCounts {
  const minutes = Array.from({ length: OVERVIEW_MINUTES }, newMinute)
  let startedAt = minuteOf(now())
  let latest = startedAt

  function current(): Minute {
    const minute = minuteOf(now())
    if (minute < latest - OVERVIEW_MINUTES) startAgain(minute)
    // After the clock was set back a little, the latest minute goes on.
    for (let skipped = Math.max(latest + 1, minute - OVERVIEW_MINUTES + 1); skipped <= minute; skipped++)
      clear(at(skipped))
    latest = Math.max(latest, minute)
    return at(latest)
  }

  function startAgain(minute: number): void {
    for (const one of minutes) clear(one)
    startedAt = minute
    latest = minute
  }

  function at(minute: number): Minute {
    return minutes[minute % OVERVIEW_MINUTES] as Minute
  }

  return {
    stored(kind, durationMs) {
      const { callbacks, latencies } = current()
      callbacks.set(kind, (callbacks.get(kind) ?? 0) + 1)
      const bucket = bucketOf(durationMs)
      latencies[bucket] = (latencies[bucket] as number) + 1
    },
    failed(repeatedUntil) {
      const minute = current()
      minute.failed++
      if (repeatedUntil !== null) minute.untils.add(repeatedUntil)
    },
    waiting(deliveries) {
      const minute = current()
      minute.waiting = Math.max(minute.waiting ?? 0, deliveries)
    },
    read() {
      current()
      const first = Math.max(startedAt, latest - OVERVIEW_MINUTES + 1)
      const all = Array.from({ length: latest - first + 1 }, (_, index) => at(first + index))
      const recent = all.slice(-RECENT_MINUTES)
      const latencies = sumOf(recent.map((one) => one.latencies))
      const p50Ms = percentile(latencies, 0.5)
      const p99Ms = percentile(latencies, 0.99)
      return {
        callbacks: Object.fromEntries(kinds.map((kind) => [kind, all.map((one) => one.callbacks.get(kind) ?? 0)])),
        failed: recent.reduce((sum, { failed }) => sum + failed, 0),
        repeatedUntil: recent.flatMap(({ untils }) => [...untils]).sort()[0] ?? null,
        acknowledge: p50Ms === null || p99Ms === null ? null : { p50Ms, p99Ms },
        acknowledgeP99Ms: all.map((one) => percentile(one.latencies, 0.99)),
        waiting: all.map(({ waiting }) => waiting),
      }
    },
  }
}

function newMinute(): Minute {
  return { callbacks: new Map(), latencies: new Uint32Array(BUCKETS), failed: 0, waiting: null, untils: new Set() }
}

function clear(minute: Minute): void {
  minute.callbacks.clear()
  minute.latencies.fill(0)
  minute.failed = 0
  minute.waiting = null
  minute.untils.clear()
}

function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS)
}

function bucketOf(durationMs: number): number {
  if (durationMs <= FIRST_MS) return 0
  return Math.min(BUCKETS - 1, Math.ceil(PER_OCTAVE * Math.log2(durationMs / FIRST_MS)))
}

/** The end of the bucket, so at most 19 % too much; null: nothing was counted. */
function percentile(counts: Uint32Array, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.ceil(total * share)
  const bucket = counts.findIndex((count) => {
    left -= count
    return left <= 0
  })
  return Number((FIRST_MS * 2 ** (bucket / PER_OCTAVE)).toPrecision(3))
}

function sumOf(all: readonly Uint32Array[]): Uint32Array {
  const sum = new Uint32Array(BUCKETS)
  for (const counts of all) for (const [index, count] of counts.entries()) sum[index] = (sum[index] as number) + count
  return sum
}
