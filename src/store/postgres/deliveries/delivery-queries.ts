import type {
  AttemptRecord,
  Backlog,
  DeliveryFilter,
  DeliveryRecord,
  EventDeliveries,
} from '../../../domain/delivery.ts'
import { type CountRow, countsOf } from '../../rows/delivery-counts.ts'
import { type DeliveryRow, deliveryOfRow } from '../../rows/delivery-row.ts'
import { conditionsFor } from '../../rules/conditions.ts'
import { IS_FAILING, isAnyOf } from '../../rules/delivery-choices.ts'
import { BY_INDEX } from '../database/by-index.ts'
import type { Sql, Values } from '../database/sql.ts'

const CONDITIONS = [
  ['after', 'd.id > :after'],
  ['before', 'd.id < :before'],
  ['destinationId', 'd.destination_id = :destinationId'],
  ['position', 'd.event_id = :position'],
  ['positions', 'd.event_id = any(:positions::bigint[])'],
  ['subject', 'e.subject = :subject'],
  ['createdFrom', 'd.created_at >= at_ms(:createdFrom)'],
  ['createdTo', 'd.created_at < at_ms(:createdTo)'],
] as const

export async function listDeliveries(sql: Sql, filter: DeliveryFilter, limit: number): Promise<DeliveryRecord[]> {
  const { conditions, values } = conditionsFor(filter, CONDITIONS)
  if (filter.positions !== undefined) await sql.run(BY_INDEX)
  const inState = filter.state === undefined ? [] : [isAnyOf([filter.state], 'd')]
  const rows = await sql.all<DeliveryRow>(
    `select d.*, e.id as position, e.nonce, e.kind, e.environment, e.subject, t.name as destination_name, t.state as destination_state,
      t.circuit_opened_at, (select a.answer from attempts a where a.delivery_id = d.id order by a.id desc limit 1) as last_answer
    from deliveries d join events e on e.id = d.event_id join destinations t on t.id = d.destination_id
    where ${['true', ...inState, ...conditions].join(' and ')} order by d.id ${filter.newestFirst === true ? 'desc' : 'asc'} limit :limit`,
    { ...(values as Values), limit },
  )
  return rows.map(deliveryOfRow)
}

export async function listAttempts(sql: Sql, deliveryId: number, limit: number): Promise<AttemptRecord[]> {
  const rows = await sql.all<Omit<AttemptRecord, 'answer'> & { answer: Uint8Array | null }>(
    `select * from (
      select delivery_id as "deliveryId", attempt, started_at as "startedAt", duration_ms as "durationMs", status, error, answer
      from attempts where delivery_id = :deliveryId order by id desc limit :limit) latest order by attempt`,
    { deliveryId, limit },
  )
  return rows.map((row) => ({ ...row, answer: row.answer ?? new Uint8Array() }))
}

export function countBacklog(sql: Sql): Promise<Backlog[]> {
  return sql.all<Backlog>(
    `select c.destination_id as "destinationId", c.waiting, c.blocked, e.received_at as "oldestAt"
    from (
      select destination_id, count(*) filter (where state = 'pending') as waiting, count(*) filter (where state = 'blocked') as blocked, min(id) as oldest
      from deliveries where state in ('pending', 'blocked') group by destination_id
    ) c join deliveries d on d.id = c.oldest join events e on e.id = d.event_id`,
  )
}

export async function countEventDeliveries(
  sql: Sql,
  positions: readonly number[],
  destinationIds?: readonly number[],
): Promise<EventDeliveries[]> {
  const rows = await sql.all<CountRow>(
    `select event_id as position, state, count(*) as count, count(*) filter (where ${IS_FAILING}) as failing from deliveries
    where event_id = any(:positions::bigint[]) and (:destinationIds::bigint[] is null or destination_id = any(:destinationIds::bigint[]))
    group by event_id, state`,
    { positions, destinationIds: destinationIds ?? null },
  )
  return countsOf(rows, positions)
}
