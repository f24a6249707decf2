import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { generate } from 'selfsigned'
import { onTestFinished } from 'vitest'
import type { ClaimedDelivery } from '../../src/domain/delivery.ts'
import type { Destination } from '../../src/domain/destination.ts'

export interface Receiver {
  readonly port: number
  /** Connections accepted so far. */
  readonly sockets: readonly Socket[]
}

/** Listens on 127.0.0.1 until the test ends. */
async function listen(server: Server): Promise<Receiver> {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => {
    sockets.push(socket.on('error', () => {}))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

/** Speaks whatever the test writes. */
export function startRaw(onSocket: (socket: Socket, number: number) => void = () => {}): Promise<Receiver> {
  let connections = 0
  return listen(createServer((socket) => onSocket(socket, ++connections)))
}

export function startTls(options: TlsOptions, onSocket: (socket: Socket) => void = () => {}): Promise<Receiver> {
  return listen(createTlsServer(options, onSocket).on('tlsClientError', () => {}))
}

export interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export type Respond = (response: ServerResponse) => void

/** Keeps what came and answers 200, or as told. */
export async function startHttp(
  respond: Respond = (response) => response.end('ok'),
): Promise<Receiver & { readonly received: readonly Received[] }> {
  const received: Received[] = []
  const server = createHttpServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    received.push({ method: request.method, url: request.url, headers: request.headers, body })
    respond(response)
  })
  return { ...(await listen(server)), received }
}

export async function certificateFor(name: string): Promise<{ cert: string; key: string }> {
  const altName = /^[0-9.]+$/.test(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name }
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [altName] }],
  })
  return { cert: made.cert, key: made.private }
}

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export function aDestination(url: string, changes: Partial<Destination> = {}): Destination {
  return {
    id: 1,
    name: 'shop',
    url,
    kinds: null,
    environments: null,
    institutions: null,
    subjects: null,
    authentication: 'any',
    format: 'original',
    secrets: [SECRET],
    previousSecretUntil: null,
    timeoutMs: 5_000,
    concurrency: 2,
    rateLimit: null,
    schedule: null,
    order: 'none',
    onExhausted: 'hold',
    authorities: null,
    circuitOpenedAt: null,
    headers: [],
    origin: 'operator',
    registrationId: null,
    owner: null,
    state: 'active',
    pauseReason: null,
    createdAt: 0,
    ...changes,
  }
}

export function aDelivery(changes: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  return {
    deliveryId: 10,
    destinationId: 1,
    attempt: 3,
    retriesUsed: 2,
    dueAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    agesFrom: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    hasOrderKey: false,
    isBacklog: false,
    isReplay: false,
    event: {
      id: 'evt_1',
      kind: 'payment',
      environment: 'production',
      authentication: 'mutual-tls',
      source: null,
      subject: '42',
      status: 'LIQUIDADO',
      receivedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
      part: 1,
      parts: 1,
    },
    contentType: 'application/json',
    body: Buffer.from('{"pix":[]}'),
    ...changes,
  }
}
