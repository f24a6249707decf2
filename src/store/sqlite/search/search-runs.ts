import type { Connection } from '../database/connection.ts'

export interface SearchRun {
  readonly id: number
  readonly first: number
  readonly last: number
  readonly events: number
}

/** In the order of their positions. */
export function listRuns(db: Connection): SearchRun[] {
  return db.prepare<[], SearchRun>('select id, first, last, events from search_runs order by last').all()
}

/** The pages of a run in the order of their terms. */
export function pagesOfRun(db: Connection, run: number): Buffer[] {
  return db
    .prepare<[number], Buffer>('select data from search_pages where run = ? order by first_term')
    .pluck()
    .all(run)
}

/** The runs that cover at least one of the positions. */
export function runsWith(db: Connection, positions: readonly number[]) {
  const find = db.prepare<[number], SearchRun>(
    'select id, first, last, events from search_runs where last >= ? order by last limit 1',
  )
  const runs: (SearchRun & { positions: number[] })[] = []
  for (const position of [...positions].sort((a, b) => a - b)) {
    const latest = runs.at(-1)
    if (latest !== undefined && position <= latest.last) latest.positions.push(position)
    else {
      const run = find.get(position)
      if (run !== undefined && run.first <= position) runs.push({ ...run, positions: [position] })
    }
  }
  return runs
}
