import type { QuarantineReason } from '../../../domain/accounts.ts'
import { type AuthenticationMethod, bytesOfFact, type ListenerName, type Mark } from '../../../domain/event.ts'
import type { Evidence } from '../../../domain/event-record.ts'
import { eventId } from '../../../domain/public-id.ts'
import type { QuarantinedBody, QuarantinedFact, QuarantineFilter, QuarantineState } from '../../../domain/quarantine.ts'
import { inEnvironment, ofInstitution } from '../blocks/realm-conditions.ts'
import type { Connection } from '../database/connection.ts'
import { spanOfRow } from '../rows/rows.ts'
import { EVIDENCE_COLUMNS, type EvidenceRow, evidenceOfRow } from './evidence.ts'

interface QuarantineRow {
  id: number
  callback_id: number
  kind: string
  environment: QuarantinedFact['environment']
  reason: QuarantineReason
  state: QuarantineState
  listener: ListenerName
  authentication: AuthenticationMethod
  subject: string | null
  status: string | null
  mark: Mark | null
  received_at: number
  part: number
  parts: number
  seen: number
  last_seen_at: number
  decided_at: number | null
  decided_by: string | null
  event_id: number | null
  nonce: string | null
  payload_removed_at: number | null
}

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

function factOfRow(row: QuarantineRow): QuarantinedFact {
  return {
    id: row.id,
    kind: row.kind,
    environment: row.environment,
    reason: row.reason,
    state: row.state,
    listener: row.listener,
    authentication: row.authentication,
    subject: row.subject,
    status: row.status,
    mark: row.mark,
    receivedAt: row.received_at,
    part: row.part,
    parts: row.parts,
    seen: row.seen,
    lastSeenAt: row.last_seen_at,
    callbackId: row.callback_id,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    payloadRemovedAt: row.payload_removed_at,
    eventId: row.event_id === null || row.nonce === null ? null : eventId(row.event_id, row.nonce),
  }
}
