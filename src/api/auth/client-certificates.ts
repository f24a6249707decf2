import type { X509Certificate } from 'node:crypto'
import type { Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { connectionAuthenticated } from './authenticated-connections.ts'
import { keepShownCertificate } from './peer-certificate.ts'

/** How the certificate behind a connection is read without a loss of memory. */
export interface CertificateReading {
  /** When the handshake ends, before Node itself looks. */
  readonly capture: (socket: TLSSocket) => void
  /** Behind it, once; undefined: none was shown. */
  readonly take: (socket: TLSSocket) => X509Certificate | undefined
}

export function clientCertificateOptions({
  authorities,
  isRequired,
}: {
  authorities: readonly string[]
  isRequired: boolean
}) {
  if (authorities.length === 0) throw new Error('without an authority every public one would be trusted')
  return {
    ca: [...authorities],
    requestCert: true,
    rejectUnauthorized: isRequired,
  }
}

/** Looks at what callers show: a good certificate is kept for what they ask, a bad one ends the connection, and none is none. */
export function askForCertificates(server: Server, reading: CertificateReading): { closeAll(): void } {
  const seen = new WeakSet<TLSSocket>()
  const shown = new Set<TLSSocket>()

  // The only event that hands out a connection before its handshake ends; its line holds secrets, and is not read.
  server.on('keylog', function captureInTime(_line: Buffer, socket: TLSSocket) {
    if (seen.has(socket)) return
    seen.add(socket)
    socket.prependOnceListener('secure', () => reading.capture(socket))
  })

  // Prepended, for Node's own listener starts HTTP.
  server.prependListener('secureConnection', function lookAtCertificate(socket: TLSSocket) {
    const certificate = reading.take(socket)
    if (certificate === undefined) return
    if (!socket.authorized) return void socket.destroy()
    keepShownCertificate(socket, certificate.raw)
    connectionAuthenticated(socket)
    shown.add(socket)
    socket.once('close', () => shown.delete(socket))
  })

  return {
    closeAll() {
      for (const socket of shown) socket.destroy()
    },
  }
}
