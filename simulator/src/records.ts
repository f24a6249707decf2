import type { Entry } from './records-file.ts'
import { openRecordsFile } from './records-file.ts'

/** A named set of JSON records, in the order in which their keys were first put. */
export interface Collection<T> {
  get(key: string | number): T | undefined
  put(key: string | number, record: T): void
  delete(key: string | number): boolean
  list(): T[]
}

/** All state of the simulator. It is in memory, and with a file also there after each transaction. */
export interface Records {
  collection<T>(name: string): Collection<T>
  /** The next number of a sequence, from `first` on. */
  nextNumber(sequence: string, first?: number): number
  /** All changes of `change` are kept, or none. Calls may be nested. */
  transaction<T>(change: () => T): T
  /** Every record by collection and key, to compare two states. */
  dump(): Record<string, Record<string, unknown>>
  /** Removes every record of the collections whose names begin with `prefix`; their sequences begin again. */
  clear(prefix?: string): void
  close(): void
}

type Entries = Map<string, Entry>

/**
 * @param file of the database; null: the records live in memory only
 * @throws SimulatorError when the file is no database of a simulator
 */
export function openRecords(file: string | null): Records {
  const stored = file === null ? null : openRecordsFile(file)
  const collections = new Map<string, Entries>()
  const sequences = new Map(stored?.sequences())
  /** Of the record that was added last: `transaction` and the reading at the start move it on. */
  let lastPosition = 0
  for (const { collection, key, position, json } of stored?.entries() ?? []) {
    entriesOf(collection).set(key, { position, json })
    lastPosition = position
  }
  /** Undoes the changes of the transaction that runs; null: none runs. */
  let undo: (() => void)[] | null = null
  /** An undone removal put its key behind the others. */
  const disordered = new Set<Entries>()
  const changedKeys = new Map<string, Set<string>>()
  const changedSequences = new Set<string>()

  function entriesOf(name: string): Entries {
    const known = collections.get(name) ?? new Map<string, Entry>()
    collections.set(name, known)
    return known
  }

  function transaction<T>(change: () => T): T {
    const isNested = undo !== null
    const steps = undo ?? []
    const before = steps.length
    undo = steps
    try {
      const result = change()
      if (!isNested) write()
      return result
    } catch (error) {
      for (const step of steps.splice(before).reverse()) step()
      for (const entries of disordered) restoreOrder(entries)
      disordered.clear()
      throw error
    } finally {
      if (!isNested) undo = null
    }
  }

  /** Writes what the transaction changed to the file. */
  function write(): void {
    if (stored === null) return
    stored.write(
      [...changedKeys].flatMap(([collection, keys]) =>
        [...keys].map((key) => ({ collection, key, entry: collections.get(collection)?.get(key) })),
      ),
      [...changedSequences].map((name) => ({ name, value: sequences.get(name) })),
    )
    changedKeys.clear()
    changedSequences.clear()
  }

  /** @param entry undefined: the key is removed */
  function change(name: string, key: string, entry: Entry | undefined): void {
    const entries = entriesOf(name)
    const before = entries.get(key)
    if (stored !== null) changedKeys.set(name, (changedKeys.get(name) ?? new Set()).add(key))
    undo?.push(() => {
      set(entries, key, before)
      if (entry === undefined) disordered.add(entries)
    })
    set(entries, key, entry)
  }

  function changeSequence(name: string, value: number | undefined): void {
    const before = sequences.get(name)
    if (stored !== null) changedSequences.add(name)
    undo?.push(() => set(sequences, name, before))
    set(sequences, name, value)
  }

  return {
    collection: <T>(name: string): Collection<T> => ({
      get(key) {
        const entry = collections.get(name)?.get(String(key))
        return entry === undefined ? undefined : (JSON.parse(entry.json) as T)
      },
      put: (key, record) =>
        transaction(() => {
          const position = entriesOf(name).get(String(key))?.position ?? ++lastPosition
          change(name, String(key), { position, json: JSON.stringify(record) })
        }),
      delete(key) {
        if (!collections.get(name)?.has(String(key))) return false
        transaction(() => change(name, String(key), undefined))
        return true
      },
      list: () => [...(collections.get(name)?.values() ?? [])].map(({ json }) => JSON.parse(json) as T),
    }),
    nextNumber: (sequence, first = 1) =>
      transaction(() => {
        const value = (sequences.get(sequence) ?? first - 1) + 1
        changeSequence(sequence, value)
        return value
      }),
    transaction,
    dump() {
      const parsed = [...collections].map(([name, entries]) => {
        const records = [...entries].map(([key, { json }]) => [key, JSON.parse(json)] as const)
        return [name, Object.fromEntries(records)] as const
      })
      return Object.fromEntries(parsed.filter(([, records]) => Object.keys(records).length > 0))
    },
    clear: (prefix = '') =>
      transaction(() => {
        for (const [name, entries] of collections)
          if (name.startsWith(prefix)) for (const key of [...entries.keys()]) change(name, key, undefined)
        for (const name of [...sequences.keys()]) if (name.startsWith(prefix)) changeSequence(name, undefined)
      }),
    close: () => stored?.close(),
  }
}

function set<V>(map: Map<string, V>, key: string, value: V | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

function restoreOrder(entries: Entries): void {
  const inOrder = [...entries].sort(([, one], [, other]) => one.position - other.position)
  entries.clear()
  for (const [key, entry] of inOrder) entries.set(key, entry)
}
