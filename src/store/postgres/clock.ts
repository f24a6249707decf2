import type { ClockEvidence, ClockRecord } from '../../domain/clock.ts'
import { type CertainClock, LONGEST_WAIT_MS, setBackMs } from '../rules/certain-clock.ts'
import { keepMeta, readMeta } from './database/meta.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

const HEARTBEAT = 'clock_heartbeat'
const DISTRUSTED = 'clock_distrusted_since'

/** A heartbeat ends the distrust. A distrusted clock keeps the last heartbeat. */
export async function recordClock(
  { clock }: { readonly clock: CertainClock },
  { sql }: Transaction,
  record: ClockRecord,
): Promise<void> {
  clock.record(record)
  if ('distrustedSince' in record) return keepMeta(sql, DISTRUSTED, String(Math.round(record.distrustedSince)))
  const backMs = setBackMs(Number((await readMeta(sql, HEARTBEAT)) ?? 0), record.heartbeatAt)
  if (backMs > 0) await makeSooner(sql, { now: record.heartbeatAt, backMs })
  await keepMeta(sql, HEARTBEAT, String(Math.round(record.heartbeatAt)))
  const wasDistrusted = (await sql.run('delete from meta where key = :key', { key: DISTRUSTED })) > 0
  // Attempts that a clock far ahead has postponed are due now.
  if (wasDistrusted)
    await sql.run(
      `update deliveries set next_attempt_at = at_ms(:now)
      where state = 'pending' and claimed_by is null and next_attempt_at > at_ms(:latest)`,
      { now: record.heartbeatAt, latest: record.heartbeatAt + LONGEST_WAIT_MS },
    )
}

async function makeSooner(sql: Sql, values: { readonly now: number; readonly backMs: number }): Promise<void> {
  const sooner = "set next_attempt_at = next_attempt_at - :backMs * interval '1 ms' where next_attempt_at > at_ms(:now)"
  await sql.run(`update deliveries ${sooner} and state = 'pending' and claimed_by is null`, values)
  await sql.run(`update notification_tokens ${sooner}`, values)
}

/** Rows of the gateway's own events count, too: they carry its clock. */
export async function readClock(sql: Sql): Promise<ClockEvidence> {
  const numberOf = async (key: string) => {
    const value = await readMeta(sql, key)
    return value === undefined ? null : Number(value)
  }
  const newest = await sql.get<{ at: number | null }>(
    'select max(received_at) as at from (select received_at from callbacks order by callback_id desc limit 1000) latest',
  )
  return {
    newestCallbackAt: newest?.at ?? null,
    heartbeatAt: await numberOf(HEARTBEAT),
    distrustedSince: await numberOf(DISTRUSTED),
  }
}
