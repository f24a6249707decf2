import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hasPassed, loopText } from '../domain/forwarding/forwarding-loop.ts'
import type { RefusalCode } from '../domain/refusal.ts'
import { alertOf, describeAlert } from '../platform/tls-alerts.ts'
import { flawOfMessage } from '../tls/message-flaw.ts'
import { isProxyHeader } from '../tls/proxy-header.ts'

/** Why a caller is refused. Without `reason`, the text of the code applies. */
export interface Reason {
  readonly code: RefusalCode
  readonly reason?: string
  readonly rawCode?: string
}

/** Errors of OpenSSL and Node have more fields than their declared type. */
export type TlsOrHttpError = NodeJS.ErrnoException & {
  readonly reason?: string
  readonly library?: string
  readonly rawPacket?: Buffer
}

/** Names as in X509_verify_cert_error_string(3) and in Node. */
const VERIFICATION: Readonly<Record<string, RefusalCode>> = {
  UNABLE_TO_GET_ISSUER_CERT: 'unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_issuer',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown_issuer',
  CERT_UNTRUSTED: 'unknown_issuer',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self_signed',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  INVALID_PURPOSE: 'wrong_usage',
  CERT_SIGNATURE_FAILURE: 'forged',
  CERT_REVOKED: 'certificate_revoked',
  PATH_LENGTH_EXCEEDED: 'chain_too_long',
  CERT_CHAIN_TOO_LONG: 'chain_too_long',
}

const HANDSHAKE: Readonly<Record<string, RefusalCode>> = {
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'no_certificate',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls_too_old',
  ERR_SSL_VERSION_TOO_LOW: 'tls_too_old',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tls_too_old',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'not_tls',
  ERR_SSL_HTTP_REQUEST: 'plain_http',
  ERR_SSL_HTTPS_PROXY_REQUEST: 'plain_http',
  ERR_SSL_NO_SHARED_CIPHER: 'no_common_cipher',
  ERR_SSL_NO_SHARED_SIGNATURE_ALGORITHMS: 'no_common_signature',
  ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM: 'no_common_signature',
  ERR_SSL_WRONG_SIGNATURE_TYPE: 'no_common_signature',
  ERR_SSL_NO_SUITABLE_KEY_SHARE: 'no_common_group',
  ERR_SSL_NO_SUITABLE_GROUPS: 'no_common_group',
  ERR_SSL_NO_APPLICATION_PROTOCOL: 'no_common_protocol',
  ERR_SSL_WRONG_CURVE: 'unsupported_key',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'stalled_handshake',
}

/** Alerts of a caller that rejects the server certificate. */
const OWN_CERTIFICATE_ALERT = /_ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_[A-Z]+)$/

/** For a caller of an installed chain. It may be the service itself, whose renewed certificate lost the use. */
export const WRONG_USAGE_OF_CHAIN = {
  code: 'wrong_usage',
  reason:
    'its certificate, or one above it, is not for TLS clients (wrong usage): if it is the service, write usage: any and allow (who it is) under its chain in the configuration',
} as const

/** Why a peer certificate failed verification. @param words OpenSSL's text, if available */
export function reasonOfVerification(
  rawCode: string,
  words: string | undefined,
  shown: { certificate: X509Certificate | undefined; isOfChain?: boolean; now: number },
): Reason {
  const code = VERIFICATION[rawCode]
  if (code === 'wrong_usage' && shown.isOfChain === true) return { ...WRONG_USAGE_OF_CHAIN, rawCode }
  if (code === 'wrong_usage' && shown.certificate?.ca === true) return { code: 'caller_is_ca', rawCode }
  if (code === 'expired' && shown.certificate !== undefined && Date.parse(shown.certificate.validTo) > shown.now)
    return { code: 'issuer_expired', rawCode }
  if (code !== undefined) return { code, rawCode }
  if (words === undefined) return { code: 'invalid_certificate', rawCode }
  // UNSPECIFIED covers many flaws, which only the text distinguishes.
  if (words.endsWith('too weak'))
    return { code: 'weak_certificate', reason: `its certificate is too weak: ${words}`, rawCode }
  return { code: 'invalid_certificate', reason: `its certificate failed verification: ${words}`, rawCode }
}

