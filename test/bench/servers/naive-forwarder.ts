import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Pool } from 'undici'

/** The naive way to forward: read one, send it, one FULL transaction for its outcome; as many at once as the product sends. */
/** `forgetful` instead: nothing is stored, which is as quick as it gets with this client and this receiver. */
const [manner, folder, port, count, concurrency, warmUpMs, measureMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
]
const db = new Database(join(folder, 'forwarder.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('create table deliveries (id integer primary key, state text, body blob)')
const insert = db.prepare('insert into deliveries (state, body) values (?, ?)')
db.transaction(() => {
  for (let i = 0; i < Number(count); i++)
    insert.run('pending', Buffer.from(`{"identificador":"${i}","extras":"${'x'.repeat(240)}"}`))
})()
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: Number(concurrency) })
const next = db.prepare<[number], { id: number; body: Buffer }>('select id, body from deliveries where id = ?')
const finish = db.prepare("update deliveries set state = 'delivered' where id = ?")
let begun = 0
let done = 0

async function work(): Promise<void> {
  for (;;) {
    const row = next.get(1 + (begun++ % Number(count))) as { id: number; body: Buffer }
    const { body } = await pool.request({ path: '/hook', method: 'POST', body: row.body })
    await body.dump()
    if (manner === 'naive') finish.run(row.id)
    done++
  }
}
void Promise.all(Array.from({ length: Number(concurrency) }, work))
await wait(Number(warmUpMs))
const startedAt = performance.now()
const before = done
await wait(Number(measureMs))
const perSecond = Math.round((done - before) / ((performance.now() - startedAt) / 1000))
process.stdout.write(`${JSON.stringify({ perSecond })}\n`)
process.exit(0)
