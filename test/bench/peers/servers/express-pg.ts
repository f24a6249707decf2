import pg from 'pg'
import { serve } from './express-app.ts'

/** One transaction a request: node express-pg.ts SOCKET-FOLDER CERTS */
const [host, certs] = process.argv.slice(2) as [string, string]
const pool = new pg.Pool({ host, user: 'postgres', database: 'postgres' })
await pool.query(
  'create table if not exists callbacks (id bigserial primary key, key text not null unique, received_at timestamptz, body bytea)',
)
const insert = {
  name: 'insert',
  text: 'insert into callbacks (key, received_at, body) values ($1, now(), $2) on conflict do nothing',
}

serve(certs, {
  keep: (key, body) => pool.query({ ...insert, values: [key, body] }),
  async keys() {
    const { rows } = await pool.query<{ key: string }>('select key from callbacks')
    return rows.map(({ key }) => key)
  },
})
