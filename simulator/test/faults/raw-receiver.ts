import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { inject } from 'vitest'

/** One connection as the receiver saw it. */
export interface Connection {
  readonly protocol: string | null
  /** SNI; false: none was sent. */
  readonly serverName: string | false | null
  /** Common name of the issuer of the caller's certificate; null: none was shown. */
  readonly issuer: string | null
  /** Why the certificate does not count; null: it does. */
  readonly refusal: string | null
  /** Everything that was sent, head and body. */
  readonly request: string
  /** Pieces in which the body came. */
  readonly pieces: number
  readonly isComplete: boolean
  /** Whether it was closed before the answer was sent. */
  readonly isCut: boolean
}

export interface RawReceiver {
  readonly connections: readonly Connection[]
  urlOf(path: string): string
  /** Resolves when so many connections are over. */
  over(count: number): Promise<void>
  stop(): Promise<void>
}

/** A receiver on Node's TLS sockets that writes down what each connection did; it answers complete requests with 200. */
export async function startRawReceiver(chain: string): Promise<RawReceiver> {
  const folder = inject('testCa')
  const connections: Connection[] = []
  const open = new Set<TLSSocket>()
  const server = createServer(
    {
      cert: readFileSync(join(folder, 'server.crt')),
      key: readFileSync(join(folder, 'server.key')),
      ca: chain,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (socket) => follow(socket),
  )
  function follow(socket: TLSSocket): void {
    let request = ''
    let pieces = 0
    let isAnswered = false
    open.add(socket)
    // A closed socket has forgotten them.
    const issuer = socket.getPeerCertificate().issuer?.CN as string | undefined
    const [protocol, serverName] = [socket.getProtocol(), socket.servername]
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      const [, earlier = ''] = split(request)
      request += chunk.toString('utf8')
      if ((split(request)[1] ?? '').length > earlier.length) pieces += 1
      if (!isWhole(request) || isAnswered) return
      isAnswered = socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-receiver: raw\r\n\r\nok')
    })
    socket.once('close', () => {
      open.delete(socket)
      connections.push({
        protocol,
        serverName,
        issuer: issuer ?? null,
        refusal: socket.authorizationError === null ? null : String(socket.authorizationError),
        request,
        pieces,
        isComplete: isWhole(request),
        isCut: !isAnswered,
      })
      server.emit('over')
    })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    connections,
    urlOf: (path) => `https://localhost:${port}/${path}`,
    async over(count) {
      while (connections.length < count) await once(server, 'over')
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function split(request: string): string[] {
  return request.split('\r\n\r\n')
}

function isWhole(request: string): boolean {
  const [head = '', body] = split(request)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  return body !== undefined && Buffer.byteLength(body) >= length
}
