import type { X509Certificate } from 'node:crypto'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Realm } from '../domain/realm.ts'
import { captureCertificate, describePeerChain, peerChain } from '../tls/peer-certificate.ts'
import { isStated, type RemoteEnd, remoteEndOf } from '../tls/remote-address.ts'
import { serverNameOf } from './connection.ts'
import { reasonOfHandshake, reasonOfVerification } from './refusal-reasons.ts'
import type { OnRefused } from './refusals.ts'

export interface HandshakeOptions {
  /** The connection was closed to make room for another, which was reported. */
  readonly hasMadeRoom: (socket: Socket) => boolean
  readonly onRefused: OnRefused
  /** The environment of the chain that a certificate claims; left out where no client certificate is requested. */
  readonly environmentOf?: ((certificate: X509Certificate) => Realm | undefined) | undefined
  /** Whether to accept a certificate with this flaw. Must then verify everything itself. Left out: no flaw is accepted. */
  readonly excuses?: ((flaw: NodeJS.ErrnoException, socket: TLSSocket) => boolean) | undefined
  readonly now: () => number
}

export interface Handshakes {
  admit(socket: Socket): void
  /** The handshake failed: no answer and no second report. */
  hasFailed(socket: Socket): boolean
  /** Closes connections whose handshake is under way. */
  end(): void
}

/** Read in the middle of the handshake, while the connection can still be asked. */
interface Seen extends RemoteEnd {
  readonly tlsVersion: string | undefined
}

/** Follows each connection through its handshake, and reports a failure once, with all that is known. */
export function watchHandshakes(server: HttpsServer, options: HandshakeOptions): Handshakes {
  const { onRefused } = options
  const underWay = new Map<string, Socket>()
  const seen = new WeakMap<Socket, Seen>()
  const failed = new WeakSet<Socket>()
  const reported = new WeakSet<Socket>()

  // The only event with the connection before its handshake ends. The line has secrets and is not read. Node destroys a connection with a bad
  // certificate before it reports it, and then not even the address can be read.
  server.on('keylog', function readInTime(_line: Buffer, socket: TLSSocket) {
    if (seen.has(socket)) return
    seen.set(socket, { ...knownEndOf(socket), tlsVersion: socket.getProtocol() ?? undefined })
    if (options.environmentOf !== undefined) socket.prependOnceListener('secure', () => checkCertificate(socket))
  })

  function checkCertificate(socket: TLSSocket): void {
    underWay.delete(endpointOf(socket))
    const flaw = verificationError(socket)
    if (flaw === null || (flaw !== undefined && options.excuses?.(flaw, socket) === true)) captureCertificate(socket)
    else if (flaw !== undefined) refuseCertificate(flaw, socket)
  }

  server.on('secureConnection', (socket: TLSSocket) => underWay.delete(endpointOf(socket)))

  // Prepended, because Node's listener passes the error on as a clientError.
  server.prependListener('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    failed.add(socket)
    const unverified = socket.authorizationError as unknown
    if (unverified !== undefined && unverified !== null) refuseUnseen(String(unverified), socket)
    // A caller that hung up, or that was disconnected here, is reported where that happens.
    else if (!isHangUp(error)) refuseHandshake(error, socket)
    socket.destroy()
  })

  function refuseCertificate({ code = 'UNSPECIFIED', message }: NodeJS.ErrnoException, socket: TLSSocket): void {
    reported.add(socket)
    onRefused(socket, () => {
      const chain = peerChain(socket)
      const [certificate] = chain
      const environment = certificate === undefined ? undefined : options.environmentOf?.(certificate)
      const isOfChain = environment !== undefined
      return {
        ...reasonOfVerification(code, message, { certificate, isOfChain, now: options.now() }),
        tlsVersion: socket.getProtocol() ?? undefined,
        serverName: serverNameOf(socket),
        environment,
        chain: describePeerChain(chain),
      }
    })
  }

  /** Refuses a bad certificate that could not be read in time. */
  function refuseUnseen(rawCode: string, socket: TLSSocket): void {
    if (reported.has(socket)) return
    const { tlsVersion, ...end } = seen.get(socket) ?? {}
    onRefused(end, () => {
      const reason = reasonOfVerification(rawCode, undefined, { certificate: undefined, now: options.now() })
      return { ...reason, tlsVersion, serverName: serverNameOf(socket) }
    })
  }

  function refuseHandshake(error: NodeJS.ErrnoException, socket: TLSSocket): void {
    underWay.delete(endpointOf(socket))
    const reason = reasonOfHandshake(error, isStated(socket))
    // TLS 1.3 derives the secrets before the client certificate is due, TLS 1.2 after it. The connection is destroyed by now: asking it for its
    // protocol would end the process (a segmentation fault in Node 24).
    const unseenVersion = reason.code === 'no_certificate' ? 'TLSv1.2' : undefined
    onRefused(socket, () => ({
      ...reason,
      tlsVersion: seen.get(socket)?.tlsVersion ?? unseenVersion,
      serverName: serverNameOf(socket),
    }))
  }

  return {
    admit(socket) {
      const key = endpointOf(socket)
      const end = knownEndOf(socket)
      const bytesBefore = socket.bytesRead - socket.readableLength
      underWay.set(key, socket)
      socket.once('close', () => {
        if (underWay.get(key) !== socket) return
        underWay.delete(key)
        // A caller that closes without a byte only checked whether the port is open. A PROXY protocol header is the load balancer's.
        if (socket.bytesRead > bytesBefore && !options.hasMadeRoom(socket)) onRefused(end, () => ({ code: 'hung_up' }))
      })
    },
    hasFailed: (socket) => failed.has(socket),
    end() {
      const sockets = [...underWay.values()]
      underWay.clear()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * OpenSSL's verification error; null: none. Only the handle below the socket has the text, because Node reports half of all flaws as UNSPECIFIED.
 * Where a later Node has no such handle, the result is undefined, and the reasons are less exact.
 */
function verificationError(socket: TLSSocket): NodeJS.ErrnoException | null | undefined {
  const { _handle: handle } = socket as {
    _handle?: { verifyError?: () => NodeJS.ErrnoException | null | undefined } | null
  }
  return typeof handle?.verifyError === 'function' ? (handle.verifyError() ?? null) : undefined
}

function isHangUp({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT' || code === 'ECONNABORTED'
}

/** Of a closed connection it can no longer be read. */
function knownEndOf(socket: Socket): RemoteEnd {
  const { remoteAddress, remotePort } = remoteEndOf(socket)
  return { remoteAddress, remotePort }
}

function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`
}
