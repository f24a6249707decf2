/**
 * A redaction blanks a fact in its body (`{}` and spaces), so that other facts keep their places and hashes; with the
 * last fact the body goes. The own bodies of resolved events are emptied. `repeats` leads to the bytes of a fact in callbacks that were stored for other facts. Free
 * pages are overwritten (`secure_delete`), and the WAL is truncated afterwards.
 */

import type { DeliveryState } from '../../../domain/delivery.ts'
import type { EventSource } from '../../../domain/event.ts'
import { FORWARDING_TEXTS } from '../../../domain/forwarding/forwarding-texts.ts'
import type { Redacted, RedactionStep } from '../../../domain/retention.ts'
import { type SpanRow, spanOfRow } from '../../rows/span-row.ts'
import type { Place } from '../../rules/blanked-body.ts'
import { blankedBody } from '../../rules/blanked-body.ts'
import { inRealm } from '../../rules/realm-conditions.ts'
import type { Connection } from '../database/connection.ts'
import { deliveriesOf } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import { existsEvent, IS_AWAITED } from '../rows/rows.ts'
import type { SearchRemoval } from '../search/search-change.ts'
import type { SearchWriter } from '../search/search-writer.ts'

/** Inside the transaction. */
export type Redact = (step: RedactionStep, now: number, removal?: SearchRemoval) => Redacted

interface PayloadRow extends SpanRow {
  readonly id: number
  readonly callback_id: number
}

interface EventRow extends PayloadRow {
  readonly source: EventSource | null
}

interface QuarantineRow extends PayloadRow {
  /** The event that its release created; null: it was not released, or is a duplicate of another event. */
  readonly own_event: number | null
}

interface DeliveryRow {
  readonly id: number
  readonly destination_id: number
  readonly state: DeliveryState
  readonly order_key: number | null
}

interface RepeatRow {
  readonly callback_id: number
  readonly item_start: number
  readonly item_end: number
}

export function createRedaction(db: Connection, orderKeys: OrderKeys, search: Pick<SearchWriter, 'remove'>): Redact {
  const statements = prepareStatements(db)

  /** Blocked deliveries first: a release then never makes a delivery due that is canceled next. */
  function cancelDeliveries(positions: readonly number[], now: number): DeliveryRow[] {
    const deliveries = statements.unfinished.all({ positions: JSON.stringify(positions) })
    for (const { id, destination_id: destinationId, state, order_key: orderKey } of deliveries) {
      if (state !== 'exhausted') statements.cancel.run({ id, now })
      if (orderKey !== null) orderKeys.release({ id, destinationId, orderKey, isHead: state !== 'blocked' }, now)
    }
    return deliveries
  }

  /** Other facts of the callback keep their places and bytes. @param places of facts whose bytes are in its body; none: it stays as it is */
  function blankBody(callbackId: number, places: readonly Place[], now: number): void {
    if (statements.hasPayload.get({ callbackId }) === undefined) {
      statements.dropRepeats.run(callbackId)
      statements.removeBody.run({ callbackId, now })
      return
    }
    if (places.length === 0) return
    const body = blankedBody(statements.body.get(callbackId) ?? Buffer.alloc(0), places)
    statements.setBody.run({ callbackId, body, now })
  }

  return function redact({ subject, institution, environment, positions: found, quarantineIds }, now, removal) {
    const quarantined = statements.quarantined.all(JSON.stringify(quarantineIds))
    const released = quarantined.map(({ own_event: position }) => position).filter((position) => position !== null)
    // Newest first: a release then never makes a delivery due that is canceled next.
    const positions = [...new Set([...found, ...released])].sort((a, b) => b - a)
    const deliveries = cancelDeliveries(positions, now)
    const events = statements.events.all(JSON.stringify(positions))
    const ids = JSON.stringify(events.map(({ id }) => id))
    search.remove(positions, removal)
    statements.clearResponseBodies.run({ positions: ids })
    statements.clearFirstAnswers.run({ positions: ids })
    statements.markEvents.run({ ids, now })
    statements.emptyOwnBodies.run({ ids })
    statements.discard.run({ ids: JSON.stringify(quarantineIds), now })
    statements.markQuarantined.run({ ids: JSON.stringify(quarantineIds), now })
    for (const forget of statements.forget) forget.run({ subject, institution, environment })
    const repeats = statements.takeRepeats.all({ subject, institution, environment })
    const places: Place[] = [
      ...events.map((row) => ({ callbackId: row.callback_id, source: row.source, span: spanOfRow(row) })),
      ...quarantined.map((row) => ({ callbackId: row.callback_id, source: null, span: spanOfRow(row) })),
      ...repeats.map((row) => ({
        callbackId: row.callback_id,
        source: null,
        span: { itemStart: row.item_start, itemEnd: row.item_end },
      })),
    ]
    for (const [callbackId, all] of Map.groupBy(places, (place) => place.callbackId))
      blankBody(
        callbackId,
        all.filter(({ source }) => source !== 'resolved'),
        now,
      )
    return {
      events: events.length,
      quarantined: quarantined.length,
      deliveryIds: deliveries.filter(({ state }) => state !== 'exhausted').map(({ id }) => id),
      destinationIds: [...new Set(deliveries.map((row) => row.destination_id))],
    }
  }
}

