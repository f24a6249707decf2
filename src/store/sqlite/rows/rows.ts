import { type PayloadRow, payloadOfRow, readOncePerCallback } from '../../rows/payload-row.ts'
import type { Connection } from '../database/connection.ts'
import { oncePerConnection } from '../database/prepared.ts'

/** Of an event with its callback `c` and its own body `b` (event_bodies). */
export const AUTHENTICATION = `iif(b.source = 'resolved', 'service', c.authentication)`
export const CONTENT_TYPE = `iif(b.source = 'resolved', 'application/json', c.content_type)`
/** The body of a row; null: a part of the body of its callback, for `createPayloads`. */
export const BODY = 'iif(e.array_start is null, coalesce(b.body, c.body), null)'

const bodyOfCallback = oncePerConnection((db) =>
  db.prepare<[number], Buffer>('select body from callbacks where id = ?').pluck(),
)

/** Reads the bytes of the events of one list, in one transaction. */
export function createPayloads(db: Connection): (row: PayloadRow) => Uint8Array {
  const bodyOf = readOncePerCallback((id) => bodyOfCallback(db).get(id) as Buffer)
  return (row) => payloadOfRow(row, bodyOf)
}

/** The events `e` of a callback `c` that has none in `event_id`, or several. */
export const EVENTS_OF_CALLBACK =
  '(select * from events e indexed by events_callback where e.callback_id = c.id and e.is_single is null) e'

/** Whether a callback `c` has an event `e` with this condition. */
export function existsEvent(condition: string): string {
  return `(exists (select 1 from events e where e.id = c.event_id and ${condition})
    or exists (select 1 from events e indexed by events_callback where e.callback_id = c.id and e.is_single is null and ${condition}))`
}

/** The positions of the events of these callbacks, in order. */
export function positionsOfCallbacks(db: Connection, callbackIds: readonly number[]): number[] {
  return db
    .prepare<{ ids: string }, number>(`
      select e.id from json_each(:ids) j cross join events e indexed by events_callback on e.callback_id = j.value and e.is_single is null
      union all
      select c.event_id from json_each(:ids) j cross join callbacks c on c.id = j.value where c.event_id is not null
      order by 1`)
    .pluck()
    .all({ ids: JSON.stringify(callbackIds) })
}

/** Of a callback `c`: the job of its token waits. */
export const IS_AWAITED = `
  exists (select 1 from notification_tokens t where t.callback_id = c.id and t.next_attempt_at is not null)`