/** Why a handshake failed before its certificate was verified. @param isBehindHeader a PROXY protocol header was read before it */
export function reasonOfHandshake(error: TlsOrHttpError, isBehindHeader: boolean): Reason {
  const rawCode = error.code ?? error.message.slice(0, 100)
  const code = HANDSHAKE[rawCode]
  // The address is that of a caller: naming it in proxyProtocol would let it claim any other.
  if (code === 'not_tls' && isBehindHeader) return { code: 'proxy_header_twice', rawCode }
  if (code !== undefined) return { code, rawCode }
  if (OWN_CERTIFICATE_ALERT.test(rawCode)) return { code: 'own_certificate_refused', rawCode }
  if (isWrongSignature(error)) return { code: 'key_not_proven', rawCode }
  const alert = alertOf(error)
  if (alert !== null)
    return { code: 'handshake_failed', reason: `the caller ended the handshake: ${describeAlert(alert)}`, rawCode }
  return { code: 'handshake_failed', ...(error.reason && { reason: `the handshake failed: ${error.reason}` }), rawCode }
}

/** OpenSSL's error for a signature of another key depends on the bytes of the signature. */
function isWrongSignature({ library, reason = '' }: TlsOrHttpError): boolean {
  return library === 'rsa routines' || reason === 'bad signature' || reason === 'provider signature failure'
}

/** Why a request could not be read; null: the network failed, which is no refusal. */
export function reasonOfRequest(error: TlsOrHttpError): Reason | null {
  const rawCode = error.code ?? error.message.slice(0, 100)
  if (rawCode === 'HPE_HEADER_OVERFLOW') return { code: 'headers_too_large', rawCode }
  if (rawCode === 'ERR_HTTP_REQUEST_TIMEOUT') return { code: 'request_timeout', rawCode }
  if (rawCode.startsWith('ERR_SSL_'))
    return { code: 'connection_broken', ...(error.reason && { reason: `TLS broke: ${error.reason}` }), rawCode }
  if (!rawCode.startsWith('HPE_')) return null
  if (isProxyHeader(error.rawPacket)) return { code: 'proxy_header', rawCode }
  return { code: 'bad_request', ...(error.reason && { reason: `bad request: ${error.reason}` }), rawCode }
}

export const CONNECT_REFUSED: Reason = { code: 'bad_request', reason: 'bad request: CONNECT, but this is no proxy' }

const UNKNOWN_EXPECTATION = {
  code: 'bad_request',
  reason: 'bad request: its Expect header asks for something else than 100-continue',
} as const

/** A request that is refused whatever its target is. */
export interface RequestFlaw {
  readonly status: 400 | 417 | 508
  readonly reason: Reason
  /** Of the answer. */
  readonly text: string
}

/**
 * Finds what HTTP does not allow (RFC 9112 sections 2.3 and 3.2, RFC 9110 section 10.1.1), and requests that this instance sent itself (RFC 8586).
 */
export function flawOfRequest(request: IncomingMessage, instance: string): RequestFlaw | null {
  const flaw = flawOfMessage(request)
  if (flaw !== null) {
    const reason = `bad request: ${flaw}`
    return { status: 400, reason: { code: 'bad_request', reason }, text: reason }
  }
  const { expect, 'cdn-loop': loop } = request.headers
  if (loop !== undefined && hasPassed(loop, instance))
    return { status: 508, reason: { code: 'loop' }, text: loopText(instance) }
  // HTTP/1.0 has no Expect.
  if (expect !== undefined && request.httpVersion === '1.1' && !CONTINUE.test(expect))
    return { status: 417, reason: UNKNOWN_EXPECTATION, text: UNKNOWN_EXPECTATION.reason }
  return null
}

/** The same expression as in Node. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i
