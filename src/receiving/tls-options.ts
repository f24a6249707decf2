import type { TlsOptions } from 'node:tls'
import { type ServerKeyPair, serverTlsOptions } from '../tls/server-tls-options.ts'

/**
 * The complete set for the callback listener: always passed whole, for `setSecureContext` forgets what is left out.
 * @param authorities never empty: without `ca` OpenSSL trusts every public root
 */
export function callbackTlsOptions(
  serverCertificate: ServerKeyPair,
  authorities: readonly string[],
  handshakeTimeoutMs: number,
): TlsOptions {
  if (authorities.length === 0) throw new Error('the callback listener needs at least one authority')
  return {
    ...serverTlsOptions(serverCertificate, handshakeTimeoutMs),
    ca: [...authorities],
    requestCert: true,
    rejectUnauthorized: true,
  }
}
