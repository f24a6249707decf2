/**
 * `bin/node test/store/sqlite/remake-fixture.ts` gives the database of the newest fixture the schema of today. Its rows stay. A new column without a
 * default gets 0 or an empty text. A new table stays empty until `NEW_ROWS` fills it.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Connection, openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'

/** Statements for tables that the fixture does not have yet. */
const NEW_ROWS = ''

const FIXTURES = join(import.meta.dirname, 'fixtures')

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
}

function copyRows(db: Connection): void {
  const read = <Row>(sql: string, ...values: string[]) => db.prepare<string[], Row>(sql).all(...values)
  const triggers = read<{ name: string; sql: string }>("select name, sql from sqlite_schema where type = 'trigger'")
  for (const { name } of triggers) db.exec(`drop trigger ${name}`)
  const old = new Set(read<{ name: string }>('select name from old.sqlite_schema').map(({ name }) => name))
  const tables = read<{ name: string }>("select name from main.sqlite_schema where type = 'table'")
  for (const { name } of tables.filter((table) => old.has(table.name))) {
    const oldColumns = new Set(
      read<Column>("select * from pragma_table_info(?, 'old')", name).map((column) => column.name),
    )
    const columns = read<Column>("select * from pragma_table_info(?, 'main')", name).filter(
      (column) => oldColumns.has(column.name) || (column.notnull === 1 && column.dflt_value === null),
    )
    const values = columns.map((column) => {
      if (oldColumns.has(column.name)) return column.name
      return column.type.toLowerCase() === 'text' ? "''" : '0'
    })
    db.exec(`delete from main.${name}`)
    db.exec(`insert into main.${name} (${columns.map((column) => column.name)}) select ${values} from old.${name}`)
  }
  for (const { sql } of triggers) db.exec(sql)
}

const newest = join(FIXTURES, readdirSync(FIXTURES).sort().at(-1) ?? '')
const folder = mkdtempSync(join(tmpdir(), 'portaria-fixture-'))
try {
  const [before, after] = [join(folder, 'before.db'), join(folder, 'after.db')]
  writeFileSync(before, gunzipSync(readFileSync(newest)))
  const db = openForWriting(after)
  migrate(db)
  db.prepare('attach ? as old').run(before)
  copyRows(db)
  db.exec(`${NEW_ROWS}; detach old; vacuum`)
  db.pragma('journal_mode = DELETE')
  db.close()
  writeFileSync(newest, gzipSync(readFileSync(after), { level: 9 }))
} finally {
  rmSync(folder, { recursive: true })
}
