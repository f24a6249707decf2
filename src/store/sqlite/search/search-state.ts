import type { SearchState } from '../../../domain/search/search-index.ts'
import { EMPTY_INDEX, type IndexState } from '../../rules/search-index.ts'
import { countAssigned } from '../../verification/audit-points.ts'
import { readSkipped } from '../audit/audit-points.ts'
import type { Connection } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'

const KEY = 'search_index'

export function readIndexState(db: Connection): IndexState {
  const text = db.prepare<[string], string>('select value from meta where key = ?').pluck().get(KEY)
  return text === undefined ? EMPTY_INDEX : (JSON.parse(text) as IndexState)
}

export function writeIndexState(db: Connection, state: IndexState): void {
  db.prepare(`
    insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value`).run(
    KEY,
    JSON.stringify(state),
  )
}

export function readSearchState(db: Connection, now: number): SearchState {
  return db.transaction(() => {
    const { through, rebuild } = readIndexState(db)
    return {
      indexedThrough: through,
      latest: lastGiven(db),
      ...lagBehind(db, through, now),
      isRebuilding: rebuild !== null,
      rebuiltThrough: rebuild?.after ?? null,
      indexBytes: db.prepare<[], number>('select coalesce(sum(bytes), 0) from search_runs').pluck().get() ?? 0,
    }
  })()
}

/** More events that are not indexed are not counted: five million take a second. */
const COUNTED = 10_000

function lagBehind(db: Connection, through: number, now: number): Pick<SearchState, 'lagEvents' | 'lagSeconds'> {
  const found = db
    .prepare<object, { events: number; first: number; last: number; oldest: number }>(`
      select (select count(*) from (select 1 from events not indexed where id > :through limit ${COUNTED} + 1)) as events,
        id as first, (select max(id) from events) as last, received_at as oldest
      from events where id > :through order by id limit 1`)
    .get({ through })
  if (found === undefined) return { lagEvents: 0, lagSeconds: 0 }
  const { events, first, last, oldest } = found
  return {
    // Positions are as many as events, but for removed ones.
    lagEvents: events > COUNTED ? countAssigned(readSkipped(db), first - 1, last) : events,
    lagSeconds: Math.max(0, Math.round((now - oldest) / 1000)),
  }
}
