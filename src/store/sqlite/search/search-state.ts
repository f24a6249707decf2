import type { SearchSettings } from '../../../domain/search/search-change.ts'
import type { SearchState } from '../../../domain/search/search-index.ts'
import { lastGiven } from '../audit/last-position.ts'
import type { Connection } from '../database/connection.ts'

/** What `meta` holds of the index, in the transaction of the runs. */
export interface IndexState {
  /** Events up to this position are in the index. */
  readonly through: number
  /** Increases when the settings change, or when the index is to be made again. */
  readonly generation: number
  readonly settings: SearchSettings
  /** Runs of earlier settings: after `after`, up to `through`. null: there are none. */
  readonly rebuild: { readonly after: number; readonly through: number } | null
}

const KEY = 'search_index'

export const EMPTY_INDEX: IndexState = { through: 0, generation: 0, settings: {}, rebuild: null }

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

/** Beyond so many positions, events that are not indexed are not counted. */
const COUNTED = 10_000

export function readSearchState(db: Connection, now: number): SearchState {
  return db.transaction(() => {
    const { through, rebuild } = readIndexState(db)
    const latest = lastGiven(db)
    // Far behind, positions are as many as events, but for removed ones: counting five million events takes a second.
    const isFar = latest - through > COUNTED
    const behind = db
      .prepare<object, { events: number; oldest: number | null }>(`
        select (select count(*) from events not indexed where id > @through and not @isFar) as events,
          (select received_at from events where id > @through order by id limit 1) as oldest`)
      .get({ through, isFar: isFar ? 1 : 0 })
    const oldest = behind?.oldest ?? null
    return {
      indexedThrough: through,
      latest,
      lagEvents: isFar ? latest - through : (behind?.events ?? 0),
      lagSeconds: oldest === null ? 0 : Math.max(0, Math.round((now - oldest) / 1000)),
      isRebuilding: rebuild !== null,
      rebuiltThrough: rebuild?.after ?? null,
      indexBytes: db.prepare<[], number>('select coalesce(sum(bytes), 0) from search_runs').pluck().get() ?? 0,
    }
  })()
}
