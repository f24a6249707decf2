import type { Store } from '../../domain/store.ts'
import type { SearchReads, SqliteWrites } from './threads/sqlite-calls.ts'

/** Methods that change the search index: what is computed beside the writer comes first, then the write. */
export function createSearchWork(
  { prepareSearchChange, prepareSearchSplit, prepareSearchRemoval }: SearchReads,
  { applySearchChange, redact }: Pick<SqliteWrites, 'applySearchChange' | 'redact'>,
): Pick<Store, 'workOnSearch' | 'prepareRemoval'> & Pick<SqliteWrites, 'redact'> {
  return {
    async workOnSearch(task, bounds) {
      const change = await prepareSearchChange(task, bounds)
      if (change === null) return null
      // A refused change is computed again by the next step.
      await applySearchChange(change)
      return change.source?.events ?? 0
    },
    async prepareRemoval(callbackIds) {
      const change = await prepareSearchSplit(callbackIds)
      if (change === null) return null
      await applySearchChange(change)
      return Math.max(0, ...change.runs.map(({ last }) => last))
    },
    redact: async (step, now, prepared) => redact(step, now, prepared ?? (await prepareSearchRemoval(step.positions))),
  }
}
