import {
  digestOf,
  type HashedCallback,
  type HashedEvent,
  type HashedValues,
  hashBehind,
  hashedValues,
  hexOf,
} from '../../../domain/event-hash.ts'
import { type SpanRow, spanOfRow } from '../../rows/span-row.ts'
import {
  type AuditPoint,
  anchorOf,
  anchorText,
  nextPosition,
  type Skipped,
  skippedOf,
} from '../../verification/audit-points.ts'
import { keepMeta, readMeta } from '../database/meta.ts'
import type { Sql } from '../database/sql.ts'
import { AUTHENTICATION, CONTENT_TYPE } from './event-columns.ts'

export type HashedRow = SpanRow &
  Omit<HashedEvent, 'span' | 'payloadHash'> & {
    readonly payload_hash: Buffer
    readonly eventKind: string
  } & HashedCallback

/** The hashed fields of an event `e`, its callback `c` and the callback's peer `p`. */
export const HASHED_COLUMNS = `
  e.id as position, e.nonce, e.kind as "eventKind", e.environment, e.received_at as "receivedAt", e.subject, e.status, e.part, e.parts,
  e.array_start, e.array_end, e.item_start, e.item_end, e.fact_hash as "factHash", e.payload_hash, c.kind, c.listener,
  ${AUTHENTICATION} as authentication, p.fingerprint as "peerFingerprint", c.remote_address as "remoteAddress", c.target,
  c.tls_version as "tlsVersion", c.cipher, ${CONTENT_TYPE} as "contentType", c.headers, c.mark`

export const HASHED_FROM =
  'from events e left join callbacks c on c.callback_id = e.callback_id left join peers p on p.id = c.peer_id'

export function valuesOf(row: HashedRow): HashedValues {
  return hashedValues({ ...row, kind: row.eventKind, span: spanOfRow(row), payloadHash: hexOf(row.payload_hash) }, row)
}

/** The hashed fields of the events that exist at these positions. */
export async function hashedRows(
  sql: Sql,
  positions: readonly number[],
): Promise<{ readonly position: number; readonly values: HashedValues }[]> {
  const rows = await sql.all<HashedRow>(
    `select ${HASHED_COLUMNS} ${HASHED_FROM} where e.id = any(:positions::bigint[]) order by e.id`,
    { positions },
  )
  return rows.map((row) => ({ position: row.position, values: valuesOf(row) }))
}

/** The point of the chain directly before a position: the last event, and the digests that retention left behind it. */
export async function readPrevious(sql: Sql, position: number): Promise<AuditPoint> {
  const last = await sql.get<AuditPoint>(
    'select id as position, hash from events where id < :position order by id desc limit 1',
    { position },
  )
  return (await linksBehind(sql, last ?? (await readAnchor(sql)), { before: position, limit: null })).at
}

const ANCHOR = 'event_anchor'

/** The point up to which retention has removed everything. */
export async function readAnchor(sql: Sql): Promise<AuditPoint> {
  return anchorOf(await readMeta(sql, ANCHOR))
}

/** A database that was moved here may have been restored from a backup before. */
export async function readSkipped(sql: Sql): Promise<Skipped> {
  return skippedOf(await readMeta(sql, 'skipped_positions'))
}

/** Across the removed events that follow a point without a gap. */
async function linksBehind(
  sql: Sql,
  from: AuditPoint,
  { before, limit }: { readonly before: number | null; readonly limit: number | null },
): Promise<{ readonly at: AuditPoint }> {
  const links = await sql.all<{ position: number; digest: Buffer }>(
    `select position, digest from removed_events
    where position > :from and (:before::bigint is null or position < :before) order by position limit :limit`,
    { from: from.position, before, limit },
  )
  const skipped = await readSkipped(sql)
  let at = from
  for (const { position, digest } of links) {
    if (position !== nextPosition(at.position, skipped)) break
    at = { position, hash: hashBehind(at.hash, digest) }
  }
  return { at }
}

/** Before these events are removed: stores the digests that the hashes of later events need, or moves the anchor past them. */
export async function keepLinks(sql: Sql, positions: readonly number[]): Promise<void> {
  const rows = await hashedRows(sql, positions)
  await sql.run(
    `insert into removed_events (position, digest) select * from unnest(:positions::bigint[], :digests::bytea[])
    on conflict (position) do update set digest = excluded.digest`,
    { positions: rows.map(({ position }) => position), digests: rows.map(({ values }) => digestOf(values)) },
  )
  const anchor = await readAnchor(sql)
  const { at } = await linksBehind(sql, anchor, { before: null, limit: LINKS_AT_ONCE })
  if (at === anchor) return
  await keepMeta(sql, ANCHOR, anchorText(at))
  await sql.run('delete from removed_events where position <= :position', { position: at.position })
}

const LINKS_AT_ONCE = 10_000
