import type { EventWithBody, SubjectEvents, SubjectKey } from '../../../domain/event-record.ts'
import { eventsOfPositions, type KeyedRow, MOST_POSITIONS, positionsOfKeys } from '../../rules/subject-events.ts'
import { BY_INDEX } from '../database/by-index.ts'
import type { Sql } from '../database/sql.ts'
import { findEvents } from './event-queries.ts'
import { createPayloads } from './payloads.ts'

export async function listSubjectEvents(
  sql: Sql,
  keys: readonly SubjectKey[],
  limit: number,
): Promise<SubjectEvents[]> {
  await sql.run(BY_INDEX)
  // Compared as an expression, a kind is not looked up in its own index, which has very many events.
  const rows = await sql.all<KeyedRow>(
    `select e.id as position, k.kind, k.environment, k.subject
    from unnest(:kinds::text[], :environments::text[], :subjects::text[]) as k (kind, environment, subject)
      cross join lateral (
        select id from events where subject = k.subject and kind || '' = k.kind and environment || '' = k.environment order by id desc limit ${MOST_POSITIONS}) e
    order by e.id desc`,
    {
      kinds: keys.map(({ kind }) => kind),
      environments: keys.map(({ environment }) => environment),
      subjects: keys.map(({ subject }) => subject),
    },
  )
  const positions = positionsOfKeys(keys, rows)
  const wanted = positions.flatMap((all) => all.slice(0, limit))
  const events = new Map<number, EventWithBody>()
  const source = { sql, payloadsOf: createPayloads(sql) }
  const filter = { kinds: [...new Set(keys.map(({ kind }) => kind))], positions: wanted }
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER }
  for await (const event of findEvents(source, filter, range, wanted.length)) events.set(event.position, event)
  return eventsOfPositions(positions, events, limit)
}
