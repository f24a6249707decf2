import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { inject } from 'vitest'

export interface Received {
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string
}

export interface Receiver {
  readonly port: number
  /** What arrived with a certificate. */
  readonly received: readonly Received[]
  urlOf(path: string): string
  /** Resolves when so many have arrived. */
  arrived(count: number): Promise<void>
  /** Resolves when so many handshakes have failed. */
  refused(count: number): Promise<void>
  /** How many handshakes have failed. */
  refusals(): number
  stop(): Promise<void>
}

export interface ReceiverOptions {
  /** PEM of the chain whose callers are let in; null: everybody. */
  readonly chain: string | null
  /** The status of each answer; by default 200. */
  readonly answer?: (received: Received) => number | 'silence' | 'cut'
  /** Lets callers without a certificate in and answers them like this, after the handshake. */
  readonly uncertified?: RequestListener
}

/** The authority of the receiver's server certificate: for `--receiver-ca`. */
export function receiverCaFile(): string {
  return join(inject('testCa'), 'server-ca.crt')
}

/** An integrator's callback endpoint made of Node's own server: it requires client certificates of the chain. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { chain, answer = () => 200, uncertified } = options
  const received: Received[] = []
  const folder = inject('testCa')
  const server: Server = createServer(
    {
      cert: readFileSync(join(folder, 'server.crt')),
      key: readFileSync(join(folder, 'server.key')),
      ...(chain !== null && { ca: chain, requestCert: true, rejectUnauthorized: uncertified === undefined }),
    },
    async (request, response) => {
      if (uncertified !== undefined && !(request.socket as TLSSocket).authorized) return uncertified(request, response)
      const chunks: Buffer[] = await request.toArray()
      const one = {
        path: request.url ?? '',
        contentType: request.headers['content-type'],
        body: Buffer.concat(chunks).toString('utf8'),
      }
      received.push(one)
      server.emit('arrived')
      const status = answer(one)
      if (status === 'cut') request.socket.destroy()
      else if (status !== 'silence') response.writeHead(status).end(String(status))
    },
  )
  let refusals = 0
  server.on('tlsClientError', () => {
    refusals++
    server.emit('refused')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    received,
    refusals: () => refusals,
    urlOf: (path) => `https://localhost:${port}/${path}`,
    async arrived(count) {
      while (received.length < count) await once(server, 'arrived')
    },
    async refused(count) {
      while (refusals < count) await once(server, 'refused')
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
