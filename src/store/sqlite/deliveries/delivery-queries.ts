import type { AttemptRecord, Backlog, DeliveryFilter, DeliveryRecord } from '../../../domain/delivery.ts'
import type { DeliveryRow } from '../../rows/delivery-row.ts'
import { deliveryOfRow } from '../../rows/delivery-row.ts'
import { CHOSEN, isAnyOf } from '../../rules/delivery-choices.ts'
import { allCandidates } from '../blocks/subject-index.ts'
import type { Connection } from '../database/connection.ts'
import { deliveriesOf, pendingDeliveries } from '../rows/delivery-rows.ts'
import { FIRST_ATTEMPT } from './first-attempt.ts'

/** Finds the ids first, by an index where one applies, and reads only a page of rows in full. */
export function listDeliveries(db: Connection, filter: DeliveryFilter, limit: number): DeliveryRecord[] {
  const { newestFirst = false, subject, positions, ...values } = filter
  const direction = newestFirst ? 'desc' : 'asc'
  return db
    .prepare<Record<string, unknown>, DeliveryRow>(`
      select d.*, e.id as position, e.nonce, e.kind, e.environment, e.subject, t.name as destination_name, t.state as destination_state, t.circuit_opened_at,
        coalesce((select a.answer from attempts a where a.delivery_id = d.id order by a.id desc limit 1), d.first_answer) as last_answer
      from (select d.id from ${sourceOf(filter)} where ${conditionsOf(filter).join(' and ')} order by d.id ${direction} limit :limit) found
      cross join deliveries d on d.id = found.id join events e on e.id = d.event_id join destinations t on t.id = d.destination_id
      order by d.id ${direction}`)
    .all({
      after: 0,
      ...values,
      ...(positions !== undefined && { positions: JSON.stringify(positions) }),
      ...(subject !== undefined && { subject, candidates: JSON.stringify(allCandidates(db, subject)) }),
      limit,
    })
    .map(deliveryOfRow)
}

function conditionsOf(filter: DeliveryFilter): string[] {
  const { state, destinationId, position, subject, before, createdFrom, createdTo } = filter
  const conditions = ['d.id > :after']
  // SQLite uses a partial index only if its condition is repeated word for word.
  if (state !== undefined) conditions.push(isAnyOf([state], 'd'))
  if (destinationId !== undefined) conditions.push('d.destination_id = :destinationId')
  if (createdFrom !== undefined) conditions.push('d.created_at >= :createdFrom')
  if (createdTo !== undefined) conditions.push('d.created_at < :createdTo')
  if (before !== undefined) conditions.push('d.id < :before')
  if (position !== undefined) conditions.push('d.event_id = :position')
  if (subject !== undefined) conditions.push('e.subject = :subject')
  return conditions
}

/** The planner does not know that few deliveries wait compared with all delivered ones. */
function sourceOf({ state, position, positions, subject, destinationId }: DeliveryFilter): string {
  if (positions !== undefined) return deliveriesOf('json_each(:positions)')
  if (subject !== undefined) return `${deliveriesOf('json_each(:candidates)')} cross join events e on e.id = d.event_id`
  if (position !== undefined) return deliveriesOf('(select :position as value)')
  const rest = destinationId === undefined ? '' : 'and destination_id = :destinationId'
  if (state === 'pending' || state === 'failing') return `${pendingDeliveries('*', rest)} d`
  if (state === 'waiting')
    return `(select * from ${pendingDeliveries('*', rest)} union all
      select * from deliveries indexed by deliveries_order where ${CHOSEN.blocked.join(' and ')} ${rest}) d`
  if (state === 'blocked') return 'deliveries d indexed by deliveries_order'
  if (state === 'exhausted' || state === 'canceled') return 'deliveries d indexed by deliveries_failed'
  return 'deliveries d not indexed'
}

export function listAttempts(db: Connection, deliveryId: number, limit: number): AttemptRecord[] {
  return db
    .prepare<{ deliveryId: number; limit: number }, AttemptRecord>(`
      select delivery_id as deliveryId, attempt, started_at as startedAt, duration_ms as durationMs, status, error, answer
      from (
        select * from (
          select delivery_id, attempt, started_at, duration_ms, status, error, answer
          from attempts where delivery_id = :deliveryId order by id desc limit :limit)
        union all ${FIRST_ATTEMPT} where d.id = :deliveryId and d.first_started_at is not null)
      order by attempt`)
    .all({ deliveryId, limit })
    .map((row) => ({ ...row, answer: row.answer ?? new Uint8Array() }))
}

/** Counts walk an index. The oldest delivery has the smallest id. */
export function countBacklog(db: Connection): Backlog[] {
  return db
    .prepare<[], Backlog>(`
      with unfinished as (
        select * from ${pendingDeliveries('destination_id, count(*) as waiting, 0 as blocked, min(id) as oldest', 'group by destination_id')}
        union all
        select destination_id, 0, count(*), min(id)
        from deliveries indexed by deliveries_order where order_key is not null and state = 'blocked' group by destination_id
      ),
      counted as (
        select destination_id, sum(waiting) as waiting, sum(blocked) as blocked, min(oldest) as oldest from unfinished group by destination_id
      )
      select c.destination_id as destinationId, c.waiting, c.blocked, e.received_at as oldestAt
      from counted c join deliveries d on d.id = c.oldest join events e on e.id = d.event_id`)
    .all()
}
