import { bytesOfFact } from '../../../domain/event.ts'
import type { Evidence } from '../../../domain/event-record.ts'
import type {
  Decision,
  QuarantinedBody,
  QuarantinedFact,
  QuarantineFilter,
  ReleasedFact,
} from '../../../domain/quarantine.ts'
import { EVIDENCE_COLUMNS, type EvidenceRow, evidenceOfRow } from '../../rows/evidence-row.ts'
import { factOfRow, type QuarantineRow } from '../../rows/quarantine-row.ts'
import { spanOfRow } from '../../rows/span-row.ts'
import { conditionsFor } from '../../rules/conditions.ts'
import { inEnvironment, ofInstitution } from '../../rules/realm-conditions.ts'
import type { Sql, Values } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'
import { readHeldFact } from './known-facts.ts'
import { beginStoring, NO_NEEDS, type StoringOptions } from './storing.ts'

const COLUMNS = `
  q.id, q.callback_id, q.kind, q.environment, q.reason, q.state, c.listener, c.authentication, q.subject, q.status, c.mark, q.received_at,
  q.part, q.parts, q.seen, q.last_seen_at, q.decided_at, q.decided_by, q.event_id, q.payload_removed_at, e.nonce`

const CONDITIONS = [
  ['after', 'q.id > :after'],
  ['before', 'q.id < :before'],
  ['receivedFrom', 'c.received_at >= at_ms(:receivedFrom)'],
  ['receivedTo', 'c.received_at < at_ms(:receivedTo)'],
  ['state', 'q.state = :state'],
  ['environment', inEnvironment('q.environment')],
  ['institution', ofInstitution('q.environment')],
  ['reason', 'q.reason = :reason'],
  ['kinds', 'q.kind = any(:kinds::text[])'],
] as const

/** Ordered by number. */
export async function listQuarantine(sql: Sql, filter: QuarantineFilter, limit: number): Promise<QuarantinedFact[]> {
  const { conditions, values } = conditionsFor(filter, CONDITIONS)
  const rows = await sql.all<QuarantineRow>(
    `select ${COLUMNS} from quarantine q join callbacks c on c.callback_id = q.callback_id left join events e on e.id = q.event_id
    where ${['true', ...conditions].join(' and ')} order by q.id ${filter.newestFirst === true ? 'desc' : 'asc'} limit :limit`,
    { ...(values as Values), limit },
  )
  return rows.map(factOfRow)
}

export async function getQuarantined(
  sql: Sql,
  id: number,
): Promise<{ fact: QuarantinedBody; evidence: Evidence } | null> {
  const row = await sql.get<QuarantineRow & EvidenceRow>(
    `select ${COLUMNS}, q.array_start, q.array_end, q.item_start, q.item_end, ${EVIDENCE_COLUMNS}
    from quarantine q join callbacks c on c.callback_id = q.callback_id left join events e on e.id = q.event_id
      left join peers p on p.id = c.peer_id
    where q.id = :id`,
    { id },
  )
  if (row === undefined) return null
  const body = bytesOfFact(row.callback_body, spanOfRow(row))
  return { fact: { ...factOfRow(row), contentType: row.callback_content_type, body }, evidence: evidenceOfRow(row) }
}

async function findFact(sql: Sql, id: number): Promise<QuarantinedFact> {
  return (await listQuarantine(sql, { after: id - 1 }, 1))[0] as QuarantinedFact
}

export async function releaseQuarantined(
  options: StoringOptions,
  transaction: Transaction,
  id: number,
  decision: Decision,
): Promise<ReleasedFact> {
  await transaction.head()
  const held = await readHeldFact(transaction.sql, id)
  const needs = { ...NO_NEEDS, facts: [held], callbackIds: [held.callbackId], held: new Map([[id, held]]) }
  const storing = await beginStoring(transaction, needs, options)
  const released = storing.callbacks.release(id, decision, storing.destinations)
  storing.write()
  return { fact: await findFact(transaction.sql, id), ...released }
}

export async function discardQuarantined(
  _options: unknown,
  { sql }: Transaction,
  id: number,
  { at, by }: Decision,
): Promise<QuarantinedFact> {
  await readHeldFact(sql, id)
  await sql.run(
    "update quarantine set state = 'discarded', decided_at = at_ms(:at), decided_by = :by, event_id = null where id = :id",
    { id, at, by },
  )
  return findFact(sql, id)
}
