import type { X509Certificate } from 'node:crypto'
import type { Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { ClientTrust } from '../../domain/trust.ts'
import { connectionAuthenticated } from './authenticated-connections.ts'
import { keepPeerCertificate } from './peer-certificate.ts'

/** Reads the peer certificate of a connection; Node's own accessor leaks memory. */
export interface CertificateReading {
  /** Called at the end of the handshake, before Node reads the certificate. */
  readonly capture: (socket: TLSSocket) => void
  /** Called once after the handshake; undefined: no certificate. */
  readonly take: (socket: TLSSocket) => X509Certificate | undefined
}

export function clientCertificateOptions(authorities: readonly string[], isRequired: boolean) {
  if (authorities.length === 0) throw new Error('without an authority every public one would be trusted')
  return {
    ca: [...authorities],
    requestCert: true,
    rejectUnauthorized: isRequired,
  }
}

export interface PeerCheck {
  readonly reading: CertificateReading
  readonly trust: () => ClientTrust
  readonly onRefused: (socket: TLSSocket, code: NonNullable<ReturnType<ClientTrust['problemOf']>>) => void
}

/**
 * Keeps a valid peer certificate for the requests of its connection, and closes connections with an invalid or revoked one. None at all is accepted.
 */
export function checkPeerCertificates(server: Server, { reading, trust, onRefused }: PeerCheck) {
  const seen = new WeakSet<TLSSocket>()
  const connections = new Map<TLSSocket, X509Certificate>()

  // No other event gives access to a connection before its handshake ends. The line contains secrets and is ignored.
  server.on('keylog', function captureInTime(_line: Buffer, socket: TLSSocket) {
    if (seen.has(socket)) return
    seen.add(socket)
    socket.prependOnceListener('secure', () => reading.capture(socket))
  })

  // Prepended, because Node's own listener starts HTTP.
  server.prependListener('secureConnection', function lookAtCertificate(socket: TLSSocket) {
    const certificate = reading.take(socket)
    if (certificate === undefined) return
    if (!socket.authorized) return void socket.destroy()
    const problem = trust().problemOf(certificate, Date.now())
    if (problem !== null) {
      onRefused(socket, problem)
      return void socket.destroy()
    }
    keepPeerCertificate(socket, certificate)
    connectionAuthenticated(socket)
    connections.set(socket, certificate)
    socket.once('close', () => connections.delete(socket))
  })

  return {
    closeAll() {
      for (const socket of connections.keys()) socket.destroy()
    },
    /** Those that a new handshake would refuse. */
    closeRevoked() {
      for (const [socket, certificate] of connections)
        if (trust().problemOf(certificate, Date.now()) !== null) socket.destroy()
    },
  }
}
