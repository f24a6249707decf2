import type { Store } from '../../../domain/store.ts'
import type { Readers } from '../database/readers.ts'
import type { PostgresWrites } from '../writing/writes.ts'
import { mergeNewTerms, prepareStep } from './search-index.ts'

/** What the search index takes several steps for: only the last one is a write, which holds back all others. */
export function createSearchWork(
  read: Readers['read'],
  { performSearchStep }: Pick<PostgresWrites, 'performSearchStep'>,
): Pick<Store, 'workOnSearch' | 'prepareRemoval'> {
  /** Terms were added since the last `merge`, possibly by an earlier process. */
  let isMergeable = true

  async function merge(): Promise<number | null> {
    if (!isMergeable) return null
    isMergeable = false
    await read(mergeNewTerms)
    return 0
  }

  return {
    async workOnSearch(task, bounds) {
      if (task === 'merge') return merge()
      const step = await read((sql) => prepareStep(sql, task, bounds))
      if (step === null) return null
      await performSearchStep(step)
      isMergeable = true
      return step.events
    },
    // A row of the index is removed as quickly as any other.
    prepareRemoval: async () => null,
  }
}
