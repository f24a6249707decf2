import type { X509Certificate } from 'node:crypto'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Environment } from '../domain/event.ts'
import { captureCertificate, describePeerChain, peerChain } from '../tls/peer-certificate.ts'
import { addressOf } from '../tls/remote-address.ts'
import { serverNameOf } from './connection.ts'
import { reasonOfHandshake, reasonOfVerification } from './refusal-reasons.ts'
import type { OnRefused } from './refusals.ts'

export interface HandshakeOptions {
  /** It was closed for another, and that was reported. */
  readonly hasMadeRoom: (socket: Socket) => boolean
  readonly onRefused: OnRefused
  /** Of whose chain a certificate would be, if it were good; left out where none is asked for. */
  readonly environmentOf?: ((certificate: X509Certificate) => Environment | undefined) | undefined
  /** Lets in a caller although its certificate has this flaw; it then stands for all of the verification. Left out: nobody. */
  readonly excuses?: ((flaw: NodeJS.ErrnoException, socket: TLSSocket) => boolean) | undefined
  readonly now: () => number
}

export interface Handshakes {
  admit(socket: Socket): void
  /** Its handshake failed: it gets no answer, and no second word. */
  hasFailed(socket: Socket): boolean
  /** Cuts off those that are under way. */
  end(): void
}

/** What is known of a connection from the middle of its handshake on, when it can still be asked. */
interface Seen {
  readonly remoteAddress: string
  readonly tlsVersion: string | undefined
}

/** Follows each connection through its handshake: who fails is told of once, with all that can be had. */
export function watchHandshakes(server: HttpsServer, options: HandshakeOptions): Handshakes {
  const { onRefused } = options
  const underWay = new Map<string, Socket>()
  const seen = new WeakMap<Socket, Seen>()
  const failed = new WeakSet<Socket>()
  const reported = new WeakSet<Socket>()

  // The only event that hands out a connection before its handshake ends; the secrets in the line are nobody's business. Node destroys
  // a connection with a bad certificate before it says so, and of a destroyed one nothing can be had: not even its address.
  server.on('keylog', function lookInTime(_line: Buffer, socket: TLSSocket) {
    if (seen.has(socket)) return
    seen.set(socket, { remoteAddress: addressOf(socket), tlsVersion: socket.getProtocol() ?? undefined })
    if (options.environmentOf !== undefined) socket.prependOnceListener('secure', () => lookAtCertificate(socket))
  })

  function lookAtCertificate(socket: TLSSocket): void {
    underWay.delete(endpointOf(socket))
    const flaw = verificationError(socket)
    if (flaw === null || (flaw !== undefined && options.excuses?.(flaw, socket) === true)) captureCertificate(socket)
    else if (flaw !== undefined) refuseCertificate(flaw, socket)
  }

  server.on('secureConnection', (socket: TLSSocket) => underWay.delete(endpointOf(socket)))

  // Prepended, for Node's own listener passes the error on as a clientError.
  server.prependListener('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    failed.add(socket)
    const unverified = socket.authorizationError as unknown
    if (unverified !== undefined && unverified !== null) refuseUnseen(String(unverified), socket)
    // Who hung up, or was cut off here: told of where that happens.
    else if (!isHangUp(error)) refuseHandshake(error, socket)
    socket.destroy()
  })

  function refuseCertificate({ code = 'UNSPECIFIED', message }: NodeJS.ErrnoException, socket: TLSSocket): void {
    reported.add(socket)
    onRefused(addressOf(socket), () => {
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

  /** A bad certificate that could not be looked at in time. */
  function refuseUnseen(rawCode: string, socket: TLSSocket): void {
    if (reported.has(socket)) return
    const { remoteAddress = 'unknown', tlsVersion } = seen.get(socket) ?? {}
    onRefused(remoteAddress, () => {
      const reason = reasonOfVerification(rawCode, undefined, { certificate: undefined, now: options.now() })
      return { ...reason, tlsVersion, serverName: serverNameOf(socket) }
    })
  }

  function refuseHandshake(error: NodeJS.ErrnoException, socket: TLSSocket): void {
    underWay.delete(endpointOf(socket))
    const reason = reasonOfHandshake(error)
    // In TLS 1.3 the secrets are made before the certificate would come, in 1.2 behind it. The connection itself cannot be asked: it
    // is destroyed by now, and Node 24 ends the whole process (a segmentation fault) when such a one is asked for its protocol.
    const unseenVersion = reason.code === 'no_certificate' ? 'TLSv1.2' : undefined
    onRefused(addressOf(socket), () => ({
      ...reason,
      tlsVersion: seen.get(socket)?.tlsVersion ?? unseenVersion,
      serverName: serverNameOf(socket),
    }))
  }

  return {
    admit(socket) {
      const key = endpointOf(socket)
      const remoteAddress = addressOf(socket)
      underWay.set(key, socket)
      socket.once('close', () => {
        if (underWay.get(key) !== socket) return
        underWay.delete(key)
        // Whoever closes without a byte only looked whether the port is open.
        if (socket.bytesRead > 0 && !options.hasMadeRoom(socket)) onRefused(remoteAddress, () => ({ code: 'hung_up' }))
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
 * What OpenSSL has against the peer's certificate; null: nothing. Only the handle under the socket has the words: of half of all flaws Node
 * says but UNSPECIFIED. Where a later Node has no such handle, the answer is undefined, and the reasons are less exact.
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

function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`
}
