import { forwardingText } from '../../../domain/forwarding/forwarding-texts.ts'
import {
  isReplayed,
  type ReplayCancellation,
  type ReplayChange,
  type ReplayRecord,
  type ReplayStep,
} from '../../../domain/replay.ts'
import type { RequeuedEvent } from '../../rules/deliveries.ts'
import { endOfWithdrawn, refuseCanceling, type WithdrawnRow } from '../../rules/replays.ts'
import { endReplay, needReplay, noteProgress } from '../../sql/replays.ts'
import { ask } from '../database/ask.ts'
import { columnsOf, type Sql, updateRows, type WriterSql } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'
import type { WriterParts } from '../writing/writer-parts.ts'
import { releaseAll } from './order-keys.ts'
import { readPriorDeliveries } from './replay-queries.ts'
import { type Requeued, requeue } from './requeue.ts'

export async function advanceReplay(
  _parts: unknown,
  transaction: Transaction,
  { replayId, from, to, positions }: ReplayStep,
  now: number,
): Promise<ReplayChange> {
  await transaction.head()
  const { sql } = transaction
  const replay = await ask(sql, needReplay, replayId)
  if (replay.state !== 'running' || replay.position !== from) return { replay, destinationIds: [] }
  const destination = (await transaction.destinations()).find(({ id }) => id === replay.destinationId)
  if (destination === undefined) {
    const reason = forwardingText('destination_removed')
    return { replay: await ask(sql, endReplay, replayId, 'failed', now, reason), destinationIds: [] }
  }
  const priors = await readPriorDeliveries(sql, destination, positions)
  const wanted = positions.filter((position) => isReplayed(replay, priors.get(position) ?? []))
  const again = await readRequeued(sql, destination.id, wanted)
  const { length: requeued } = await requeue(transaction, destination.id, again, { now, replayId })
  return {
    replay: await ask(sql, noteProgress, replay, { to, requeued }, now),
    destinationIds: requeued === 0 ? [] : [destination.id],
  }
}

/** Checks again, because the events were found outside of this transaction: data may be gone. */
async function readRequeued(sql: Sql, destinationId: number, positions: readonly number[]): Promise<Requeued[]> {
  const rows = await sql.all<RequeuedEvent & { readonly delivery_id: number | null }>(
    `select e.id, e.environment, e.subject, e.payload_removed_at, d.id as delivery_id
    from events e left join deliveries d on d.event_id = e.id and d.destination_id = :destinationId
    where e.id = any(:positions::bigint[]) and e.payload_removed_at is null order by e.id`,
    { destinationId, positions },
  )
  return rows.map(({ delivery_id: deliveryId, ...event }) => ({ event, deliveryId }))
}

export async function cancelReplay(
  { firstWaitMs }: WriterParts,
  { sql, ...transaction }: Transaction,
  id: number,
  now: number,
): Promise<ReplayCancellation> {
  await transaction.head()
  const replay = await ask(sql, needReplay, id)
  if (replay.state === 'canceled') return { replay, destinationIds: [], claimedIds: await claimedOf(sql, replay) }
  refuseCanceling(replay, await withdraw(sql, replay, { now, firstWaitMs }))
  const canceled = await ask(sql, endReplay, id, 'canceled', now)
  return {
    replay: canceled,
    destinationIds: [replay.destinationId],
    claimedIds: await claimedOf(sql, canceled),
  }
}

async function withdraw(
  sql: WriterSql,
  { replayId, destinationId }: ReplayRecord,
  { now, firstWaitMs }: { readonly now: number; readonly firstWaitMs: number },
): Promise<number> {
  const waiting = await sql.all<WithdrawnRow>(
    `select id, state, order_key, claimed_by, delivered_at from deliveries
    where replay_id = :replayId and state in ('pending', 'blocked')`,
    { replayId },
  )
  updateRows(
    sql,
    'update deliveries d set state = r.state, reason = r.reason, ended_at = at_ms(r.ended_at), next_attempt_at = null',
    columnsOf('id:bigint state:text reason:text ended_at:bigint'),
    waiting.map((row) => {
      const { state, reason, endedAt } = endOfWithdrawn(row, now)
      return [row.id, state, reason, endedAt]
    }),
  )
  const ended = waiting.flatMap(({ id, state, order_key: orderKey }) =>
    orderKey === null ? [] : [{ id, destinationId, orderKey, isHead: state === 'pending', now }],
  )
  await releaseAll(sql, ended, firstWaitMs)
  return waiting.length
}

async function claimedOf(sql: Sql, { replayId }: ReplayRecord): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    'select id from deliveries where claimed_by is not null and replay_id = :replayId order by id',
    { replayId },
  )
  return rows.map(({ id }) => id)
}
