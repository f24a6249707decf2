import { constants } from 'node:crypto'
import type { TlsOptions } from 'node:tls'

// AEAD only. AES-128 first, because it is the fastest and strong enough.
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

// Without SHA-1 and DSA, which TLS 1.2 accepts by default, and without brainpool curves, which TLS 1.3 accepts: getPeerCertificate() of Node 24
// ends the process for a caller's key on one.
const SIGNATURE_ALGORITHMS = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ecdsa_secp521r1_sha512',
  'ed25519',
  'rsa_pss_rsae_sha256',
  'rsa_pss_rsae_sha384',
  'rsa_pss_rsae_sha512',
  'rsa_pss_pss_sha256',
  'rsa_pss_pss_sha384',
  'rsa_pss_pss_sha512',
  'rsa_pkcs1_sha256',
  'rsa_pkcs1_sha384',
  'rsa_pkcs1_sha512',
].join(':')

export interface ServerKeyPair {
  /** PEM, full chain. */
  readonly cert: string
  readonly key: string
}

/** TLS of every listener: 1.2 and 1.3 only, AEAD ciphers with forward secrecy, no renegotiation, no session tickets. */
export function serverTlsOptions(certificate: ServerKeyPair, handshakeTimeoutMs: number): TlsOptions {
  return {
    cert: certificate.cert,
    key: certificate.key,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: CIPHERS,
    honorCipherOrder: true,
    sigalgs: SIGNATURE_ALGORITHMS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: handshakeTimeoutMs,
  }
}

/**
 * TLS of a listener that requires a client certificate. Always set as a whole, because `setSecureContext` forgets what is left out.
 * @param authorities PEM, never empty: without `ca` OpenSSL trusts every public root
 */
export function mutualTlsOptions(
  certificate: ServerKeyPair,
  authorities: readonly string[],
  handshakeTimeoutMs: number,
): TlsOptions {
  if (authorities.length === 0) throw new Error('a listener that requires client certificates needs an authority')
  return {
    ...serverTlsOptions(certificate, handshakeTimeoutMs),
    ca: [...authorities],
    requestCert: true,
    rejectUnauthorized: true,
  }
}
