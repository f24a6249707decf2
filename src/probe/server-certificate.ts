import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { nameOnOneLine } from '../platform/certificate-identity.ts'

/** The server certificate that a request saw. */
export interface ServerCertificate {
  readonly subject: string
  readonly issuer: string
  readonly notAfter: number
  readonly namesHost: boolean
  /** Why the certificate is not trusted; null: it is trusted. */
  readonly distrust: string | null
}

/** null: the handshake did not get that far. */
export function describeCertificate(socket: TLSSocket, url: URL): ServerCertificate | null {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return null
  return {
    subject: nameOnOneLine(certificate.subject),
    issuer: nameOnOneLine(certificate.issuer),
    notAfter: certificate.validToDate.getTime(),
    namesHost: isHostNamed(certificate, hostOf(url)),
    distrust: socket.authorized ? null : distrustText(socket.authorizationError),
  }
}

function isHostNamed(certificate: X509Certificate, host: string): boolean {
  const named = isIP(host) === 0 ? certificate.checkHost(host.replace(/\.$/, '')) : certificate.checkIP(host)
  return named !== undefined
}

const DISTRUST_TEXTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its root is not a known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is unknown, or the server does not send its full chain',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is unknown, or the server does not send its full chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown, or the server does not send its full chain',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it does not name this host',
}

/** Why a certificate is not trusted. Node gives the error's code, unlike the declared type. */
export function distrustText(reason: unknown): string {
  const code = reason instanceof Error && 'code' in reason ? reason.code : reason
  return DISTRUST_TEXTS[String(code)] ?? String(code)
}

/** The host of a URL, an IPv6 address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}
