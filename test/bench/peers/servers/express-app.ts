import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { mutualTls } from '../../servers/tls.ts'

export interface Storage {
  /** Settles when the callback is durable. @param key the same for a callback that comes twice */
  keep(key: string, body: Buffer): unknown
  /** The keys of all callbacks that it has. */
  keys(): Promise<readonly string[]>
}

/** What an integrator writes: the callback is acknowledged when it is stored. @param certs null: plain HTTP, behind nginx */
export function serve(certs: string | null, storage: Storage): void {
  const app = express()
  app.post('/callbacks/payment', express.raw({ type: () => true, limit: '16mb' }), async (request, response) => {
    const { identificador, status } = JSON.parse(request.body.toString())
    await storage.keep(`${identificador} ${status.atual}`, request.body)
    response.type('text/plain').send('200')
  })
  app.get('/stored', async (_request, response) => {
    response.json((await storage.keys()).map((key) => key.split(' ')[0]))
  })
  const server = certs === null ? createHttpServer(app) : createServer(mutualTls(certs), app)
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}
