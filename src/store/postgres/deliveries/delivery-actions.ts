import type { Exhausted } from '../../../domain/delivery.ts'
import { FORWARDING_TEXTS } from '../../../domain/forwarding/forwarding-texts.ts'
import { parseEventId } from '../../../domain/public-id.ts'
import {
  knownDelivery,
  knownEvent,
  type RequeuedEvent,
  refuseRetry,
  refuseSkip,
  replayTargets,
  type StoredDelivery,
} from '../../rules/deliveries.ts'
import type { Sql } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'
import type { WriterParts } from '../writing/writer-parts.ts'
import { releaseAll } from './order-keys.ts'
import { requeue } from './requeue.ts'

const STORED =
  'select d.id, d.event_id, d.destination_id, d.state, d.order_key, e.environment, e.subject, e.payload_removed_at from deliveries d join events e on e.id = d.event_id'

async function get(sql: Sql, id: number): Promise<StoredDelivery> {
  return knownDelivery(id, await sql.get<StoredDelivery>(`${STORED} where d.id = :id for update of d`, { id }))
}

export async function retryDelivery(_parts: unknown, transaction: Transaction, deliveryId: number, now: number) {
  await transaction.head()
  const row = await get(transaction.sql, deliveryId)
  refuseRetry(row)
  const event = { ...row, id: row.event_id }
  await requeue(transaction, row.destination_id, [{ event, deliveryId: row.id }], { now, replayId: null })
  return { destinationId: row.destination_id }
}

export async function skipDelivery(
  { firstWaitMs }: WriterParts,
  { sql, ...transaction }: Transaction,
  deliveryId: number,
  now: number,
) {
  await transaction.head()
  const row = await get(sql, deliveryId)
  refuseSkip(row)
  await sql.run(
    `update deliveries set state = 'canceled', reason = '${FORWARDING_TEXTS.skipped}', ended_at = at_ms(:now), next_attempt_at = null where id = :id`,
    { id: deliveryId, now },
  )
  if (row.order_key !== null) {
    const delivery = { id: row.id, destinationId: row.destination_id, orderKey: row.order_key }
    await releaseAll(sql, [{ ...delivery, isHead: row.state !== 'blocked', now }], firstWaitMs)
  }
  return { destinationId: row.destination_id }
}

export async function replayEvent(
  _parts: unknown,
  transaction: Transaction,
  eventId: string,
  destinationId: number | null,
  now: number,
) {
  await transaction.head()
  const { sql } = transaction
  const event = await findEvent(sql, eventId)
  const deliveries = await sql.all<StoredDelivery>(
    `${STORED} where d.event_id = :position order by d.id for update of d`,
    {
      position: event.id,
    },
  )
  const targets = replayTargets(deliveries, destinationId, await transaction.destinations())
  const leftIds: number[] = []
  const deliveryIds: number[] = []
  for (const target of targets) {
    const row = deliveries.find((delivery) => delivery.destination_id === target)
    const isWaiting = row?.state === 'pending' || row?.state === 'blocked'
    const again = [{ event, deliveryId: row?.id ?? null }]
    if (!isWaiting) deliveryIds.push(...(await requeue(transaction, target, again, { now, replayId: null })))
    else {
      deliveryIds.push(row.id)
      leftIds.push(row.id)
    }
  }
  return { deliveryIds, destinationIds: targets, leftIds }
}

async function findEvent(sql: Sql, id: string): Promise<RequeuedEvent> {
  const parsed = parseEventId(id)
  if (parsed === null) return knownEvent(id, undefined)
  const { position, nonce } = parsed
  const row = await sql.get<RequeuedEvent>(
    'select id, environment, subject, payload_removed_at from events where id = :position and nonce = :nonce',
    { position, nonce },
  )
  return knownEvent(id, row)
}

/** Ends deliveries that are too old. Only unclaimed ones. */
export async function exhaustDeliveries(
  { firstWaitMs }: WriterParts,
  { sql, ...transaction }: Transaction,
  destinationId: number,
  dueBefore: number,
  limit: number,
  now: number,
): Promise<Exhausted> {
  await transaction.head()
  const destination = (await transaction.destinations()).find(({ id }) => id === destinationId)
  const ended = { count: 0, holding: 0 }
  // A released delivery may be too old itself.
  for (let isAnyReleased = true; isAnyReleased && ended.count < limit; ) {
    isAnyReleased = false
    const heads = await sql.all<{ id: number; order_key: number | null }>(
      `update deliveries set state = 'exhausted', reason = '${FORWARDING_TEXTS.too_old}', ended_at = at_ms(:now), next_attempt_at = null
      where id in (
        select id from deliveries
        where destination_id = :destinationId and state = 'pending' and claimed_by is null and next_attempt_at < at_ms(:dueBefore) limit :limit)
      returning id, order_key`,
      { destinationId, dueBefore, limit: limit - ended.count, now },
    )
    ended.count += heads.length
    const ordered = heads.flatMap(({ id, order_key: orderKey }) =>
      orderKey === null ? [] : [{ id, destinationId, orderKey, isHead: true, now }],
    )
    if (destination?.onExhausted === 'hold') ended.holding += ordered.length
    else {
      await releaseAll(sql, ordered, firstWaitMs)
      isAnyReleased = ordered.length > 0
    }
  }
  return ended
}

/** Ends deliveries of a removed destination. Returns how many; fewer than the limit: it was the last call. */
export async function cancelDeliveries(
  _parts: unknown,
  { sql }: Transaction,
  destinationId: number,
  limit: number,
  now: number,
): Promise<number> {
  // Blocked deliveries first, then pending ones: after a crash in between, every order key still has a head. An attempt whose outcome is not
  // recorded yet keeps its claim.
  const canceled = await sql.run(
    `update deliveries set state = 'canceled', reason = '${FORWARDING_TEXTS.destination_removed}', ended_at = at_ms(:now), next_attempt_at = null,
      order_key = null
    where id in (
      select id from deliveries where destination_id = :destinationId and state in ('pending', 'blocked') order by state = 'pending' limit :limit)`,
    { destinationId, limit, now },
  )
  if (canceled < limit) {
    // If the destination comes back, exhausted deliveries must not block new ones.
    await sql.run(
      `update deliveries set order_key = null where destination_id = :destinationId and order_key is not null and state = 'exhausted'`,
      { destinationId },
    )
    await sql.run(
      `update destinations set is_settled = true where id = :destinationId and state in ('retired', 'deleted')`,
      { destinationId },
    )
    await removeUnused(sql, destinationId, 'deleted')
  }
  return canceled
}

/** Removes the row of a destination to which nothing refers. */
export async function removeUnused(sql: Sql, id: number, what: 'deleted' | 'route'): Promise<void> {
  const unused = `id = :id and ${what === 'deleted' ? 'state' : 'origin'} = :what
    and not exists (select from deliveries d where d.destination_id = :id) and not exists (select from replays r where r.destination_id = :id)`
  await sql.run(
    `delete from destination_certificates where destination_id in (select id from destinations where ${unused})`,
    {
      id,
      what,
    },
  )
  await sql.run(`delete from destinations where ${unused}`, { id, what })
}
