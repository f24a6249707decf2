import type { DeliveryState } from '../../domain/delivery.ts'
import type { EventSource } from '../../domain/event.ts'
import { FORWARDING_TEXTS } from '../../domain/forwarding/forwarding-texts.ts'
import type { Redacted, RedactionSearch, RedactionStep, SubjectFinds } from '../../domain/retention.ts'
import { type SpanRow, spanOfRow } from '../rows/span-row.ts'
import { blankedBody, type Place } from '../rules/blanked-body.ts'
import { inEnvironment, ofInstitution } from '../rules/realm-conditions.ts'
import type { Sql } from './database/sql.ts'
import { releaseAll } from './deliveries/order-keys.ts'
import { removeTerms } from './search/search-index.ts'
import type { Transaction } from './writing/transaction.ts'
import type { WriterParts } from './writing/writer-parts.ts'

const IS_MEANT = `subject = :subject and (:environment::text is null or ${inEnvironment('environment')})
  and (:institution::text is null or ${ofInstitution('environment')})`

/** What still holds data of a subject, the newest events first. */
export async function findSubject(sql: Sql, search: RedactionSearch, limit: number): Promise<SubjectFinds> {
  const values = { subject: search.subject, institution: search.institution, environment: search.environment, limit }
  const left = `${IS_MEANT} and payload_removed_at is null`
  const events = await sql.all<{ id: number }>(
    `select id from events where ${left} order by id desc limit :limit`,
    values,
  )
  const held = await sql.all<{ id: number }>(`select id from quarantine where ${left} limit :limit`, values)
  const repeat = await sql.get(`select 1 from repeats where ${IS_MEANT} limit 1`, values)
  const known = await sql.get(`select 1 from known_subjects where ${IS_MEANT} limit 1`, values)
  return {
    positions: events.map(({ id }) => id),
    quarantineIds: held.map(({ id }) => id),
    hasRepeats: repeat !== undefined || known !== undefined,
  }
}

interface PayloadRow extends SpanRow {
  readonly id: number
  readonly callback_id: number
}

interface DeliveryRow {
  readonly id: number
  readonly destination_id: number
  readonly state: DeliveryState
  readonly order_key: number | null
}

/** Each of them rewrites a body. The caller repeats the step as long as there are more. */
const REPEATS_AT_ONCE = 50

const COLUMNS = 'id, callback_id, array_start, array_end, item_start, item_end'

export async function redact(
  { firstWaitMs }: WriterParts,
  transaction: Transaction,
  step: RedactionStep,
  now: number,
): Promise<Redacted> {
  await transaction.head()
  const { sql } = transaction
  const { quarantineIds, positions: found } = step
  // A released fact has an event of its own, unless it is a duplicate of another one.
  const quarantined = await sql.all<PayloadRow & { own_event: number | null }>(
    `select ${COLUMNS}, (select e.id from events e where e.id = q.event_id and e.callback_id = q.callback_id) as own_event
    from quarantine q where id = any(:quarantineIds::bigint[]) and payload_removed_at is null`,
    { quarantineIds },
  )
  const positions = [...found, ...quarantined.flatMap(({ own_event: position }) => position ?? [])]
  const deliveries = await cancelDeliveries(sql, positions, { now, firstWaitMs })
  const events = await sql.all<PayloadRow & { source: EventSource | null }>(
    `select ${COLUMNS}, source from events where id = any(:positions::bigint[]) and payload_removed_at is null`,
    { positions },
  )
  await removeData(sql, { positions: events.map(({ id }) => id), quarantineIds, now })
  await forgetSubject(sql, step)
  const repeats = await takeRepeats(sql, step)
  const places: Place[] = [
    ...events.map((row) => ({ callbackId: row.callback_id, source: row.source, span: spanOfRow(row) })),
    ...quarantined.map((row) => ({ callbackId: row.callback_id, source: null, span: spanOfRow(row) })),
    ...repeats.map(({ callbackId, ...span }) => ({ callbackId, source: null, span })),
  ]
  for (const [callbackId, all] of Map.groupBy(places, (place) => place.callbackId)) {
    const inBody = all.filter(({ source }) => source !== 'resolved')
    await blankBody(sql, callbackId, inBody, now)
  }
  return {
    events: events.length,
    quarantined: quarantined.length,
    deliveryIds: deliveries.filter(({ state }) => state !== 'exhausted').map(({ id }) => id),
    destinationIds: [...new Set(deliveries.map((row) => row.destination_id))],
  }
}

