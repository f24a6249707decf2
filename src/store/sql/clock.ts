import type { ClockEvidence, ClockRecord } from '../../domain/clock.ts'
import { LONGEST_WAIT_MS, setBackMs } from '../rules/certain-clock.ts'
import { type Asked, one, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { keepMeta, readMeta } from './meta.ts'

const HEARTBEAT = 'clock_heartbeat'
const DISTRUSTED = 'clock_distrusted_since'

/** A heartbeat ends the distrust. A distrusted clock keeps the last heartbeat. */
export function* keepClock(d: Dialect, record: ClockRecord): Asked<void> {
  if ('distrustedSince' in record) return yield* keepMeta(DISTRUSTED, String(Math.round(record.distrustedSince)))
  const { heartbeatAt: now } = record
  const backMs = setBackMs(Number((yield* readMeta(HEARTBEAT)) ?? 0), now)
  if (backMs > 0) yield* makeSooner(d, { now, backMs })
  yield* keepMeta(HEARTBEAT, String(Math.round(now)))
  const wasDistrusted = (yield* run('delete from meta where key = :key', { key: DISTRUSTED })) > 0
  // Attempts that a clock far ahead has postponed are due now.
  if (wasDistrusted)
    yield* run(
      `update deliveries set next_attempt_at = ${d.time(':now')}
      where state = 'pending' and claimed_by is null and next_attempt_at > ${d.time(':latest')}`,
      { now, latest: now + LONGEST_WAIT_MS },
    )
}

function* makeSooner(d: Dialect, values: { readonly now: number; readonly backMs: number }): Asked<void> {
  const sooner = `set next_attempt_at = ${d.before('next_attempt_at', ':backMs')} where next_attempt_at > ${d.time(':now')}`
  yield* run(`update deliveries ${sooner} and state = 'pending' and claimed_by is null`, values)
  yield* run(`update notification_tokens ${sooner}`, values)
}

/** Rows of the gateway's own events count, too: they carry its clock. */
export function* readClock({ callbackId }: Dialect): Asked<ClockEvidence> {
  const { at } = yield* one<{ at: number | null }>(
    `select max(received_at) as at from (select received_at from callbacks order by ${callbackId} desc limit 1000) as latest`,
  )
  return { newestCallbackAt: at, heartbeatAt: yield* numberOf(HEARTBEAT), distrustedSince: yield* numberOf(DISTRUSTED) }
}

function* numberOf(key: string): Asked<number | null> {
  const value = yield* readMeta(key)
  return value === undefined ? null : Number(value)
}
