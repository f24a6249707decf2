import { bytesOfFact } from '../../../domain/event.ts'
import type { Evidence } from '../../../domain/event-record.ts'
import type { QuarantinedBody, QuarantinedFact, QuarantineFilter } from '../../../domain/quarantine.ts'
import { EVIDENCE_COLUMNS, type EvidenceRow, evidenceOfRow } from '../../rows/evidence-row.ts'
import type { QuarantineRow } from '../../rows/quarantine-row.ts'
import { factOfRow } from '../../rows/quarantine-row.ts'
import { spanOfRow } from '../../rows/span-row.ts'
import { inEnvironment, ofInstitution } from '../../rules/realm-conditions.ts'
import type { Connection } from '../database/connection.ts'

const COLUMNS = `
  q.id, q.callback_id, q.kind, q.environment, q.reason, q.state, c.listener, c.authentication, q.subject, q.status, c.mark, q.received_at,
  q.part, q.parts, q.seen, q.last_seen_at, q.decided_at, q.decided_by, q.event_id, q.payload_removed_at, e.nonce`

const CONDITIONS = [
  ['after', 'q.id > :after'],
  ['before', 'q.id < :before'],
  ['receivedFrom', 'c.received_at >= :receivedFrom'],
  ['receivedTo', 'c.received_at < :receivedTo'],
  ['state', 'q.state = :state'],
  ['environment', inEnvironment('q.environment')],
  ['institution', ofInstitution('q.environment')],
  ['reason', 'q.reason = :reason'],
] as const

/** Ordered by number. */
export function listQuarantine(db: Connection, filter: QuarantineFilter, limit: number): QuarantinedFact[] {
  const values: Record<string, unknown> = { limit }
  const conditions = ['true']
  for (const [name, condition] of CONDITIONS) {
    if (filter[name] === undefined) continue
    conditions.push(condition)
    values[name] = filter[name]
  }
  if (filter.kinds !== undefined) {
    conditions.push('q.kind in (select value from json_each(:kinds))')
    values.kinds = JSON.stringify(filter.kinds)
  }
  return db
    .prepare<Record<string, unknown>, QuarantineRow>(`
      select ${COLUMNS} from quarantine q join callbacks c on c.id = q.callback_id left join events e on e.id = q.event_id
      where ${conditions.join(' and ')} order by q.id ${filter.newestFirst === true ? 'desc' : 'asc'} limit :limit`)
    .all(values)
    .map(factOfRow)
}

export function getQuarantined(db: Connection, id: number): { fact: QuarantinedBody; evidence: Evidence } | null {
  const row = db
    .prepare<[number], QuarantineRow & EvidenceRow>(`
      select ${COLUMNS}, q.array_start, q.array_end, q.item_start, q.item_end, ${EVIDENCE_COLUMNS}
      from quarantine q join callbacks c on c.id = q.callback_id left join events e on e.id = q.event_id
        left join peers p on p.id = c.peer_id
      where q.id = ?`)
    .get(id)
  if (row === undefined) return null
  const body = bytesOfFact(row.callback_body, spanOfRow(row))
  return { fact: { ...factOfRow(row), contentType: row.callback_content_type, body }, evidence: evidenceOfRow(row) }
}
