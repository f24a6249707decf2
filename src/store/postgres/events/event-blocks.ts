import type { NewEventRow } from '../../storing/event-rows.ts'
import { columnsOf, type Insert, type Sql } from '../database/sql.ts'

/** Positions of one block differ only in their last ten bits. */
const BITS = 10

/** The block of the position `id`. */
export const BLOCK = `id >> ${BITS}`
/** The position `id` is in the block `b`. */
export const IN_BLOCK = `id between b.block << ${BITS} and (b.block + 1 << ${BITS}) - 1`

const COLUMNS = columnsOf('block:bigint kind:text earliest:time latest:time')

/** What their blocks have to say of new events. */
export function blocksOf(events: readonly NewEventRow[]): Insert {
  const groups = Map.groupBy(events, ({ position, fact }) => `${blockOf(position)} ${fact.kind}`)
  const rows = [...groups.values()].map((group) => {
    const [{ position, fact }] = group as [NewEventRow]
    const times = group.map(({ receivedAt }) => receivedAt)
    return [blockOf(position), fact.kind, Math.min(...times), Math.max(...times)]
  })
  return {
    table: 'event_blocks',
    columns: COLUMNS,
    rows,
    conflict: `on conflict (block, kind) do update set
      earliest = least(event_blocks.earliest, excluded.earliest), latest = greatest(event_blocks.latest, excluded.latest)`,
  }
}

function blockOf(position: number): number {
  return Math.floor(position / 2 ** BITS)
}

/** The blocks `b` that may hold positions from `:from` to `:to` that meet the conditions. */
export function blocksWith(conditions: readonly string[], order: 'asc' | 'desc' = 'asc'): string {
  const where = [`block between :from::bigint >> ${BITS} and :to::bigint >> ${BITS}`, ...conditions]
  return `(select block from event_blocks where ${where.join(' and ')} group by block order by block ${order}) b`
}

/** Of blocks in front of the oldest event. */
export async function dropBlocks(sql: Sql): Promise<void> {
  await sql.run(`delete from event_blocks where block < (select min(id) from events) >> ${BITS}`)
}

/** Of events that were copied. */
export async function makeBlocks(sql: Sql): Promise<void> {
  await sql.run(
    `insert into event_blocks (block, kind, earliest, latest)
    select ${BLOCK}, kind, min(received_at), max(received_at) from events group by 1, 2 on conflict do nothing`,
  )
}
