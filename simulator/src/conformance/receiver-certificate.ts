import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'

/** What a receiver shows of itself. */
export interface ReceiverCertificate {
  readonly raw: Buffer
  readonly certificate: X509Certificate
  /** OpenSSL's code of the verification; null: the chain is complete and trusted. */
  readonly distrust: string | null
}

/** Of a connection whose context has the authorities that count. null: it was resumed, or shows none. */
export function certificateOf(socket: TLSSocket): ReceiverCertificate | null {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return null
  const error = socket.authorizationError as Error | string | null
  return {
    raw: certificate.raw,
    certificate,
    distrust: error === null || error === undefined ? null : codeOf(error),
  }
}

function codeOf(error: Error | string): string {
  return typeof error === 'string' ? error : String((error as NodeJS.ErrnoException).code ?? error.message)
}
