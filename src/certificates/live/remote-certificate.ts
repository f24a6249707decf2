import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { alertWords } from '../../platform/tls-alerts.ts'
import { readServerSafely, sentCertificates } from '../../platform/peer-certificates.ts'

/** What a TLS server shows to a client without trust and without a certificate. */
export interface RemoteCertificate {
  /** The sent certificates in order: the server certificate first. */
  readonly certificates: readonly X509Certificate[]
  readonly protocol: string | null
  /** Whether the server requested a client certificate, and whether it continued without one. */
  readonly clientCertificate: 'not asked for' | 'asked for' | 'required'
  /** Whether the certificate names the requested host. */
  readonly isNamed: boolean
}

export interface TlsServer {
  readonly host: string
  readonly port: number
  /** The port to connect from; left out: any. */
  readonly localPort?: number | undefined
  readonly servername?: string
}

const TIMEOUT_MS = 10_000
/** How long a server that requested a client certificate may take to refuse a client without one. */
const REFUSAL_MS = 1_500

/**
 * Connects only to read the certificates: nothing is trusted and nothing is sent. Throws `not_found` when there is no TLS server.
 * An empty `servername` sends none.
 */
export async function readRemoteCertificate(
  { host, port, localPort, servername = isIP(host) === 0 ? host : '' }: TlsServer,
  { timeoutMs = TIMEOUT_MS, refusalMs = REFUSAL_MS } = {},
): Promise<RemoteCertificate> {
  // Only the declared type of `connect` lacks `localPort`.
  const address = { host, port, localPort }
  const socket = connect({ ...address, servername, rejectUnauthorized: false, ca: [] })
  readServerSafely(socket)
  const seen = await look(socket, { timeoutMs, refusalMs })
    .catch((cause: unknown) => {
      throw new PortariaError(
        'not_found',
        `${host}:${port} shows no certificate (${reasonOf(cause)}): check host and port, and that it speaks TLS 1.2 or 1.3`,
        { cause },
      )
    })
    .finally(() => socket.destroy())
  const name = servername || host
  const [leaf] = seen.certificates
  const isNamed = leaf !== undefined && (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined
  return { ...seen, isNamed }
}

/** The reason alone, because OpenSSL's message has source positions. */
function reasonOf(error: unknown): string {
  return alertWords(error) ?? (error instanceof Error && 'reason' in error ? String(error.reason) : messageOf(error))
}

type Seen = Omit<RemoteCertificate, 'isNamed'>

function look(socket: TLSSocket, limits: { timeoutMs: number; refusalMs: number }): Promise<Seen> {
  return new Promise((done, reject) => {
    let seen: Seen | null = null
    const overdue = setTimeout(() => reject(new Error(`no answer within ${limits.timeoutMs} ms`)), limits.timeoutMs)
    socket.once('close', () => clearTimeout(overdue))
    socket.once('secureConnect', () => {
      seen = seenOn(socket)
      if (seen.clientCertificate === 'not asked for') return done(seen)
      // In TLS 1.3 a refusal comes after the handshake.
      const accepted = seen
      const patience = setTimeout(() => done(accepted), limits.refusalMs)
      socket.once('close', () => clearTimeout(patience))
      socket.resume()
    })
    socket.once('error', (error) => {
      // TLS 1.2 refuses within the handshake, after the certificate.
      const shown = seen ?? seenOn(socket)
      if (shown.certificates.length > 0 && shown.clientCertificate === 'asked for')
        done({ ...shown, clientCertificate: 'required' })
      else reject(error)
    })
    socket.once('end', () => {
      if (seen !== null) done({ ...seen, clientCertificate: 'required' })
      else reject(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }))
    })
  })
}

function seenOn(socket: TLSSocket): Seen {
  return {
    certificates: [...sentCertificates(socket.getPeerX509Certificate())],
    protocol: socket.getProtocol(),
    // Null without a connection, unlike the declared type. There are shared signature algorithms only if the server requested a certificate.
    clientCertificate: (socket.getSharedSigalgs()?.length ?? 0) > 0 ? 'asked for' : 'not asked for',
  }
}
