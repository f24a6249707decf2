import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { Pair } from '../support/issued-pairs.ts'

export interface Seen {
  /** The request, byte by byte. */
  readonly text: string
  /** Subject of the client certificate; null: none was shown. */
  readonly certificate: string | null
  readonly protocol: string | null
}

export interface Witness {
  readonly port: number
  readonly seen: readonly Seen[]
  /** Of one time. */
  mostConnections(): number
}

/** The bytes of an answer; null: none, and the connection stays; `cut`: none, and the connection ends. */
export type WitnessAnswer = string | null | 'cut'

export function httpAnswer(status: string, body: string, headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

export const TOKEN_ANSWER = httpAnswer(
  '200 OK',
  '{"access_token":"secret-token","token_type":"Bearer","expires_in":3600}',
)

/** A TLS server of Node's own, without HTTP: it notes what it receives, and answers requests with the given bytes in their order. */
export async function startWitness(
  { server: pair, authority }: { server: Pair; authority: Pair },
  answers: readonly WitnessAnswer[],
): Promise<Witness> {
  const seen: Seen[] = []
  const waiting = [...answers]
  const [open, most] = [new Set<TLSSocket>(), { count: 0 }]
  const server = createServer(
    { cert: pair.cert, key: pair.key, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    (socket: TLSSocket) => {
      let text = ''
      open.add(socket)
      most.count = Math.max(most.count, open.size)
      socket.once('close', () => open.delete(socket))
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        if (!isWhole(text)) return
        const { subject } = socket.getPeerCertificate()
        seen.push({ text, certificate: subject?.CN?.toString() ?? null, protocol: socket.getProtocol() })
        text = ''
        const answer = waiting.shift() ?? null
        if (answer === 'cut') socket.destroy()
        else if (answer !== null) socket.write(answer, 'latin1')
      })
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, seen, mostConnections: () => most.count }
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
  return end >= 0 && text.length >= end + 4 + length
}
