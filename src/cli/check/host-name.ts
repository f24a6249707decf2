import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** Whether a certificate names the host, as callers verify it. */
export function isNamedBy(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined
}
