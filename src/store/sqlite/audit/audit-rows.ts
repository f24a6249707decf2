import { ENCODING, type HashedValues } from '../../../domain/event-hash.ts'
import type { Connection } from '../database/connection.ts'
import { AUTHENTICATION, CONTENT_TYPE } from '../rows/rows.ts'

/** The hashed fields of an event `e`, its own body `b`, its callback `c` and the callback's peer `p`, in the order of HASHED_FIELDS. */
export const HASHED_COLUMNS = `
  '${ENCODING}', e.id, e.nonce, e.kind, e.environment, e.received_at, e.subject, e.status, e.part, e.parts,
  e.array_start, e.array_end, e.item_start, e.item_end, iif(e.fact_hash is null, null, lower(hex(e.fact_hash))), lower(hex(e.payload_hash)),
  c.kind, c.listener, ${AUTHENTICATION}, p.fingerprint, c.remote_address, c.target, c.tls_version, c.cipher, ${CONTENT_TYPE}, c.headers,
  c.mark`

/** The hashed fields of the events that exist at these positions. */
export function hashedRows(
  db: Connection,
  positions: readonly number[],
): { readonly position: number; readonly values: HashedValues }[] {
  return db
    .prepare<[string], HashedValues>(`
      select ${HASHED_COLUMNS}
      from events e join callbacks c on c.id = e.callback_id left join peers p on p.id = c.peer_id left join event_bodies b on b.event_id = e.id
      where e.id in (select value from json_each(?))`)
    .raw()
    .all(JSON.stringify(positions))
    .map((values) => ({ position: values[1] as number, values }))
}
