import type { SubjectEvents, SubjectKey } from '../../../domain/event-record.ts'
import { eventsOfPositions, type KeyedRow, positionsOfKeys } from '../../rules/subject-events.ts'
import { CANDIDATES, candidatesOfAll } from '../blocks/subject-index.ts'
import type { Connection } from '../database/connection.ts'
import { prepareOnce } from '../database/prepared.ts'
import { eventsAt } from './event-queries.ts'

/** Reads each part of the index of subjects once for all of them. */
export function listSubjectEvents(db: Connection, keys: readonly SubjectKey[], limit: number): SubjectEvents[] {
  return db.transaction(() => {
    const candidates = candidatesOfAll(db, [...new Set(keys.map(({ subject }) => subject))])
    const rows = prepareOnce<{ candidates: string }, KeyedRow>(
      db,
      `select e.id as position, e.kind, e.environment, e.subject from ${CANDIDATES} order by e.id desc`,
    ).all({ candidates: JSON.stringify(candidates) })
    const positions = positionsOfKeys(keys, rows)
    const wanted = positions.flatMap((all) => all.slice(0, limit))
    return eventsOfPositions(positions, new Map(eventsAt(db, wanted).map((one) => [one.position, one])), limit)
  })()
}
