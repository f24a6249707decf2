import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { messageOf, SimulatorError } from './errors.ts'

/** The records in a file, between two runs of a simulator. */
export interface RecordsFile {
  /** In the order of their positions. */
  entries(): Iterable<Entry & { readonly collection: string; readonly key: string }>
  sequences(): Map<string, number>
  /** All changes are written, or none. Without an entry or a value, the record or the sequence is removed. */
  write(
    records: readonly { readonly collection: string; readonly key: string; readonly entry: Entry | undefined }[],
    sequences: readonly { readonly name: string; readonly value: number | undefined }[],
  ): void
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

/** Rises when records of the same name have another content. */
const STATE_VERSION = 1

/** @throws SimulatorError when the file is no database of a simulator of this version */
export function openRecordsFile(file: string): RecordsFile {
  const database = open(file)
  const statements = {
    entries: database.prepare<[], Entry & { collection: string; key: string }>(
      'select position, collection, key, json from records order by position',
    ),
    sequences: database.prepare<[], { name: string; value: number }>('select name, value from sequences'),
    put: database.prepare(
      `insert into records (position, collection, key, json) values (?, ?, ?, ?)
       on conflict (collection, key) do update set position = excluded.position, json = excluded.json`,
    ),
    delete: database.prepare('delete from records where collection = ? and key = ?'),
    setSequence: database.prepare(
      'insert into sequences values (?, ?) on conflict (name) do update set value = excluded.value',
    ),
    deleteSequence: database.prepare('delete from sequences where name = ?'),
  }
  return {
    entries: () => statements.entries.iterate(),
    sequences: () => new Map(statements.sequences.all().map(({ name, value }) => [name, value])),
    write: database.transaction((records, sequences) => {
      for (const { collection, key, entry } of records)
        if (entry === undefined) statements.delete.run(collection, key)
        else statements.put.run(entry.position, collection, key, entry.json)
      for (const { name, value } of sequences)
        if (value === undefined) statements.deleteSequence.run(name)
        else statements.setSequence.run(name, value)
    }) satisfies RecordsFile['write'],
    close: () => void database.close(),
  }
}

function open(file: string): Database.Database {
  try {
    // SQLite gives its other files the mode of this one; the records have secrets of opened accounts.
    closeSync(openSync(file, 'a', 0o600))
    const database = new Database(file)
    requireVersion(database)
    database.pragma('journal_mode = WAL')
    database.exec(SCHEMA)
    database.pragma(`user_version = ${STATE_VERSION}`)
    return database
  } catch (cause) {
    throw new SimulatorError(
      'state_damaged',
      `${file} is no database of the simulator (${messageOf(cause)}). Move the file away, or start without --keep.`,
      { cause },
    )
  }
}

/** A new file has no table. */
function requireVersion(database: Database.Database): void {
  const isNew = database.prepare("select 1 from sqlite_schema where name = 'records'").get() === undefined
  const version = database.pragma('user_version', { simple: true })
  if (isNew || version === STATE_VERSION) return
  database.close()
  throw new Error(`it is of version ${version}, and this simulator reads version ${STATE_VERSION}`)
}

/** A record as JSON, so that no caller changes what is kept. */
export interface Entry {
  /** Rises with each new key of any collection. */
  readonly position: number
  readonly json: string
}
