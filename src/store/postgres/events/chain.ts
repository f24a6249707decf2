import {
  digestOf,
  FIRST_HASH,
  type HashedCallback,
  type HashedEvent,
  type HashedValues,
  hashBehind,
  hashedValues,
  hexOf,
} from '../../../domain/event-hash.ts'
import { type SpanRow, spanOfRow } from '../../rows/span-row.ts'
import { keepMeta, readMeta } from '../database/meta.ts'
import type { Sql } from '../database/sql.ts'
import { AUTHENTICATION, CONTENT_TYPE } from './event-columns.ts'

/** A position and the hash up to it. */
export interface ChainPoint {
  readonly position: number
  readonly hash: Uint8Array
}

type HashedRow = SpanRow &
  Omit<HashedEvent, 'span' | 'payloadHash'> & {
    readonly payload_hash: Buffer
    readonly eventKind: string
  } & HashedCallback

/** The hashed fields of the events that exist at these positions. */
export async function hashedRows(
  sql: Sql,
  positions: readonly number[],
): Promise<{ readonly position: number; readonly values: HashedValues }[]> {
  const rows = await sql.all<HashedRow>(
    `select e.id as position, e.nonce, e.kind as "eventKind", e.environment, e.received_at as "receivedAt", e.subject, e.status, e.part, e.parts,
      e.array_start, e.array_end, e.item_start, e.item_end, e.fact_hash as "factHash", e.payload_hash, c.kind, c.listener,
      ${AUTHENTICATION} as authentication, p.fingerprint as "peerFingerprint", c.remote_address as "remoteAddress", c.target,
      c.tls_version as "tlsVersion", c.cipher, ${CONTENT_TYPE} as "contentType", c.headers, c.mark
    from events e join callbacks c on c.id = e.callback_id left join peers p on p.id = c.peer_id
    where e.id = any(:positions::bigint[]) order by e.id`,
    { positions },
  )
  return rows.map((row) => {
    const event = { ...row, kind: row.eventKind, span: spanOfRow(row), payloadHash: hexOf(row.payload_hash) }
    return { position: row.position, values: hashedValues(event, row) }
  })
}

/** The point of the chain directly before a position: the last event, and the digests that retention left behind it. */
export async function readPrevious(sql: Sql, position: number): Promise<ChainPoint> {
  const last = await sql.get<ChainPoint>(
    'select id as position, hash from events where id < :position order by id desc limit 1',
    { position },
  )
  return (await linksBehind(sql, last ?? (await readAnchor(sql)), position)).at
}

const ANCHOR = 'event_anchor'

/** The point up to which retention has removed everything. */
async function readAnchor(sql: Sql): Promise<ChainPoint> {
  const [position = '0', hash = hexOf(FIRST_HASH)] = (await readMeta(sql, ANCHOR))?.split(':') ?? []
  return { position: Number(position), hash: Buffer.from(hash, 'hex') }
}

/** Across the removed events that follow a point without a gap. */
async function linksBehind(sql: Sql, from: ChainPoint, before: number): Promise<{ readonly at: ChainPoint }> {
  const links = await sql.all<{ position: number; digest: Buffer }>(
    'select position, digest from removed_events where position > :from and position < :before order by position',
    { from: from.position, before },
  )
  let at = from
  for (const { position, digest } of links) {
    if (position !== at.position + 1) break
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
  const { at } = await linksBehind(sql, anchor, anchor.position + LINKS_AT_ONCE)
  if (at === anchor) return
  await keepMeta(sql, ANCHOR, `${at.position}:${hexOf(at.hash)}`)
  await sql.run('delete from removed_events where position <= :position', { position: at.position })
}

const LINKS_AT_ONCE = 10_000
