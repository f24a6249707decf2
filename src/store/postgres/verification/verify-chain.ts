import { bytesOfFact, type Peer } from '../../../domain/event.ts'
import { digestOf, payloadHashOf } from '../../../domain/event-hash.ts'
import { spanOfRow } from '../../rows/span-row.ts'
import {
  type AuditEntry,
  type AuditPart,
  type AuditRange,
  type AuditVerification,
  inOrder,
  linkOf,
  POSITIONS_AT_ONCE,
  startVerification,
  type WrittenPoint,
} from '../../verification/audit-verification.ts'
import { peerFault } from '../../verification/peer-check.ts'
import type { VerifyStep } from '../../verification/verification.ts'
import type { Database } from '../database/database.ts'
import { readHead } from '../database/head.ts'
import type { Sql } from '../database/sql.ts'
import { HASHED_COLUMNS, HASHED_FROM, type HashedRow, readAnchor, readSkipped, valuesOf } from '../events/chain.ts'

type Reading = Pick<Database, 'read'>

/**
 * Verifies all events up to the current last one, beside running gateways. It reads a range of positions per transaction, so that no snapshot stays
 * open for long.
 * @param expected points of earlier verifications
 * @throws PortariaError `store_unavailable`
 */
export async function verifyAuditChain(
  database: Reading,
  expected: readonly WrittenPoint[],
  show: (step: VerifyStep) => void,
): Promise<AuditVerification> {
  const begin = await database.read(async (sql) => {
    const [{ position: upTo }, anchor] = [await readHead(sql), await readAnchor(sql)]
    const outside = await positionsOutside(sql, anchor.position, upTo)
    return { upTo, anchor, skipped: await readSkipped(sql), outside }
  })
  const verification = startVerification(begin, expected)
  for (let after = begin.anchor.position; ; ) {
    const range = await database.read((sql) => nextRange(sql, after, begin.upTo))
    if (range === null) break
    show(verification.step(range))
    verification.take(range, await database.read((sql) => readPart(sql, range)))
    after = range.to
  }
  return verification.end(await alteredPeers(database))
}

async function positionsOutside(sql: Sql, anchor: number, last: number): Promise<number[]> {
  const rows = await sql.all<{ position: number }>(
    `select id as position from events where id <= :anchor or id > :last
    union select position from removed_events where position <= :anchor or position > :last order by 1`,
    { anchor, last },
  )
  return rows.map(({ position }) => position)
}

/** null: none is left. */
async function nextRange(sql: Sql, after: number, upTo: number): Promise<AuditRange | null> {
  const row = await sql.get<{ first: number | null }>(
    `select least((select min(id) from events where id > :after), (select min(position) from removed_events where position > :after)) as first`,
    { after },
  )
  const first = row?.first ?? null
  if (first === null || first > upTo) return null
  return { after: first - 1, to: Math.min(first - 1 + POSITIONS_AT_ONCE, upTo) }
}

/** A longer body is read by a query of its own, so that a range takes little memory, and once for all facts of its callback. */
const INLINE_BYTES = 16_384

interface EntryRow extends HashedRow {
  readonly hash: Buffer
  readonly callback_id: number
  readonly isPayloadRemoved: boolean
  /** null: its callback is missing. */
  readonly isAsItsCallback: boolean | null
  /** null: to be read by a query of its own. */
  readonly inline: Buffer | null
}

async function readPart(sql: Sql, range: AuditRange): Promise<AuditPart> {
  const anchor = await readAnchor(sql)
  const bounds = { after: Math.max(range.after, anchor.position), to: range.to }
  const links = await sql.all<{ position: number; digest: Buffer }>(
    'select position, digest from removed_events where position > :after and position <= :to order by position',
    bounds,
  )
  const rows = await sql.all<EntryRow>(
    `select ${HASHED_COLUMNS}, e.hash, e.callback_id, e.payload_removed_at is not null as "isPayloadRemoved",
      case when e.source is null then e.received_at = c.received_at else e.received_at >= c.received_at end and e.environment = c.environment
        as "isAsItsCallback",
      case when e.parts = 1 and length(coalesce(e.body, c.body)) <= ${INLINE_BYTES} then coalesce(e.body, c.body) end as inline
    ${HASHED_FROM} where e.id > :after and e.id <= :to order by e.id`,
    bounds,
  )
  const bodies = createBodies(sql)
  const present: AuditEntry[] = []
  for (const row of rows) present.push(await entryOf(row, bodies))
  return { anchor, entries: inOrder(links.map(linkOf), present) }
}

type Bodies = (row: EntryRow) => Promise<Buffer | undefined>

async function entryOf(row: EntryRow, bodies: Bodies): Promise<AuditEntry> {
  return {
    position: row.position,
    digest: row.isAsItsCallback === true ? digestOf(valuesOf(row)) : null,
    hash: row.hash,
    payload: row.isPayloadRemoved ? 'removed' : (await isPayloadSound(row, bodies)) ? 'sound' : 'altered',
  }
}

async function isPayloadSound(row: EntryRow, bodies: Bodies): Promise<boolean> {
  const body = row.inline ?? (await bodies(row))
  return body !== undefined && payloadHashOf(bytesOfFact(body, spanOfRow(row))) === row.payload_hash.toString('hex')
}

/** Facts of one callback are neighbours: its body is read once for them. */
function createBodies(sql: Sql): Bodies {
  let last: { readonly id: number; readonly body: Buffer | undefined } | undefined
  return async ({ position, callback_id: id }) => {
    const own = await sql.get<{ body: Buffer | null }>('select body from events where id = :position', { position })
    if (own !== undefined && own.body !== null) return own.body
    if (last?.id !== id)
      last = {
        id,
        body: (await sql.get<{ body: Buffer }>('select body from callbacks where callback_id = :id', { id }))?.body,
      }
    return last.body
  }
}

const PEERS_AT_ONCE = 1000

async function alteredPeers(database: Reading): Promise<string[]> {
  const texts: string[] = []
  for (let after = 0; ; ) {
    const peers = await database.read((sql) =>
      sql.all<Peer & { readonly id: number }>(
        `select id, fingerprint, serial, subject, issuer, not_after as "notAfter", pem from peers where id > :after order by id limit ${PEERS_AT_ONCE}`,
        { after },
      ),
    )
    texts.push(...peers.map(({ id: _id, ...peer }) => peerFault(peer)).filter((text) => text !== null))
    if (peers.length < PEERS_AT_ONCE) return texts
    after = peers.at(-1)?.id ?? 0
  }
}
