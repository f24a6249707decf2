import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import express from 'express'
import helmet from 'helmet'
import { mutualTls } from './tls.ts'

/** The naive way: Express, helmet, better-sqlite3, one FULL transaction a request, on the main thread. */
const [certs, folder] = process.argv.slice(2) as [string, string]
const db = new Database(join(folder, 'naive.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec(
  'create table events (id integer primary key autoincrement, received_at integer, kind text, subject text, body blob)',
)
const insert = db.prepare('insert into events (received_at, kind, subject, body) values (?, ?, ?, ?)')

const app = express()
app.use(helmet())
app.post('/callbacks/:kind', express.raw({ type: () => true, limit: '1mb' }), (request, response) => {
  const { identificador } = JSON.parse((request.body as Buffer).toString()) as { identificador: string }
  insert.run(Date.now(), request.params.kind, identificador, request.body)
  response.type('text/plain').send('200')
})
const server = createServer(mutualTls(certs), app)
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
