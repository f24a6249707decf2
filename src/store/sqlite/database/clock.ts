import type { ClockEvidence, ClockRecord } from '../../../domain/clock.ts'
import { createCertainClock, LONGEST_WAIT_MS, setBackMs } from '../../rules/certain-clock.ts'
import type { Connection } from './connection.ts'
import { prepareMark } from './last-position.ts'

const HEARTBEAT = 'clock_heartbeat'
const DISTRUSTED = 'clock_distrusted_since'

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
  const heartbeat = db.prepare<[], string>(`select value from meta where key = '${HEARTBEAT}'`).pluck()
  const sooner = [
    db.prepare(`
      update deliveries set next_attempt_at = next_attempt_at - :backMs
      where state = 'pending' and claimed_by is null and next_attempt_at > :now`),
    db.prepare(
      'update notification_tokens set next_attempt_at = next_attempt_at - :backMs where next_attempt_at > :now',
    ),
  ]
  const markLast = prepareMark(db)
  const clear = db.prepare<[string]>('delete from meta where key = ?')
  const certain = createCertainClock(readClock(db), wall, monotonic)

  return {
    windowOf: certain.windowOf,

    /** A heartbeat ends the distrust, and marks the last position. A distrusted clock keeps the last heartbeat. */
    record(clock: ClockRecord): void {
      certain.record(clock)
      if ('distrustedSince' in clock) set.run(DISTRUSTED, String(Math.round(clock.distrustedSince)))
      else {
        const backMs = setBackMs(Number(heartbeat.get() ?? 0), clock.heartbeatAt)
        if (backMs > 0) for (const statement of sooner) statement.run({ now: clock.heartbeatAt, backMs })
        set.run(HEARTBEAT, String(Math.round(clock.heartbeatAt)))
        markLast()
        // Attempts that a clock far ahead has postponed are due now.
        if (clear.run(DISTRUSTED).changes > 0)
          makeDue.run({ now: clock.heartbeatAt, latest: clock.heartbeatAt + LONGEST_WAIT_MS })
      }
    },
  }
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
