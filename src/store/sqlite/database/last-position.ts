/**
 * The last assigned position is the position of the newest event, or the mark in `sqlite_sequence`, whichever is greater. Storing a callback writes only the
 * event. The mark is written by each removal of events, because a removal may take the newest ones, and by a restore. The writer also writes it with each
 * block of 1,024 events, with each heartbeat of the clock and when it stops, so that `storage verify --chain` notices events that were cut off from the end.
 */

import type { Database as Connection } from 'better-sqlite3'
import { oncePerConnection } from './prepared.ts'

/** The last assigned position, as an expression. */
export const LAST_GIVEN = `
  max(coalesce((select seq from sqlite_sequence where name = 'events'), 0), coalesce((select max(id) from events), 0))`

export function lastGiven(db: Connection): number {
  return lastGivenOf(db).get() ?? 0
}

const lastGivenOf = oncePerConnection((db) => db.prepare<[], number>(`select ${LAST_GIVEN}`).pluck())

/** Writes the mark if it is behind. */
export function prepareMark(db: Connection): () => void {
  const mark = db.prepare(`
    update sqlite_sequence set seq = (select max(id) from events) where name = 'events' and seq < (select max(id) from events)`)
  return () => void mark.run()
}
