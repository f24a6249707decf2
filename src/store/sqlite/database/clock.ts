import { type ClockEvidence, type ClockRecord, isFarAhead, lastCertainTime } from '../../../domain/clock.ts'
import { prepareMark } from '../audit/last-position.ts'
import type { Connection } from './connection.ts'

/** Longer than every sensible step. A longer step of a schedule would only come too early. */
const LONGEST_WAIT_MS = 8 * 86_400_000
const HEARTBEAT = 'clock_heartbeat'
const DISTRUSTED = 'clock_distrusted_since'

/** @param wall the clock of the host */
export function createClockRecord(db: Connection, wall: () => number) {
  const set = db.prepare<[string, string]>(
    'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
  )
  const makeDue = db.prepare(`
    update deliveries set next_attempt_at = :now where state = 'pending' and claimed_by is null and next_attempt_at > :latest`)
  const markLast = prepareMark(db)
  const clear = db.prepare<[string]>('delete from meta where key = ?')
  /** null: the clock is plausible. */
  let certainUntil = certainAtStart(readClock(db), wall())

  return {
    /** The clock of the host, or the last certain time before it became implausible. For what must not expire under an implausible clock. */
    certainTime: () => certainUntil ?? wall(),

    /** A heartbeat ends the distrust, and marks the last position. A distrusted clock keeps the last heartbeat. */
    record(clock: ClockRecord): void {
      certainUntil = 'distrustedSince' in clock ? clock.distrustedSince : null
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
