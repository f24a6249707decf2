import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Pool } from 'undici'

/** The naive way to forward: claim one, send it, one FULL transaction for its outcome; as many at once as the product sends. */
const [folder, port, count, concurrency] = process.argv.slice(2) as [string, string, string, string]
const db = new Database(join(folder, 'forwarder.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('create table deliveries (id integer primary key, state text, body blob)')
const insert = db.prepare('insert into deliveries (state, body) values (?, ?)')
db.transaction(() => {
  for (let i = 0; i < Number(count); i++)
    insert.run('pending', Buffer.from(`{"identificador":"${i}","extras":"${'x'.repeat(900)}"}`))
})()
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: Number(concurrency) })
const claim = db.prepare<[], { id: number; body: Buffer }>(
  "update deliveries set state = 'claimed' where id = (select id from deliveries where state = 'pending' limit 1) returning id, body",
)
const finish = db.prepare("update deliveries set state = 'delivered' where id = ?")
db.exec("create index due on deliveries (id) where state = 'pending'")

async function work(): Promise<void> {
  for (;;) {
    const row = claim.get()
    if (row === undefined) return
    const { body } = await pool.request({ path: '/hook', method: 'POST', body: row.body })
    await body.dump()
    finish.run(row.id)
  }
}
const startedAt = performance.now()
await Promise.all(Array.from({ length: Number(concurrency) }, work))
process.stdout.write(
  `${JSON.stringify({ perSecond: Math.round(Number(count) / ((performance.now() - startedAt) / 1000)) })}\n`,
)
process.exit(0)
