import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import express from 'express'
import helmet from 'helmet'
import pg from 'pg'
import { mutualTls } from './tls.ts'

/** The naive way: Express, helmet, a pool of pg as it comes, one insert a request. */
const [certs, connectionString] = process.argv.slice(2) as [string, string]
const pool = new pg.Pool({ connectionString })
await pool.query(
  'create table events (id bigint primary key generated always as identity, received_at timestamptz, kind text, subject text, body bytea)',
)

const app = express()
app.use(helmet())
app.post('/callbacks/:kind', express.raw({ type: () => true, limit: '1mb' }), async (request, response) => {
  const { identificador } = JSON.parse((request.body as Buffer).toString()) as { identificador: string }
  await pool.query('insert into events (received_at, kind, subject, body) values (now(), $1, $2, $3)', [
    request.params.kind,
    identificador,
    request.body,
  ])
  response.type('text/plain').send('200')
})
const server = createServer(mutualTls(certs), app)
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
