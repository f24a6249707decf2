import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from '../../platform/http.ts'
import { isSignedWith } from './verifier.ts'

export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The integrator's system: verifies every signature, deduplicates by `webhook-id`, can fail and recover. */
export class Receiver {
  /** Deliveries with a valid signature, by `webhook-id`: the first copy. */
  readonly received = new Map<string, ReceivedDelivery>()
  /** Deliveries with a `webhook-id` that had been received already. */
  repeated = 0
  /** Deliveries with a wrong signature, answered 401. */
  refused = 0
  /** With which deliveries are signed; the first step sets it. */
  secret = ''
  #isDown = false
  readonly #server = createServer((request, response) => {
    // A sender that goes away ends its request, which then needs no answer.
    readWhole(request).then(
      (delivery) => this.#take(delivery, response),
      () => undefined,
    )
  })

  async start(): Promise<void> {
    this.#server.on('connection', (socket) => {
      if (this.#isDown) socket.destroy()
    })
    await new Promise<void>((listening, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', listening)
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callbacks`
  }

  verifies({ headers, body }: ReceivedDelivery): boolean {
    return isSignedWith(this.secret, headers, body)
  }

  /** Cuts every connection from now on. The port stays bound, so that no other process can take it. */
  breakDown(): void {
    this.#isDown = true
    this.#server.closeAllConnections()
  }

  recover(): void {
    this.#isDown = false
  }

  close(): Promise<void> {
    return new Promise((done) => {
      this.#server.close(() => done())
      this.#server.closeAllConnections()
    })
  }

  #take(delivery: ReceivedDelivery, response: ServerResponse): void {
    const id = String(delivery.headers['webhook-id'])
    const isGenuine = this.verifies(delivery)
    if (!isGenuine) this.refused++
    else if (this.received.has(id)) this.repeated++
    else this.received.set(id, delivery)
    response.writeHead(isGenuine ? 204 : 401).end()
  }
}

async function readWhole(request: IncomingMessage): Promise<ReceivedDelivery> {
  return { headers: request.headers, body: Buffer.concat(await request.toArray()) }
}
