import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { messageOf, SimulatorError } from './errors.ts'

/** A named set of JSON records, in the order in which their keys were first put. */
export interface Collection<T> {
  get(key: string | number): T | undefined
  put(key: string | number, record: T): void
  delete(key: string | number): boolean
  list(): T[]
}

/** All state of the simulator. */
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

const SCHEMA = `
  create table if not exists records (
    position integer primary key,
    collection text not null,
    key text not null,
    json text not null,
    unique (collection, key)
  ) strict;
  create table if not exists sequences (name text primary key, value integer not null) strict;`

/**
 * @param file of the database; null: the records live in memory
 * @throws SimulatorError when the file is no database of a simulator
 */
export function openRecords(file: string | null): Records {
  const database = open(file)
  const statements = {
    get: database.prepare<[string, string], { json: string }>(
      'select json from records where collection = ? and key = ?',
    ),
    put: database.prepare(
      'insert into records (collection, key, json) values (?, ?, ?) on conflict (collection, key) do update set json = excluded.json',
    ),
    delete: database.prepare('delete from records where collection = ? and key = ?'),
    list: database.prepare<[string], { json: string }>(
      'select json from records where collection = ? order by position',
    ),
    next: database.prepare<[string, number], { value: number }>(
      'insert into sequences values (?, ?) on conflict (name) do update set value = value + 1 returning value',
    ),
    dump: database.prepare<[], { collection: string; key: string; json: string }>(
      'select collection, key, json from records order by collection, key',
    ),
    clear: database.prepare('delete from records where substr(collection, 1, length(:prefix)) = :prefix'),
    restart: database.prepare('delete from sequences where substr(name, 1, length(:prefix)) = :prefix'),
  }
  /** Collections without a record. Many are so all the time, and are asked at every request and callback. */
  const empty = new Set<string>()
  return {
    collection: <T>(name: string): Collection<T> => ({
      get(key) {
        if (empty.has(name)) return undefined
        const row = statements.get.get(name, String(key))
        return row === undefined ? undefined : (JSON.parse(row.json) as T)
      },
      put(key, record) {
        empty.delete(name)
        statements.put.run(name, String(key), JSON.stringify(record))
      },
      delete: (key) => statements.delete.run(name, String(key)).changes > 0,
      list() {
        if (empty.has(name)) return []
        const rows = statements.list.all(name)
        if (rows.length === 0) empty.add(name)
        return rows.map(({ json }) => JSON.parse(json) as T)
      },
    }),
    nextNumber: (sequence, first = 1) => statements.next.get(sequence, first)?.value ?? first,
    transaction(change) {
      try {
        return database.transaction(change)()
      } catch (error) {
        // What was deleted is there again.
        empty.clear()
        throw error
      }
    },
    dump() {
      const all: Record<string, Record<string, unknown>> = {}
      for (const { collection, key, json } of statements.dump.all())
        all[collection] = { ...all[collection], [key]: JSON.parse(json) }
      return all
    },
    clear: database.transaction((prefix = '') => {
      statements.clear.run({ prefix })
      statements.restart.run({ prefix })
    }),
    close: () => void database.close(),
  }
}

function open(file: string | null): Database.Database {
  try {
    // SQLite gives its other files the mode of this one; the records have secrets of opened accounts.
    if (file !== null) closeSync(openSync(file, 'a', 0o600))
    const database = new Database(file ?? ':memory:')
    database.pragma('journal_mode = WAL')
    database.exec(SCHEMA)
    return database
  } catch (cause) {
    throw new SimulatorError(
      'state_damaged',
      `${file} is no database of the simulator (${messageOf(cause)}). Move the file away, or start without --keep.`,
      { cause },
    )
  }
}
