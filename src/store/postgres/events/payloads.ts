import { type PayloadRow, payloadOfRow } from '../../rows/payload-row.ts'
import type { Sql } from '../database/sql.ts'

/** The body of a row; null: a part of the body of its callback, for `createPayloads`. */
export const BODY = 'case when e.array_start is null then coalesce(e.body, c.body) end'

/** Reads what the next rows of a list need. @returns the bytes of each of these events */
export type Payloads = (rows: readonly PayloadRow[]) => Promise<(row: PayloadRow) => Uint8Array>

/** For one list, in one transaction: the events of one callback are neighbours in it, and its body is read once for all of them. */
export function createPayloads(sql: Sql): Payloads {
  let bodies: ReadonlyMap<number, Buffer> = new Map()
  return async function payloadsOf(rows) {
    const wanted = new Set(rows.flatMap((row) => (row.body === null ? [row.callback_id] : [])))
    const ids = [...wanted].filter((id) => !bodies.has(id))
    const read =
      ids.length === 0
        ? []
        : await sql.all<{ id: number; body: Buffer }>(
            'select callback_id as id, body from callbacks where callback_id = any(:ids::bigint[])',
            {
              ids,
            },
          )
    const known = [...bodies].filter(([id]) => wanted.has(id))
    const needed = new Map([...known, ...read.map(({ id, body }) => [id, body] as const)])
    bodies = needed
    return (row) => payloadOfRow(row, (id) => needed.get(id) as Buffer)
  }
}
