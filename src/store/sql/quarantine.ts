import { bytesOfFact } from '../../domain/event.ts'
import type { Evidence } from '../../domain/event-record.ts'
import { eventId } from '../../domain/public-id.ts'
import type { Decision, QuarantinedBody, QuarantinedFact, QuarantineFilter } from '../../domain/quarantine.ts'
import { EVIDENCE_COLUMNS, type EvidenceRow, evidenceOfRow } from '../rows/evidence-row.ts'
import { spanOfRow } from '../rows/span-row.ts'
import { conditionsFor } from '../rules/conditions.ts'
import { inEnvironment, ofInstitution } from '../rules/realm-conditions.ts'
import { refuseDecided } from '../storing/held-facts.ts'
import { type Asked, all, get, run, type Values } from './asked.ts'
import type { Dialect } from './dialect.ts'

interface QuarantineRow extends Omit<QuarantinedFact, 'eventId'> {
  readonly position: number | null
  readonly nonce: string | null
}

function factOf({ position, nonce, ...row }: QuarantineRow): QuarantinedFact {
  return { ...row, eventId: position === null || nonce === null ? null : eventId(position, nonce) }
}

const COLUMNS = `q.id, q.callback_id as "callbackId", q.kind, q.environment, q.reason, q.state, c.listener, c.authentication, q.subject, q.status, c.mark,
  q.received_at as "receivedAt", q.part, q.parts, q.seen, q.last_seen_at as "lastSeenAt", q.decided_at as "decidedAt", q.decided_by as "decidedBy",
  q.event_id as position, q.payload_removed_at as "payloadRemovedAt", e.nonce`

function listed({ callbackId }: Dialect, condition: string): string {
  return `select ${COLUMNS} from quarantine q join callbacks c on c.${callbackId} = q.callback_id left join events e on e.id = q.event_id where ${condition}`
}

/** Ordered by number. */
export function* listQuarantine(d: Dialect, filter: QuarantineFilter, limit: number): Asked<QuarantinedFact[]> {
  const { conditions, values } = conditionsFor(filter, [
    ['after', 'q.id > :after'],
    ['before', 'q.id < :before'],
    ['receivedFrom', `c.received_at >= ${d.time(':receivedFrom')}`],
    ['receivedTo', `c.received_at < ${d.time(':receivedTo')}`],
    ['state', 'q.state = :state'],
    ['environment', inEnvironment('q.environment')],
    ['institution', ofInstitution('q.environment')],
    ['reason', 'q.reason = :reason'],
    ['kinds', `q.kind in (select value from ${d.texts(':kinds')} as given)`],
  ])
  const order = `order by q.id ${filter.newestFirst === true ? 'desc' : 'asc'} limit :limit`
  const rows = yield* all<QuarantineRow>(`${listed(d, ['true', ...conditions].join(' and '))} ${order}`, {
    ...(values as Values),
    limit,
  })
  return rows.map(factOf)
}

/** The fact as it is listed. It must be there. */
export function* getHeldFact(d: Dialect, id: number): Asked<QuarantinedFact> {
  return factOf((yield* get<QuarantineRow>(listed(d, 'q.id = :id'), { id })) as QuarantineRow)
}

export function* getQuarantined(d: Dialect, id: number): Asked<{ fact: QuarantinedBody; evidence: Evidence } | null> {
  const fact = yield* get<QuarantineRow>(listed(d, 'q.id = :id'), { id })
  if (fact === undefined) return null
  const row = (yield* get<EvidenceRow>(
    `select q.callback_id, q.environment, c.listener, q.array_start, q.array_end, q.item_start, q.item_end, ${EVIDENCE_COLUMNS}
    from quarantine q join callbacks c on c.${d.callbackId} = q.callback_id left join peers p on p.id = c.peer_id where q.id = :id`,
    { id },
  )) as EvidenceRow
  const body = bytesOfFact(row.callback_body, spanOfRow(row))
  return { fact: { ...factOf(fact), contentType: row.callback_content_type, body }, evidence: evidenceOfRow(row) }
}

export function* discardQuarantined(d: Dialect, id: number, { at, by }: Decision): Asked<QuarantinedFact> {
  refuseDecided(id, yield* get<Pick<QuarantinedFact, 'state'>>('select state from quarantine where id = :id', { id }))
  yield* run(
    `update quarantine set state = 'discarded', decided_at = ${d.time(':at')}, decided_by = :by, event_id = null where id = :id`,
    { id, at, by },
  )
  return yield* getHeldFact(d, id)
}
