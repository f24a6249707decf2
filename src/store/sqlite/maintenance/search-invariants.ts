import type { Invariant } from '../../verification/invariants.ts'

/** A breach affects searches only, so `verifySearch` reports it and a backup with it can be restored. */
export const SEARCH_INVARIANTS: readonly Invariant[] = [
  {
    violation: 'run of the search index that overlaps another, or has more events than positions',
    sql: `
      select id from (select id, first, last, events, lag(last, 1, 0) over (order by last) as before from search_runs)
      where first <= before or events not between 1 and last - first + 1`,
  },
  {
    violation: 'run of the search index behind the last indexed event',
    sql: `
      select id from search_runs where last > coalesce((select json_extract(value, '$.through') from meta where key = 'search_index'), 0)`,
  },
  {
    violation: 'run of the search index without the pages that it says it has',
    sql: `
      select r.id from search_runs r
      where r.bytes <> coalesce((select sum(length(p.data) + 4) from search_pages p where p.run = r.id), 0)`,
  },
]
