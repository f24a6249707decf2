import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface TestReceiver {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  /** What it answers from now on; 200 at first. */
  answer(status: number, headers?: Record<string, string>, body?: string): void
  stop(): Promise<void>
}

/** An integrator's system: plain http on loopback, remembers everything it got. */
export async function startReceiver(port = 0): Promise<TestReceiver> {
  const received: Received[] = []
  let status = 200
  let answerHeaders: Record<string, string> = {}
  let answerBody = 'thanks'
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(status, answerHeaders).end(answerBody)
    })
  }
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const bound = (server.address() as AddressInfo).port
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  return {
    url: `http://127.0.0.1:${bound}/hook`,
    port: bound,
    received,
    answer(next, headers = {}, body = 'thanks') {
      status = next
      answerBody = body
      answerHeaders = headers
    },
    stop,
  }
}
