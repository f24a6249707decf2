import { type ClockEvidence, type ClockRecord, isFarAhead, lastCertainTime } from '../../../domain/clock.ts'
import type { Connection } from './connection.ts'
import { prepareMark } from './last-position.ts'

/** Longer than every sensible step. A longer step of a schedule would only come too early. */
const LONGEST_WAIT_MS = 8 * 86_400_000
const HEARTBEAT = 'clock_heartbeat'
const DISTRUSTED = 'clock_distrusted_since'

/** The receiving times of the last so many ms. */
export interface TimeWindow {
  /** Every time inside is later. */
  since(): number
  has(receivedAt: number): boolean
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
export function createClockRecord(db: Connection, wall: () => number, monotonic = () => performance.now()) {
  const set = db.prepare<[string, string]>(
    'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
  )
  const makeDue = db.prepare(`
    update deliveries set next_attempt_at = :now where state = 'pending' and claimed_by is null and next_attempt_at > :latest`)
  const markLast = prepareMark(db)
  const clear = db.prepare<[string]>('delete from meta where key = ?')
  /** null: the clock is plausible. */
  let certain: CertainTime | null = null
  setCertain(certainAtStart(readClock(db), wall()))

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
    /**
     * Under an implausible clock, what was received before gets older by the time that the gateway runs, and what was received since by the clock: nothing
     * leaves the window because the clock is ahead, and everything leaves it in the end.
     */
    windowOf: (lengthMs: number): TimeWindow => ({
      since: () => (certain === null ? wall() : dueAfter(certain)) - lengthMs,
      has: (receivedAt) => receivedAt > timeFor(receivedAt) - lengthMs,
    }),

    /** A heartbeat ends the distrust, and marks the last position. A distrusted clock keeps the last heartbeat. */
    record(clock: ClockRecord): void {
      setCertain(certainTimeOf(clock))
      if ('distrustedSince' in clock) set.run(DISTRUSTED, String(Math.round(clock.distrustedSince)))
      else {
        set.run(HEARTBEAT, String(Math.round(clock.heartbeatAt)))
        markLast()
        // Attempts that a clock far ahead has postponed are due now.
        if (clear.run(DISTRUSTED).changes > 0)
          makeDue.run({ now: clock.heartbeatAt, latest: clock.heartbeatAt + LONGEST_WAIT_MS })
      }
    },
  }
}

/** Until the gateway has judged its clock, which it records before it receives anything. */
function certainAtStart(evidence: ClockEvidence, now: number): number | null {
  if (evidence.distrustedSince !== null) return evidence.distrustedSince
  const certain = lastCertainTime(evidence)
  return isFarAhead(now, certain) ? certain : null
}

/** Rows of the gateway's own events count, too: they carry its clock. */
const NEWEST = 'select max(received_at) from (select received_at from callbacks order by id desc limit 1000)'

export function readClock(db: Connection): ClockEvidence {
  const textOf = db.prepare<[string], string>('select value from meta where key = ?').pluck()
  const numberOf = (key: string) => {
    const value = textOf.get(key)
    return value === undefined ? null : Number(value)
  }
  return {
    newestCallbackAt: db.prepare<[], number | null>(NEWEST).pluck().get() ?? null,
    heartbeatAt: numberOf(HEARTBEAT),
    distrustedSince: numberOf(DISTRUSTED),
  }
}
