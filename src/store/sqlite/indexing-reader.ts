import { PortariaError } from '../../platform/errors.ts'
import { openSqliteReader } from './sqlite-reader.ts'
import { methodsOf } from './threads/methods.ts'
import type { SearchReads, SqliteReader } from './threads/sqlite-calls.ts'

/** Reads that compute a part of the search index. One takes up to a second. */
const INDEXING: readonly (keyof SearchReads)[] = ['prepareSearchChange', 'prepareSearchSplit', 'prepareSearchRemoval']

export interface IndexingReader {
  readonly methods: SearchReads
  close(): Promise<void>
}

/**
 * A reader thread of the search index, so that its work delays no other read. It starts with the first call. When it dies, its calls fail, and the next
 * one starts another.
 */
export function createIndexingReader(file: string): IndexingReader {
  let opened: Promise<SqliteReader> | null = null
  let isClosed = false

  function open(): Promise<SqliteReader> {
    if (isClosed) return Promise.reject(new PortariaError('store_unavailable', 'the store is closed'))
    const opening = openSqliteReader(file, { onFailed: forget, name: 'indexer' })
    opening.catch(forget)
    function forget(): void {
      if (opened === opening) opened = null
    }
    opened = opening
    return opening
  }

  return {
    methods: methodsOf<SearchReads>(INDEXING, async (method, args) => {
      const reader = await (opened ?? open())
      return (reader[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
    }),
    async close() {
      isClosed = true
      const reader = await opened?.catch(() => null)
      await reader?.close()
    },
  }
}
