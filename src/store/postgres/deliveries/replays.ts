import { forwardingText } from '../../../domain/forwarding/forwarding-texts.ts'
import {
  isReplayed,
  type NewReplay,
  type ReplayCancellation,
  type ReplayChange,
  type ReplayRecord,
  type ReplayState,
  type ReplayStep,
} from '../../../domain/replay.ts'
import type { RequeuedEvent } from '../../rules/deliveries.ts'
import {
  endOfWithdrawn,
  knownReplay,
  refuseCanceling,
  refuseMoreReplays,
  type WithdrawnRow,
} from '../../rules/replays.ts'
import { columnsOf, type Sql, updateRows, type WriterSql } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'
import type { WriterParts } from '../writing/writer-parts.ts'
import { releaseAll } from './order-keys.ts'
import { getReplay, readPriorDeliveries } from './replay-queries.ts'
import { type Requeued, requeue } from './requeue.ts'

async function need(sql: Sql, id: number): Promise<ReplayRecord> {
  return knownReplay(id, await getReplay(sql, id))
}

async function end(
  sql: Sql,
  id: number,
  state: ReplayState,
  { reason, now }: { readonly reason: string | null; readonly now: number },
): Promise<ReplayRecord> {
  await sql.run('update replays set state = :state, reason = :reason, ended_at = at_ms(:now) where id = :id', {
    id,
    state,
    reason,
    now,
  })
  return need(sql, id)
}

export async function createReplay(
  _parts: unknown,
  { sql, ...transaction }: Transaction,
  { filter, ...replay }: NewReplay,
  now: number,
): Promise<ReplayRecord> {
  await transaction.head()
  const running = await sql.get<{ n: number }>(`select count(*) as n from replays where state = 'running'`)
  refuseMoreReplays(running?.n ?? 0)
  const isDone = replay.upTo === 0
  const made = { ...replay, filter: JSON.stringify(filter), state: isDone ? 'done' : 'running', now }
  const row = await sql.get<{ id: number }>(
    `insert into replays (destination_id, owner, mode, filter, state, matched, left_out, up_to, created_at, ended_at)
    values (:destinationId, :owner, :mode, :filter, :state, :matched, :leftOut, :upTo, at_ms(:now), at_ms(:endedAt)) returning id`,
    { ...made, endedAt: isDone ? now : null },
  )
  return need(sql, row?.id ?? 0)
}

export async function advanceReplay(
  _parts: unknown,
  transaction: Transaction,
  { replayId, from, to, positions }: ReplayStep,
  now: number,
): Promise<ReplayChange> {
  await transaction.head()
  const { sql } = transaction
  const replay = await need(sql, replayId)
  if (replay.state !== 'running' || replay.position !== from) return { replay, destinationIds: [] }
  const destination = (await transaction.destinations()).find(({ id }) => id === replay.destinationId)
  if (destination === undefined) {
    const reason = forwardingText('destination_removed')
    return { replay: await end(sql, replayId, 'failed', { reason, now }), destinationIds: [] }
  }
  const priors = await readPriorDeliveries(sql, destination, positions)
  const wanted = positions.filter((position) => isReplayed(replay, priors.get(position) ?? []))
  const again = await readRequeued(sql, destination.id, wanted)
  const { length: requeued } = await requeue(transaction, destination.id, again, { now, replayId })
  await sql.run('update replays set position = :to, requeued = requeued + :requeued where id = :replayId', {
    replayId,
    to,
    requeued,
  })
  return {
    replay: to < replay.upTo ? await need(sql, replayId) : await end(sql, replayId, 'done', { reason: null, now }),
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
  const replay = await need(sql, id)
  if (replay.state === 'canceled') return { replay, destinationIds: [], claimedIds: await claimedOf(sql, replay) }
  refuseCanceling(replay, await withdraw(sql, replay, { now, firstWaitMs }))
  const canceled = await end(sql, id, 'canceled', { reason: null, now })
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
