import type { AttemptOutcome } from '../../../domain/delivery.ts'
import type { Destination } from '../../../domain/destination.ts'
import type { HeldDelivery } from '../../rows/claim-row.ts'
import { columnsOf, insertRows, updateRows, type WriterSql } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'
import type { WriterParts } from '../writing/writer-parts.ts'
import { type Ended, releaseAll } from './order-keys.ts'

/** An outcome, and its delivery as the attempt has left it. */
interface Held {
  readonly outcome: AttemptOutcome
  readonly row: HeldDelivery
}

const ATTEMPTS = columnsOf(
  'delivery_id:bigint attempt:integer started_at:time duration_ms:bigint status:integer error:text answer:bytea',
)

export async function recordAttempts(
  { firstWaitMs }: WriterParts,
  transaction: Transaction,
  outcomes: readonly AttemptOutcome[],
): Promise<number> {
  const { sql } = transaction
  const held = await readHeld(transaction, outcomes)
  if (held.length === 0) return 0
  insertRows(sql, 'attempts', ATTEMPTS, held.map(attemptRow))
  const isSettled = ({ outcome, row }: Held) =>
    (row.state !== 'pending' || row.is_restarted === true) && outcome.result.state !== 'delivered'
  settle(sql, held.filter(isSettled))
  const finished = held.filter((one) => !isSettled(one))
  finish(sql, finished)
  await releaseAll(sql, endedOf(finished, await transaction.destinations()), firstWaitMs)
  return held.length
}

/** Those whose claim is still in force; of each delivery once. */
async function readHeld(transaction: Transaction, outcomes: readonly AttemptOutcome[]): Promise<Held[]> {
  const fences = await transaction.fences()
  const rows = await transaction.sql.all<HeldDelivery & { id: number }>(
    `select d.id, claimed_by, attempts, state, destination_id, order_key, coalesce(replayed_at > claimed_at, false) as is_restarted,
      e.payload_removed_at is not null as is_redacted
    from deliveries d join events e on e.id = d.event_id where d.id = any(:ids::bigint[])`,
    { ids: outcomes.map(({ deliveryId }) => deliveryId) },
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return outcomes.flatMap((outcome) => {
    const row = byId.get(outcome.deliveryId)
    if (row === undefined || row.attempts !== outcome.attempt || row.claimed_by !== fences.get(row.destination_id))
      return []
    byId.delete(row.id)
    return [{ outcome, row }]
  })
}

function attemptRow({ outcome, row }: Held) {
  const { deliveryId, attempt, startedAt, durationMs, status, error, answer } = outcome
  return [deliveryId, attempt, startedAt, durationMs, status, error, row.is_redacted === true ? null : answer]
}

/** An operator skipped or retried them during the attempt: a failure changes nothing, and a retried delivery is due. */
function settle(sql: WriterSql, held: readonly Held[]): void {
  updateRows(
    sql,
    `update deliveries d set claimed_by = null, claimed_at = null, next_attempt_at = case state when 'pending' then replayed_at end,
      last_status = r.status, last_error = r.error`,
    columnsOf('id:bigint status:integer error:text'),
    held.map(({ outcome: { deliveryId, status, error } }) => [deliveryId, status, error]),
  )
}

const FINISHED = columnsOf(
  'id:bigint state:text retries_used:bigint next_attempt_at:bigint ended_at:bigint reason:text status:integer error:text',
)

function finish(sql: WriterSql, held: readonly Held[]): void {
  updateRows(
    sql,
    `update deliveries d set state = r.state, claimed_by = null, claimed_at = null, retries_used = coalesce(r.retries_used, d.retries_used + 1),
      next_attempt_at = at_ms(r.next_attempt_at), ended_at = at_ms(r.ended_at), reason = r.reason, last_status = r.status, last_error = r.error,
      delivered_at = case r.state when 'delivered' then at_ms(r.ended_at) else d.delivered_at end,
      delivered_key = case r.state when 'delivered' then d.order_key else d.delivered_key end`,
    FINISHED,
    held.map(({ outcome }) => {
      const { deliveryId, result, status, error } = outcome
      const isPending = result.state === 'pending'
      const again = isPending ? [result.retriesUsed, result.at, null] : [null, null, endOf(outcome)]
      const reason = result.state === 'exhausted' ? result.reason : null
      return [deliveryId, result.state, ...again, reason, status, result.state === 'delivered' ? null : error]
    }),
  )
}

function endOf({ startedAt, durationMs }: AttemptOutcome): number {
  return startedAt + durationMs
}

/** Those that leave the queue of their order key. */
function endedOf(held: readonly Held[], destinations: readonly Destination[]): Ended[] {
  return held.flatMap(({ outcome, row }) => {
    const { order_key: orderKey, destination_id: destinationId } = row
    const { state } = outcome.result
    if (orderKey === null || state === 'pending') return []
    const destination = destinations.find(({ id }) => id === destinationId)
    if (state === 'exhausted' && destination?.onExhausted === 'hold') return []
    const isHead = row.state === 'pending'
    return [{ id: outcome.deliveryId, destinationId, orderKey, isHead, now: endOf(outcome) }]
  })
}
