import { once } from 'node:events'
import { connect } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { Address } from '../../src/gateway/addresses.ts'
import { OPERATOR_TOKEN, serviceCredentials, type TestSite } from './gateway.ts'
import { until } from './until.ts'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A connection on which the test writes its bytes itself. */
export interface RawCaller {
  send(bytes: string | Uint8Array): void
  /** Everything answered so far, interim answers (1xx) too. */
  answers(): RawAnswer[]
  /** Waits for this many answers, or for the end of the connection. */
  settled(count: number): Promise<void>
  isClosed(): boolean
  closed(): Promise<void>
  /** Sends no more, still listens. */
  finish(): void
  /** Stops reading what is answered. */
  pause(): void
  destroy(): void
}

/** The bytes of a callback of a payment. */
export function rawCallback(body: string): string {
  return `POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Connects with the service's client certificate; destroyed when the test is over. */
export async function openRawCaller(gateway: { callbacks: Address; site: TestSite }): Promise<RawCaller> {
  const socket = connect({
    host: '127.0.0.1',
    port: gateway.callbacks.port,
    servername: 'localhost',
    ...serviceCredentials(gateway.site),
  })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  let received = ''
  let isClosed = false
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  // A reset is one way to be closed; what was answered before it counts.
  socket.on('error', () => undefined)
  socket.on('end', () => {
    isClosed = true
  })
  socket.on('close', () => {
    isClosed = true
  })
  const answers = () => parseAnswers(received)
  return {
    send: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    answers,
    settled: async (count) => void (await until(() => isClosed || answers().length >= count)),
    isClosed: () => isClosed,
    closed: async () => void (await until(() => isClosed)),
    finish: () => void socket.end(),
    pause: () => void socket.pause(),
    destroy: () => void socket.destroy(),
  }
}

/** Complete answers only. One to HEAD has a length and no body: the next answer follows its head, or nothing. */
function parseAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = received
  for (;;) {
    const head = /^HTTP\/1\.1 ([0-9]{3})[^\r]*\r\n((?:[^\r]+\r\n)*)\r\n/.exec(rest)
    if (head === null) return answers
    const headers = parseHeaders(head[2] ?? '')
    rest = rest.slice(head[0].length)
    // Node itself answers an unknown Expect, with an empty chunked body.
    const length =
      headers['transfer-encoding'] === 'chunked' ? '0\r\n\r\n'.length : Number(headers['content-length'] ?? 0)
    const body = rest.startsWith('HTTP/1.1 ') ? '' : rest.slice(0, length)
    if (body.length < length && body.length > 0) return answers
    answers.push({ status: Number(head[1]), headers, body })
    rest = rest.slice(body.length)
  }
}

function parseHeaders(lines: string): Record<string, string> {
  const pairs = lines
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
  return Object.fromEntries(pairs)
}

/** What `GET /v1/events/:id/original` gives, as bytes. */
export async function originalOf(api: Address, eventId: string): Promise<Buffer> {
  const answer = await fetch(`http://127.0.0.1:${api.port}/v1/events/${eventId}/original`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  })
  return Buffer.from(await answer.arrayBuffer())
}
