import type { X509Certificate } from 'node:crypto'
import type { Environment } from './event.ts'

/** Which callers of a chain are let in; an empty list asks for nothing. A caller must satisfy every list that is not empty. */
export interface CallerRules {
  readonly subjectCommonNames: readonly string[]
  /** As OpenSSL shows them, with or without the type: `DNS:calls.example`, `calls.example`. */
  readonly subjectAlternativeNames: readonly string[]
  /** SHA-256 of the caller's own certificate, hexadecimal, lower case, without colons. */
  readonly fingerprints: readonly string[]
}

/**
 * An issuing certificate of an installed chain: one that issued no other certificate of its file; a root only when it stands alone.
 * A caller is accepted only if one of these issued it; the chain's environment is stamped on what it sends.
 */
export interface IssuingCertificate {
  readonly environment: Environment
  readonly certificate: X509Certificate
  /** The file it came from, for texts. */
  readonly file: string
  readonly allow: CallerRules
}

/** The installed chains of the service, parsed and checked. */
export interface Trust {
  /** Every certificate of every chain, PEM: what TLS verifies against. Never empty. */
  readonly authorities: readonly string[]
  readonly issuing: readonly IssuingCertificate[]
}

/** Why a certificate is no caller of the installed chains. */
export type CallerProblem = 'caller_is_ca' | 'sibling_issuer' | 'caller_not_allowed'

/**
 * The issuing certificate that lets this caller in. A shared root says nothing: only who signed the caller's own certificate counts.
 * Dates and the way up to the root are TLS's to verify.
 */
export function issuerOfCaller(
  caller: X509Certificate,
  issuing: readonly IssuingCertificate[],
): IssuingCertificate | CallerProblem {
  if (caller.ca) return 'caller_is_ca'
  const issuers = issuing.filter(({ certificate }) => hasSigned(certificate, caller))
  if (issuers.length === 0) return 'sibling_issuer'
  return issuers.find(({ allow }) => isAllowed(caller, allow)) ?? 'caller_not_allowed'
}

function hasSigned(issuer: X509Certificate, caller: X509Certificate): boolean {
  try {
    return caller.checkIssued(issuer) && caller.verify(issuer.publicKey)
  } catch {
    // A key of an algorithm that OpenSSL does not know has signed nothing that it accepts.
    return false
  }
}

function isAllowed(caller: X509Certificate, allow: CallerRules): boolean {
  return (
    isIn(allow.subjectCommonNames, commonNamesOf(caller)) &&
    isIn(allow.subjectAlternativeNames, alternativeNamesOf(caller)) &&
    isIn(allow.fingerprints, [caller.fingerprint256.replaceAll(':', '').toLowerCase()])
  )
}

function isIn(wanted: readonly string[], found: readonly string[]): boolean {
  return wanted.length === 0 || found.some((name) => wanted.includes(name))
}

function commonNamesOf(certificate: X509Certificate): string[] {
  return (certificate.subject ?? '')
    .split('\n')
    .filter((line) => line.startsWith('CN='))
    .map((line) => line.slice(3))
}

function alternativeNamesOf(certificate: X509Certificate): string[] {
  // Node writes a name that could be misread as a JSON string.
  const names = (certificate.subjectAltName ?? '').match(/[A-Za-z ]+:(?:"(?:[^"\\]|\\.)*"|[^,]*)/g) ?? []
  return names.flatMap((entry) => {
    const at = entry.indexOf(':')
    const written = entry.slice(at + 1).trim()
    const name = written.startsWith('"') ? String(JSON.parse(written)) : written
    return [`${entry.slice(0, at).trim()}:${name}`, name]
  })
}
