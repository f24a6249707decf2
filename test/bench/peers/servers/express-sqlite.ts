import { join } from 'node:path'
import Database from 'better-sqlite3'
import { serve } from './express-app.ts'

/** One FULL transaction a request: node express-sqlite.ts FOLDER [CERTS] */
const [folder, certs = null] = process.argv.slice(2) as [string, string?]
const db = new Database(join(folder, 'express.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec(
  'create table if not exists callbacks (id integer primary key, key text not null unique, received_at integer, body blob)',
)
const insert = db.prepare('insert into callbacks (key, received_at, body) values (?, ?, ?) on conflict do nothing')
const keys = db.prepare<[], string>('select key from callbacks').pluck()

serve(certs, {
  keep: (key, body) => insert.run(key, Date.now(), body),
  keys: async () => keys.all(),
})
