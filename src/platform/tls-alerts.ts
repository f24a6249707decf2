/**
 * TLS alerts of the other side in words: what each means for the side that gets it from a server, and what to do. RFC 5246 section 7.2 and RFC 8446
 * section 6.
 */

interface AlertWords {
  readonly name: string
  readonly advice?: string
}

const WANTS_CERTIFICATE = 'the server wants a client certificate: show one that it trusts'
const NOT_ACCEPTED =
  'the server does not accept the client certificate: check its issuer and its dates, send its full chain, and compare with what the server trusts'
const GARBLED = 'the server could not read what it got: see whether a proxy between both changes the connection'

const ALERTS: Readonly<Record<number, AlertWords>> = {
  0: { name: 'close_notify' },
  10: { name: 'unexpected_message', advice: GARBLED },
  20: { name: 'bad_record_mac', advice: GARBLED },
  22: { name: 'record_overflow', advice: GARBLED },
  40: {
    name: 'handshake_failure',
    advice:
      'the server shares no TLS version, cipher or signature with this side, or wants a client certificate: compare the TLS settings of both',
  },
  41: { name: 'no_certificate', advice: WANTS_CERTIFICATE },
  42: { name: 'bad_certificate', advice: NOT_ACCEPTED },
  43: {
    name: 'unsupported_certificate',
    advice:
      'the server does not take this type of certificate or key: use RSA of 2048 bits or EC P-256, signed with SHA-256',
  },
  44: { name: 'certificate_revoked', advice: 'the certificate is revoked: use another' },
  45: { name: 'certificate_expired', advice: 'the certificate is out of date: renew it' },
  46: { name: 'certificate_unknown', advice: NOT_ACCEPTED },
  47: { name: 'illegal_parameter', advice: GARBLED },
  48: { name: 'unknown_ca', advice: NOT_ACCEPTED },
  49: { name: 'access_denied', advice: NOT_ACCEPTED },
  50: { name: 'decode_error', advice: GARBLED },
  51: {
    name: 'decrypt_error',
    advice: 'the server could not verify the signature: check that its clock, certificate and key are sound',
  },
  70: {
    name: 'protocol_version',
    advice: 'the server speaks no TLS version that this side allows: switch TLS 1.2 or 1.3 on there',
  },
  71: {
    name: 'insufficient_security',
    advice: 'the server wants stronger ciphers: compare the TLS settings of both sides',
  },
  80: { name: 'internal_error', advice: "look at the server's log" },
  86: {
    name: 'inappropriate_fallback',
    advice: 'the server speaks a newer TLS version than it was offered: switch TLS 1.3 on at both sides',
  },
  109: { name: 'missing_extension', advice: GARBLED },
  112: {
    name: 'unrecognized_name',
    advice: 'the server does not know this host name: call it by the name that it is configured for',
  },
  116: { name: 'certificate_required', advice: WANTS_CERTIFICATE },
  120: {
    name: 'no_application_protocol',
    advice: 'the server takes no HTTP/1.1 at this port, perhaps HTTP/2 alone: let it offer HTTP/1.1, too',
  },
}

/** They are about the certificate that this side showed, or did not show. */
export const CERTIFICATE_ALERTS: readonly number[] = [41, 42, 43, 44, 45, 46, 48, 49, 116]

const UNKNOWN = "look at the server's log"

/** Advice for each alert that a server sends. */
export function adviceForAlert(alert: number): string {
  return ALERTS[alert]?.advice ?? UNKNOWN
}

export function describeAlert(alert: number): string {
  return `TLS alert ${alert} (${ALERTS[alert]?.name ?? 'unknown'})`
}

/** The alert with which the other side ended TLS, as OpenSSL names it at the end of its message; null: the error is of another kind. */
export function alertOf(error: unknown): number | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    const found = /SSL alert number (\d+)/.exec(one.message)?.[1]
    if (found !== undefined) return Number(found)
  }
  return null
}

/** What a server meant that ended TLS with an alert, and what to do; null: it sent none. */
export function alertWords(error: unknown): string | null {
  const alert = alertOf(error)
  return alert === null ? null : `${describeAlert(alert)}: ${adviceForAlert(alert)}`
}
