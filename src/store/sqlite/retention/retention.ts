import type { Removal, Removed, RemovedThrough } from '../../../domain/retention.ts'
import type { AuditChain } from '../audit/audit-chain.ts'
import { createSubjectRemoval } from '../blocks/subject-writer.ts'
import type { Connection } from '../database/connection.ts'
import { deliveriesOf } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import { createAnnouncements } from '../rows/removals.ts'
import { positionsOfCallbacks } from '../rows/rows.ts'
import type { SearchWriter } from '../search/search-writer.ts'
import { IS_KEPT, OWN_BODY_BYTES, reachOf } from './removal-queries.ts'

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
  function releaseExhausted(events: string, now: number): number[] {
    const holding = statements.holding.all({ events })
    for (const delivery of holding) orderKeys.release({ ...delivery, isHead: true }, now)
    return [...new Set(holding.map(({ destinationId }) => destinationId))]
  }

  function removeRows(ids: string, positions: readonly number[], now: number): void {
    announcements.announceAfter(reachOf(db, positions), now)
    auditChain.keepLinks(positions)
    const events = JSON.stringify(positions)
    for (const statement of rowStatements.ofEvents) statement.run({ events })
    for (const statement of rowStatements.ofCallbacks) statement.run({ ids })
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
      const positions = positionsOfCallbacks(db, callbackIds)
      const events = JSON.stringify(positions)
      const bytes = statements.bodyBytes.get({ ids }) ?? 0
      search.remove(positions)
      const destinationIds = releaseExhausted(events, now)
      if (part === 'payload') {
        for (const statement of payloadStatements.ofEvents) statement.run({ events, now })
        for (const statement of payloadStatements.ofCallbacks) statement.run({ ids, now })
      } else removeRows(ids, positions, now)
      const tookMs = performance.now() - startedAt
      return { callbacks: callbackIds.length, events: positions.length, bytes, destinationIds, tookMs }
    },
  }
}

const OF_EVENTS = 'in (select value from json_each(:events))'
const OF_CALLBACKS = 'in (select value from json_each(:ids))'
/** Deliveries `d` of these events. */
const DELIVERIES = deliveriesOf('json_each(:events)')

function prepareStatements(db: Connection) {
  return {
    removable: db
      .prepare<object, number>(`
        select c.id from json_each(:ids) j cross join callbacks c on c.id = j.value
        where (c.payload_removed_at is not null) = :isPayloadRemoved and not ${IS_KEPT}`)
      .pluck(),
    bodyBytes: db
      .prepare<{ ids: string }, number | null>(
        `select sum(length(c.body) + ${OWN_BODY_BYTES}) from json_each(:ids) j cross join callbacks c on c.id = j.value`,
      )
      .pluck(),
    holding: db.prepare<{ events: string }, HoldingRow>(`
        select d.id, d.destination_id as destinationId, d.order_key as orderKey from ${DELIVERIES}
        where d.state = 'exhausted' and d.order_key is not null`),
  }
}

/** Response bodies, too: they may repeat the request. */
function preparePayloadStatements(db: Connection) {
  return {
    ofEvents: [
      `update attempts set answer = null where delivery_id in (select d.id from ${DELIVERIES}) and answer is not null`,
      `update deliveries set first_answer = null where id in (select d.id from ${DELIVERIES} where d.first_answer is not null)`,
      `update events set payload_removed_at = :now where id ${OF_EVENTS} and payload_removed_at is null`,
      `update event_bodies set body = x'' where source = 'resolved' and event_id ${OF_EVENTS}`,
    ].map((sql) => db.prepare<{ events: string; now: number }>(sql)),
    ofCallbacks: [
      `update quarantine set state = 'discarded', decided_at = :now, decided_by = 'retention'
       where callback_id ${OF_CALLBACKS} and state = 'quarantined'`,
      `update quarantine set payload_removed_at = :now where callback_id ${OF_CALLBACKS} and payload_removed_at is null`,
      `delete from repeats where callback_id ${OF_CALLBACKS}`,
      `update callbacks set body = x'', payload_removed_at = :now where id ${OF_CALLBACKS}`,
    ].map((sql) => db.prepare<{ ids: string; now: number }>(sql)),
  }
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
  return {
    ofEvents: [
      `delete from attempts where delivery_id in (select d.id from ${DELIVERIES})`,
      `delete from deliveries where id in (select d.id from ${DELIVERIES})`,
      // A fact of another callback may refer to one of these events.
      `update quarantine set event_id = null where event_id ${OF_EVENTS}`,
      `delete from event_bodies where event_id ${OF_EVENTS}`,
      `delete from reconciled_facts where event_id ${OF_EVENTS}`,
      `delete from events where id ${OF_EVENTS}`,
    ].map((sql) => db.prepare<{ events: string }>(sql)),
    ofCallbacks: [
      `delete from quarantine where callback_id ${OF_CALLBACKS}`,
      `update notification_tokens set callback_id = null where callback_id ${OF_CALLBACKS}`,
      `delete from callbacks where id ${OF_CALLBACKS}`,
    ].map((sql) => db.prepare<{ ids: string }>(sql)),
  }
}
