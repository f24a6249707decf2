import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { messageOf, PortariaError } from '../../platform/errors.ts'

/** What a TLS server shows to somebody who trusts nothing and has no certificate. */
export interface RemoteCertificate {
  /** What the server sent, in order of issue: its own certificate first. */
  readonly certificates: readonly X509Certificate[]
  readonly protocol: string | null
  /** Whether it asked for a client certificate, and whether it went on without one. */
  readonly clientCertificate: 'not asked for' | 'asked for' | 'required'
  /** Whether its certificate names the host that was asked for. */
  readonly isNamed: boolean
}

const TIMEOUT_MS = 10_000
/** How long a server that asked for a client certificate may take to refuse a caller without one. */
const REFUSAL_MS = 1_500

/**
 * Connects only to look: nothing is trusted and nothing is sent. Throws `not_found` when there is no TLS server.
 * An empty `servername` sends none.
 */
export async function readRemoteCertificate(
  { host, port, servername = isIP(host) === 0 ? host : '' }: { host: string; port: number; servername?: string },
  { timeoutMs = TIMEOUT_MS, refusalMs = REFUSAL_MS } = {},
): Promise<RemoteCertificate> {
  // With no authority at all, Node adds none of its own to what the server sent.
  const socket = connect({ host, port, servername, rejectUnauthorized: false, ca: [] })
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
  const [own] = seen.certificates
  const isNamed = own !== undefined && (isIP(name) === 0 ? own.checkHost(name) : own.checkIP(name)) !== undefined
  return { ...seen, isNamed }
}

/** OpenSSL's own message is a line of its source; its reason is words. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'reason' in error ? String(error.reason) : messageOf(error)
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
      // In TLS 1.3 a refusal only comes after the handshake.
      const accepted = seen
      const patience = setTimeout(() => done(accepted), limits.refusalMs)
      socket.once('close', () => clearTimeout(patience))
      socket.resume()
    })
    socket.once('error', (error) => {
      // TLS 1.2 refuses within the handshake, when the certificate has come already.
      const shown = seen ?? seenOn(socket)
      if (shown.certificates.length > 0 && shown.clientCertificate === 'asked for')
        done({ ...shown, clientCertificate: 'required' })
      else reject(error)
    })
    socket.once('end', () => {
      if (seen !== null) done({ ...seen, clientCertificate: 'required' })
      else reject(new Error('the connection was closed'))
    })
  })
}

function seenOn(socket: TLSSocket): Seen {
  return {
    certificates: chainOf(socket.getPeerCertificate(true)),
    protocol: socket.getProtocol(),
    // Null without a connection, whatever the types say. A client shares signature algorithms only with a server that asked for its certificate.
    clientCertificate: (socket.getSharedSigalgs()?.length ?? 0) > 0 ? 'asked for' : 'not asked for',
  }
}

/** Node ends the chain with a certificate that is its own issuer. */
function chainOf(peer: (PeerCertificate & { issuerCertificate?: PeerCertificate }) | null): X509Certificate[] {
  const chain: X509Certificate[] = []
  const isNew = (one: PeerCertificate) => chain.every((other) => !other.raw.equals(one.raw))
  for (let next: typeof peer | undefined = peer; next?.raw !== undefined && isNew(next); next = next.issuerCertificate)
    chain.push(new X509Certificate(next.raw))
  return chain
}