async function cancelDeliveries(
  sql: Sql,
  positions: readonly number[],
  { now, firstWaitMs }: { readonly now: number; readonly firstWaitMs: number },
): Promise<DeliveryRow[]> {
  // An exhausted delivery that blocks its subject can never be sent again.
  const deliveries = await sql.all<DeliveryRow>(
    `select id, destination_id, state, order_key from deliveries
    where event_id = any(:positions::bigint[]) and (state in ('pending', 'blocked') or (state = 'exhausted' and order_key is not null))
    order by event_id desc`,
    { positions },
  )
  await sql.run(
    `update deliveries set state = 'canceled', reason = '${FORWARDING_TEXTS.redacted}', ended_at = at_ms(:now), next_attempt_at = null
    where id = any(:ids::bigint[])`,
    { ids: deliveries.filter(({ state }) => state !== 'exhausted').map(({ id }) => id), now },
  )
  const ended = deliveries.flatMap(({ id, destination_id: destinationId, state, order_key: orderKey }) =>
    orderKey === null ? [] : [{ id, destinationId, orderKey, isHead: state !== 'blocked', now }],
  )
  await releaseAll(sql, ended, firstWaitMs)
  return deliveries
}

interface RemovedData {
  readonly positions: readonly number[]
  readonly quarantineIds: readonly number[]
  readonly now: number
}

async function removeData(sql: Sql, removed: RemovedData): Promise<void> {
  const ofEvents = '= any(:positions::bigint[])'
  const ofHeld = '= any(:quarantineIds::bigint[])'
  for (const statement of [
    `update attempts set answer = null where answer is not null and delivery_id in (select id from deliveries where event_id ${ofEvents})`,
    `update events set payload_removed_at = at_ms(:now), body = case when source = 'resolved' then ''::bytea else body end where id ${ofEvents}`,
    `update quarantine set state = 'discarded', decided_at = at_ms(:now), decided_by = 'redaction' where id ${ofHeld} and state = 'quarantined'`,
    `update quarantine set payload_removed_at = at_ms(:now) where id ${ofHeld} and payload_removed_at is null`,
  ])
    await sql.run(statement, { ...removed })
  await removeTerms(sql, removed.positions)
}

async function forgetSubject(sql: Sql, { subject, institution, environment }: RedactionSearch): Promise<void> {
  for (const table of ['known_subjects', 'reconciled_facts'])
    await sql.run(`delete from ${table} where ${IS_MEANT}`, { subject, institution, environment })
}

function takeRepeats(sql: Sql, { subject, institution, environment }: RedactionSearch) {
  return sql.all<{ callbackId: number; itemStart: number; itemEnd: number }>(
    `delete from repeats where (callback_id, item_start) in (
      select callback_id, item_start from repeats where ${IS_MEANT} limit ${REPEATS_AT_ONCE})
    returning callback_id as "callbackId", item_start as "itemStart", item_end as "itemEnd"`,
    { subject, institution, environment },
  )
}

/** @param places of facts whose bytes are in its body; none: it stays as it is */
async function blankBody(sql: Sql, callbackId: number, places: readonly Place[], now: number): Promise<void> {
  const payload = await sql.get(
    `select 1 from events where callback_id = :callbackId and payload_removed_at is null
    union all select 1 from quarantine where callback_id = :callbackId and payload_removed_at is null
    union all select 1 from notification_tokens where callback_id = :callbackId and next_attempt_at is not null limit 1`,
    { callbackId },
  )
  if (payload === undefined) {
    await sql.run('delete from repeats where callback_id = :callbackId', { callbackId })
    await sql.run(`update callbacks set body = '', payload_removed_at = at_ms(:now) where callback_id = :callbackId`, {
      callbackId,
      now,
    })
  } else if (places.length > 0) {
    const row = await sql.get<{ body: Buffer }>('select body from callbacks where callback_id = :callbackId', {
      callbackId,
    })
    const body = blankedBody(row?.body ?? Buffer.alloc(0), places)
    await sql.run('update callbacks set body = :body, redacted_at = at_ms(:now) where callback_id = :callbackId', {
      callbackId,
      body,
      now,
    })
  }
}
