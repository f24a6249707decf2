import type { SubjectIdentifiers } from '../platform/certificate-subject.ts'
import { LISTENER_NAMES } from './event.ts'
import type { Environment, Realm } from './realm.ts'

/** The listeners that refuse callers. The API takes no callbacks. */
export const REFUSING_LISTENERS = [...LISTENER_NAMES, 'api'] as const
export type RefusingListener = (typeof REFUSING_LISTENERS)[number]

/** Stable codes for refusals, and their texts. */
export const REFUSAL_REASONS = {
  no_certificate: 'no client certificate',
  unknown_issuer: 'its certificate comes from no installed authority (unknown issuer)',
  self_signed: 'its certificate is self-signed (unknown issuer)',
  sibling_issuer: 'issued by no installed issuing certificate (sibling issuer under an installed root)',
  caller_is_ca: 'a CA certificate is not a caller, but for an installed issuing certificate that may sign digitally',
  caller_not_allowed: 'its certificate is of an installed issuer, but not among the callers that this chain allows',
  caller_denied: 'its certificate is denied (deny under its chain in the configuration)',
  expired: 'its certificate has expired',
  issuer_expired: 'a CA certificate above its certificate has expired',
  not_yet_valid: 'its certificate, or one above it, is not yet valid',
  wrong_usage: 'its certificate is not for TLS clients (wrong usage)',
  forged: 'the signature of its certificate, or of one above it, is wrong (forged or damaged)',
  certificate_revoked: 'its certificate, or one above it, is revoked',
  crl_expired: 'the revocation list of an authority above its certificate is out of date (crlExpired: refuse)',
  chain_too_long: 'more CA certificates are above its certificate than their issuers allow',
  weak_certificate: 'its certificate is too weak',
  invalid_certificate: 'its certificate failed verification',
  unsupported_key: 'the key of its certificate is of a type that is not accepted',
  key_not_proven: 'it could not prove that the key of its certificate is its own',
  tls_too_old: 'TLS too old: 1.2 and 1.3 are spoken here',
  not_tls:
    'it did not send TLS: if a load balancer in front sends the PROXY protocol before TLS, switch it off there (proxy_protocol, send-proxy), or name its address in proxyProtocol',
  plain_http: 'it spoke plain HTTP where TLS is spoken',
  no_common_cipher: 'no common cipher',
  no_common_signature: 'no common signature algorithm',
  no_common_group: 'no common group for the key exchange',
  no_common_protocol: 'it asked for another protocol than HTTP/1.1',
  own_certificate_refused: "it does not trust this gateway's own certificate",
  hung_up: 'it closed the connection during the handshake',
  stalled_handshake: 'stalled handshake',
  handshake_failed: 'the handshake failed',
  address_not_allowed: 'its address is not allowed',
  too_many_connections: 'too many connections',
  too_many_from_address: 'too many connections from its address',
  idle_connection: 'idle connection without an authenticated request, its place was needed',
  unknown_path: 'nothing is received at this path',
  unknown_token: 'no such path token',
  invalid_token: 'its access token is not valid',
  wrong_host: 'its Host header names no host of the API',
  wrong_method: 'callbacks are sent by POST',
  no_callback: 'it sent no callback, but a request by GET, HEAD or OPTIONS, or a test call of Portaria',
  encoded_body: 'its body had a content-encoding',
  too_large: 'its body was too large',
  headers_too_large: 'its headers were too large',
  loop: 'this gateway has sent the request itself (CDN-Loop): a destination leads back here',
  bad_request: 'it did not send valid HTTP',
  proxy_header:
    'it sent a PROXY protocol header, which is not read here: switch it off at the load balancer in front (proxy_protocol, send-proxy), or name its address in proxyProtocol',
  proxy_header_missing:
    'it sent no PROXY protocol header, without which nothing is taken from an address in proxyProtocol: switch it on at the load balancer (proxy_protocol, send-proxy)',
  proxy_header_invalid: 'its PROXY protocol header is invalid',
  proxy_header_twice:
    'it sent no TLS behind its PROXY protocol header, but most likely a second header: two load balancers in a row send one each; have the second read that of the first (accept-proxy), or switch it off at one of them',
  request_timeout: 'its request did not arrive in time',
  connection_broken: 'TLS broke on an established connection',
  left_out: 'more callers were refused than are recorded one by one',
} as const

export type RefusalCode = keyof typeof REFUSAL_REASONS

export const REFUSAL_CODES = Object.keys(REFUSAL_REASONS) as readonly RefusalCode[]

/** A certificate that a refused caller showed. Nothing in it is verified. */
export interface PeerCertificateRecord {
  readonly subject: string
  readonly issuer: string
  /** SHA-256 of the DER form, lower-case hexadecimal without colons. */
  readonly fingerprint: string
  /** In ms since 1970; null: not a valid time. */
  readonly notBefore: number | null
  readonly notAfter: number | null
  /** Left out: its subject has none. */
  readonly identifiers?: SubjectIdentifiers
}

/** A refused caller as its listener describes it, without the address. */
export interface RefusedCaller {
  readonly code: RefusalCode
  /** Default: the text of the code. */
  readonly reason?: string | undefined
  /** As Node or OpenSSL names it, such as HPE_INVALID_METHOD. */
  readonly rawCode?: string | undefined
  /** What the caller requested, such as the path; never a token or a query. */
  readonly detail?: string | undefined
  readonly environment?: Realm | undefined
  readonly tlsVersion?: string | undefined
  /** The server name in the handshake (SNI). */
  readonly serverName?: string | undefined
  /** The peer certificate first, then those above it: sent by the caller, or installed. */
  readonly chain?: readonly PeerCertificateRecord[] | undefined
}

/** A refusal as it is stored. */
export interface NewRefusal {
  readonly refusedAt: number
  readonly listener: RefusingListener
  readonly remoteAddress: string
  readonly code: RefusalCode
  readonly reason: string
  readonly rawCode: string | null
  readonly detail: string | null
  readonly environment: Realm | null
  readonly tlsVersion: string | null
  readonly serverName: string | null
  readonly chain: readonly PeerCertificateRecord[]
  /** 1, or with code `left_out` how many were not recorded. */
  readonly count: number
}

export interface RefusalRecord extends NewRefusal {
  readonly id: number
  /** A callback came from the same address soon after, so this was the service's probe for refusal without a certificate. */
  readonly isProbe: boolean
}

/** A refusal without a certificate was the service's probe if a callback comes from the same address within this time. */
export const PROBE_WINDOW_MS = 5 * 60_000

export interface RefusalFilter {
  readonly after?: number
  readonly before?: number
  readonly newestFirst?: boolean
  readonly codes?: readonly RefusalCode[]
  readonly address?: string
  readonly listener?: RefusingListener
  readonly environment?: Environment
  readonly institution?: string
  readonly refusedFrom?: number
  readonly refusedTo?: number
}

export interface RefusalPage {
  readonly refusals: readonly RefusalRecord[]
  /** The number to continue after (newest first: before). Moves past refusals that the filter skipped. */
  readonly next: number
  readonly more: boolean
}

export interface RefusalBatch {
  readonly refusals: readonly NewRefusal[]
  /** Addresses whose refusals without a certificate since that time were the service's probes. */
  readonly probes: readonly { readonly address: string; readonly since: number }[]
}
