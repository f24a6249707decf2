import { type ClockEvidence, type ClockRecord, isFarAhead, lastCertainTime } from '../../domain/clock.ts'

/** Longer than every sensible step of a schedule: an attempt that waits longer was postponed by a clock far ahead. */
export const LONGEST_WAIT_MS = 8 * 86_400_000

/** The time between two heartbeats, and more than the clocks of nodes differ by. */
const HEARTBEAT_MS = 60_000

/** How far the clock was set back since the heartbeat before, 0 where there was none. What waits is due that much sooner. A heartbeat may be a minute old. */
export function setBackMs(before: number, heartbeatAt: number): number {
  const back = Math.round(before - heartbeatAt)
  return back > HEARTBEAT_MS ? back : 0
}

/** The receiving times of the last so many ms. */
export interface TimeWindow {
  /** Every time inside is later. */
  since(): number
  has(receivedAt: number): boolean
}

export interface CertainClock {
  record(clock: ClockRecord): void
  /**
   * Under an implausible clock, what was received before gets older by the time that the gateway runs, and what was received since by the clock: nothing
   * leaves the window because the clock is ahead, and everything leaves it in the end.
   */
  windowOf(lengthMs: number): TimeWindow
}

/** A certain time, and the monotonic clock when it was noted. */
interface CertainTime {
  readonly at: number
  readonly notedAt: number
}

/**
 * @param wall the clock of the host
 * @param monotonic a clock in ms that is never set
 */
export function createCertainClock(
  evidence: ClockEvidence,
  wall: () => number,
  monotonic = () => performance.now(),
): CertainClock {
  /** null: the clock is plausible. */
  let certain: CertainTime | null = null
  setCertain(certainAtStart(evidence, wall()))

  function setCertain(at: number | null): void {
    if (at === null) certain = null
    else if (certain?.at !== at) certain = { at, notedAt: monotonic() }
  }

  /** The last certain time before the clock became implausible; null: it is plausible. */
  function certainTimeOf(clock: ClockRecord): number | null {
    if ('distrustedSince' in clock) return clock.distrustedSince
    // A clock far behind is replaced by the time that it should show.
    return isFarAhead(clock.heartbeatAt, wall()) ? clock.heartbeatAt : null
  }

  function timeFor(receivedAt: number): number {
    if (certain === null) return wall()
    const due = dueAfter(certain)
    return receivedAt > certain.at ? Math.max(due, wall()) : due
  }

  function dueAfter({ at, notedAt }: CertainTime): number {
    return at + monotonic() - notedAt
  }

  return {
    windowOf: (lengthMs) => ({
      since: () => (certain === null ? wall() : dueAfter(certain)) - lengthMs,
      has: (receivedAt) => receivedAt > timeFor(receivedAt) - lengthMs,
    }),
    record: (clock) => setCertain(certainTimeOf(clock)),
  }
}

/** Until the gateway has judged its clock, which it records before it receives anything. */
function certainAtStart(evidence: ClockEvidence, now: number): number | null {
  if (evidence.distrustedSince !== null) return evidence.distrustedSince
  const certain = lastCertainTime(evidence)
  return isFarAhead(now, certain) ? certain : null
}
