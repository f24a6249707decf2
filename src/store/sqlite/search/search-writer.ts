import type { SearchSettings } from '../../../domain/search/search-work.ts'
import { advanced, isCurrent, toRebuild, withSettings } from '../../rules/search-index.ts'
import type { Connection } from '../database/connection.ts'
import { firstTermOf, pagesOf } from './run-format.ts'
import type { PatchedRun, SearchChange, SearchRemoval, SearchSource } from './search-change.ts'
import { patchRun } from './search-removal.ts'
import { runsWith } from './search-runs.ts'
import { readIndexState, writeIndexState } from './search-state.ts'

export type SearchWriter = ReturnType<typeof createSearchWriter>

/** Changes the search index. Inside the transaction. */
export function createSearchWriter(db: Connection) {
  const statements = prepareStatements(db)

  /** Where the settings differ from those of the index, all runs are made again. */
  function configure(settings: SearchSettings): boolean {
    const changed = withSettings(readIndexState(db), settings)
    if (changed !== null) writeIndexState(db, changed)
    return changed !== null
  }

  function rebuild(): void {
    writeIndexState(db, toRebuild(readIndexState(db)))
  }

  /** False: refused, because the events or runs that it was made from have changed. */
  function apply({ inputs, runs, source }: SearchChange): boolean {
    if (source !== null && !isCurrentSource(source)) return false
    for (const { id, events } of inputs) if (statements.eventsOfRun.get(id) !== events) return false
    for (const { id } of inputs) dropRun(id)
    for (const { first, last, events, pages } of runs) {
      const id = Number(statements.insertRun.run(first, last, events, pages.length).lastInsertRowid)
      for (const page of pagesOf(pages)) statements.insertPage.run(id, firstTermOf(page), page)
    }
    if (source !== null) writeIndexState(db, advanced(readIndexState(db), source))
    return true
  }

  /** Retention and redaction only ever remove, so the same number is the same events. */
  function isCurrentSource(source: SearchSource): boolean {
    if (!isCurrent(readIndexState(db), source)) return false
    const { after, through, events } = source
    return statements.countEvents.get({ after, through }) === events
  }

  function dropRun(id: number): void {
    statements.dropPages.run(id)
    statements.dropRun.run(id)
  }

  /** Removes the terms of these events. @param prepared the pages without them; what it lacks is computed here */
  function remove(positions: readonly number[], prepared: SearchRemoval = { runs: [] }): void {
    const patches = new Map(prepared.runs.map((run) => [run.id, run]))
    for (const { id, first, events, positions: found } of runsWith(db, positions)) {
      const patch = patches.get(id)
      // A redaction also takes events of facts in quarantine, which may not be among those that it was prepared for.
      const isComplete = patch?.events === events && found.every((position) => patch.positions.includes(position))
      writePatch(isComplete ? patch : patchRun(db, { id, first, events }, found))
    }
  }

  function writePatch({ id, events, removed, pages }: PatchedRun): void {
    if (removed === 0) return
    if (removed === events) return dropRun(id)
    for (const { id: page, data, beginsElsewhere } of pages) {
      if (data === null) statements.dropPage.run(page)
      else if (beginsElsewhere) statements.updatePage.run(firstTermOf(data), data, page)
      else statements.updateData.run(data, page)
    }
    statements.updateRun.run({ id, removed })
  }

  return { configure, rebuild, apply, remove }
}

function prepareStatements(db: Connection) {
  return {
    countEvents: db
      .prepare<{ after: number; through: number }, number>(
        'select count(*) from events not indexed where id > :after and id <= :through and payload_removed_at is null',
      )
      .pluck(),
    eventsOfRun: db.prepare<[number], number>('select events from search_runs where id = ?').pluck(),
    insertRun: db.prepare<[number, number, number, number]>(
      'insert into search_runs (first, last, events, bytes) values (?, ?, ?, ?)',
    ),
    insertPage: db.prepare<[number, Uint8Array, Uint8Array]>(
      'insert into search_pages (run, first_term, data) values (?, ?, ?)',
    ),
    dropPages: db.prepare<[number]>('delete from search_pages where run = ?'),
    dropRun: db.prepare<[number]>('delete from search_runs where id = ?'),
    dropPage: db.prepare<[number]>('delete from search_pages where id = ?'),
    updatePage: db.prepare<[Uint8Array, Uint8Array, number]>(
      'update search_pages set first_term = ?, data = ? where id = ?',
    ),
    // Without its first term: the index is not touched.
    updateData: db.prepare<[Uint8Array, number]>('update search_pages set data = ? where id = ?'),
    updateRun: db.prepare<{ id: number; removed: number }>(`
      update search_runs set events = events - :removed,
        bytes = (select sum(length(data) + 4) from search_pages where run = :id) where id = :id`),
  }
}
