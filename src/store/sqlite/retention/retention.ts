import type { Removal, Removed, RemovedThrough } from '../../../domain/retention.ts'
import type { AuditChain } from '../audit/audit-chain.ts'
import type { Connection } from '../database/connection.ts'
import type { OrderKeys } from '../deliveries/order-keys.ts'
import type { SearchWriter } from '../search/search-writer.ts'
import { createSubjectRemoval } from '../subjects/subject-writer.ts'
import { IS_KEPT, OWN_BODY_BYTES, reachOf } from './removal-queries.ts'
import { createAnnouncements } from './removals.ts'

/** Of the index of subjects, which has one row for 512 events or more. */
const SUBJECT_ROWS_AT_ONCE = 16

/** Removes data that is old enough. Inside the transaction. */
export interface RetentionSteps {
  announce(reach: readonly RemovedThrough[], now: number): void
  removeAged(removal: Removal, now: number): Removed
}

interface HoldingRow {
  readonly id: number
  readonly destinationId: number
  readonly orderKey: number
}

export function createRetention(
  db: Connection,
  parts: { orderKeys: OrderKeys; auditChain: AuditChain; search: Pick<SearchWriter, 'remove'> },
): RetentionSteps {
  const { orderKeys, auditChain, search } = parts
  const announcements = createAnnouncements(db)
  const statements = prepareStatements(db)
  const payloadStatements = preparePayloadStatements(db)
  const rowStatements = prepareRowStatements(db)
  const unreferredStatements = prepareUnreferredStatements(db)
  const removeSubjects = createSubjectRemoval(db)

  /** A delivery without data can never be sent, so it must not block its subject. Returns the destinations with newly due deliveries. */
  function releaseExhausted(ids: string, now: number): number[] {
    const holding = statements.holding.all({ ids })
    for (const delivery of holding) orderKeys.release({ ...delivery, isHead: true }, now)
    return [...new Set(holding.map(({ destinationId }) => destinationId))]
  }

  function removeRows(ids: string, callbackIds: readonly number[], now: number): void {
    const reach = reachOf(
      db,
      callbackIds.map((callbackId) => ({ callbackId })),
    )
    announcements.announceAfter(reach, now)
    auditChain.keepLinks(statements.positions.all({ ids }))
    for (const statement of rowStatements) statement.run({ ids })
    for (const statement of unreferredStatements) statement.run()
    removeSubjects(SUBJECT_ROWS_AT_ONCE)
  }

  return {
    announce: announcements.announceBefore,

    removeAged({ part, before, callbackIds: found }, now) {
      const startedAt = performance.now()
      const isPayloadRemoved = part === 'metadata' ? 1 : 0
      const callbackIds = statements.removable.all({ ids: JSON.stringify(found), before, isPayloadRemoved })
      const ids = JSON.stringify(callbackIds)
      const events = statements.countEvents.get({ ids }) ?? 0
      const bytes = statements.bodyBytes.get({ ids }) ?? 0
      search.remove(statements.positions.all({ ids }))
      const destinationIds = releaseExhausted(ids, now)
      if (part === 'payload') for (const statement of payloadStatements) statement.run({ ids, now })
      else removeRows(ids, callbackIds, now)
      return { callbacks: callbackIds.length, events, bytes, destinationIds, tookMs: performance.now() - startedAt }
    },
  }
}

/** Events of callbacks `j`, and their deliveries. */
const EVENTS = 'json_each(:ids) j cross join events e indexed by events_callback on e.callback_id = j.value'
const DELIVERIES = `${EVENTS} cross join deliveries d indexed by deliveries_event on d.event_id = e.id`

function prepareStatements(db: Connection) {
  return {
    removable: db
      .prepare<object, number>(`
        select c.id from json_each(:ids) j cross join callbacks c on c.id = j.value
        where (c.payload_removed_at is not null) = :isPayloadRemoved and not ${IS_KEPT}`)
      .pluck(),
    countEvents: db.prepare<{ ids: string }, number>(`select count(*) from ${EVENTS}`).pluck(),
    bodyBytes: db
      .prepare<{ ids: string }, number | null>(
        `select sum(length(c.body) + ${OWN_BODY_BYTES}) from json_each(:ids) j cross join callbacks c on c.id = j.value`,
      )
      .pluck(),
    positions: db.prepare<{ ids: string }, number>(`select e.id from ${EVENTS} order by e.id`).pluck(),
    holding: db.prepare<{ ids: string }, HoldingRow>(`
        select d.id, d.destination_id as destinationId, d.order_key as orderKey from ${DELIVERIES}
        where d.state = 'exhausted' and d.order_key is not null`),
  }
}

/** Response bodies, too: they may repeat the request. */
function preparePayloadStatements(db: Connection) {
  return [
    `update attempts set answer = null where delivery_id in (select d.id from ${DELIVERIES}) and answer is not null`,
    `update deliveries set first_answer = null where id in (select d.id from ${DELIVERIES} where d.first_answer is not null)`,
    `update quarantine set state = 'discarded', decided_at = :now, decided_by = 'retention'
     where callback_id in (select value from json_each(:ids)) and state = 'quarantined'`,
    `update quarantine set payload_removed_at = :now
     where callback_id in (select value from json_each(:ids)) and payload_removed_at is null`,
    `update events set payload_removed_at = :now
     where callback_id in (select value from json_each(:ids)) and payload_removed_at is null`,
    `update event_bodies set body = x'' where source = 'resolved' and event_id in (select e.id from ${EVENTS})`,
    'delete from repeats where callback_id in (select value from json_each(:ids))',
    `update callbacks set body = x'', payload_removed_at = :now where id in (select value from json_each(:ids))`,
  ].map((sql) => db.prepare<{ ids: string; now: number }>(sql))
}

/** Deleted destinations without deliveries. */
function prepareUnreferredStatements(db: Connection) {
  const unreferred = `
    select d.id from destinations d indexed by destinations_gone
    where d.state = 'deleted' and d.deliveries_through < coalesce((select min(id) from deliveries), 9e18)
      and not exists (select 1 from replays r where r.destination_id = d.id)`
  return [
    `delete from destination_certificates where destination_id in (${unreferred})`,
    `delete from destinations where id in (${unreferred})`,
  ].map((sql) => db.prepare<[]>(sql))
}

/** In the order of the references between the tables. */
function prepareRowStatements(db: Connection) {
  return [
    `delete from attempts where delivery_id in (select d.id from ${DELIVERIES})`,
    `delete from deliveries where event_id in (select e.id from ${EVENTS})`,
    'delete from quarantine where callback_id in (select value from json_each(:ids))',
    // A fact of another callback may refer to one of these events.
    `update quarantine set event_id = null where event_id in (select e.id from ${EVENTS})`,
    `delete from event_bodies where event_id in (select e.id from ${EVENTS})`,
    'delete from events where callback_id in (select value from json_each(:ids))',
    'update notification_tokens set callback_id = null where callback_id in (select value from json_each(:ids))',
    'delete from callbacks where id in (select value from json_each(:ids))',
  ].map((sql) => db.prepare<{ ids: string }>(sql))
}
