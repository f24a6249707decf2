import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from '../../platform/http.ts'
import { isSignedWith } from './verifier.ts'

export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The integrator's system: verifies every signature, deduplicates by `webhook-id`, can fail and recover. */
export interface Receiver {
  readonly url: string
  /** Deliveries with a valid signature, by `webhook-id`: the first copy. */
  readonly received: ReadonlyMap<string, ReceivedDelivery>
  /** Deliveries with a `webhook-id` that had been received already. */
  readonly repeated: number
  /** Deliveries with a wrong signature, answered 401. */
  readonly refused: number
  expectSecret(secret: string): void
  verifies(delivery: ReceivedDelivery): boolean
  /** Cuts every connection from now on. The port stays bound, so that no other process can take it. */
  breakDown(): void
  recover(): void
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received = new Map<string, ReceivedDelivery>()
  const state = { secret: '', isDown: false, repeated: 0, refused: 0 }
  const verifies = ({ headers, body }: ReceivedDelivery) => isSignedWith(state.secret, headers, body)
  function take(delivery: ReceivedDelivery, response: ServerResponse): void {
    if (!verifies(delivery)) {
      state.refused++
      response.writeHead(401).end()
      return
    }
    const id = String(delivery.headers['webhook-id'])
    if (received.has(id)) state.repeated++
    else received.set(id, delivery)
    response.writeHead(204).end()
  }
  const server = createServer((request, response) => readWhole(request, (delivery) => take(delivery, response)))
  server.on('connection', (socket) => {
    if (state.isDown) socket.destroy()
  })
  await new Promise<void>((listening, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', listening)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    received,
    get repeated() {
      return state.repeated
    },
    get refused() {
      return state.refused
    },
    verifies,
    expectSecret(secret) {
      state.secret = secret
    },
    breakDown() {
      state.isDown = true
      server.closeAllConnections()
    },
    recover() {
      state.isDown = false
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

function readWhole(request: IncomingMessage, done: (delivery: ReceivedDelivery) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done({ headers: request.headers, body: Buffer.concat(chunks) }))
}