/** Each of them rewrites a body. The caller repeats the step as long as there are more. */
const REPEATS_AT_ONCE = 50

const OF_IDS = 'in (select value from json_each(:ids))'

function prepareStatements(db: Connection) {
  const columns = 'id, callback_id, array_start, array_end, item_start, item_end'
  return {
    events: db.prepare<[string], EventRow>(`
      select ${columns}, (select b.source from event_bodies b where b.event_id = events.id) as source
      from events where id in (select value from json_each(?)) and payload_removed_at is null`),
    quarantined: db.prepare<[string], QuarantineRow>(`
      select ${columns}, (select e.id from events e where e.id = q.event_id and e.callback_id = q.callback_id) as own_event
      from quarantine q where id in (select value from json_each(?)) and payload_removed_at is null`),
    // Blocked deliveries first. An exhausted delivery that blocks its subject can never be sent again.
    unfinished: db.prepare<{ positions: string }, DeliveryRow>(`
      select d.id, d.destination_id, d.state, d.order_key
      from ${deliveriesOf('json_each(:positions)')}
      where d.state in ('pending', 'blocked') or (d.state = 'exhausted' and d.order_key is not null)
      order by d.state <> 'blocked', d.event_id desc`),
    cancel: db.prepare(`
      update deliveries set state = 'canceled', reason = '${FORWARDING_TEXTS.redacted}', ended_at = :now, next_attempt_at = null where id = :id`),
    clearResponseBodies: db.prepare<{ positions: string }>(`
      update attempts set answer = null where answer is not null and delivery_id in (
        select d.id from ${deliveriesOf('json_each(:positions)')})`),
    clearFirstAnswers: db.prepare<{ positions: string }>(`
      update deliveries set first_answer = null where id in (
        select d.id from ${deliveriesOf('json_each(:positions)')} where d.first_answer is not null)`),
    markEvents: db.prepare(`update events set payload_removed_at = :now where id ${OF_IDS}`),
    emptyOwnBodies: db.prepare(`update event_bodies set body = x'' where source = 'resolved' and event_id ${OF_IDS}`),
    discard: db.prepare(`
      update quarantine set state = 'discarded', decided_at = :now, decided_by = 'redaction' where id ${OF_IDS} and state = 'quarantined'`),
    markQuarantined: db.prepare(
      `update quarantine set payload_removed_at = :now where id ${OF_IDS} and payload_removed_at is null`,
    ),
    takeRepeats: db.prepare<object, RepeatRow>(`
      delete from repeats where (callback_id, item_start) in (
        select callback_id, item_start from repeats
        where subject = :subject and ${inRealm('environment')} limit ${REPEATS_AT_ONCE})
      returning callback_id, item_start, item_end`),
    hasPayload: db.prepare(`
      select 1 from callbacks c where c.id = :callbackId and ${existsEvent('e.payload_removed_at is null')}
      union all select 1 from quarantine where callback_id = :callbackId and payload_removed_at is null
      union all select 1 from callbacks c where c.id = :callbackId and ${IS_AWAITED} limit 1`),
    forget: ['known_subjects', 'reconciled_facts'].map((table) =>
      db.prepare(`delete from ${table} where subject = :subject and ${inRealm('environment')}`),
    ),
    dropRepeats: db.prepare('delete from repeats where callback_id = ?'),
    removeBody: db.prepare(`update callbacks set body = x'', payload_removed_at = :now where id = :callbackId`),
    body: db.prepare<[number], Buffer>('select body from callbacks where id = ?').pluck(),
    setBody: db.prepare('update callbacks set body = :body, redacted_at = :now where id = :callbackId'),
  }
}
