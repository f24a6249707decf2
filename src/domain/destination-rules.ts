import { X509Certificate } from 'node:crypto'
import { COMMAND } from '../platform/installation.ts'

/** Rules for a destination's settings: the same in the configuration file, in the API and on the command line. */
export const DESTINATION_LIMITS = {
  timeoutMs: { min: 100, max: 120_000 },
  /** Limited, because each attempt has its body in memory. */
  concurrency: { min: 1, max: 256 },
  /** Deliveries a second. */
  rateLimit: { min: 1, max: 100_000 },
  scheduleSteps: 100,
  scheduleWaitMs: { min: 0, max: 30 * 86_400_000 },
  headers: 32,
  /** Limited, because they are compared with each event in the transaction that stores it. */
  exactSubjects: 500,
  subjectPrefixes: 50,
  /** Limit of an event's subject, in UTF-16 code units. */
  subjectLength: 512,
  /** How long the previous secret signs beside the new one. */
  overlapMs: { min: 0, max: 30 * 86_400_000 },
} as const

/** Dots are allowed, because a destination without a name gets its host name. @returns the problem in words, or null */
export function problemOfDestinationName(name: string): string | null {
  return /^[a-z0-9][a-z0-9.-]{0,62}$/i.test(name)
    ? null
    : 'must be a name of up to 63 letters, digits, dots and hyphens that starts with a letter or a digit'
}

/** RFC 9110 section 5.1: a field name is a token. @returns the problem in words, or null */
export function problemOfHeaderName(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name))
    return 'is not the name of an HTTP header: use letters, digits and hyphens, at most 128'
  return isExtraHeaderAllowed(name) ? null : 'is set by the gateway itself: remove it'
}

/** RFC 9110 section 5.5, ASCII only. @returns the problem in words, or null */
export function problemOfHeaderValue(value: string): string | null {
  if (!/^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(value))
    return 'must be ASCII text without line breaks, and without spaces at its ends'
  return value.length > 4096 ? 'must be at most 4096 characters' : null
}

/** A subject, or the beginning of one. @returns the problem in words, or null */
export function problemOfSubject(subject: string): string | null {
  if (subject === '') return 'is empty'
  return subject.length > DESTINATION_LIMITS.subjectLength
    ? `must be at most ${DESTINATION_LIMITS.subjectLength} characters`
    : null
}

export const EMPTY_SUBJECTS = 'is empty, so that no event would match: leave subjects out for every event'

/** Checks a filter as a whole. @returns the problem in words, or null */
export function problemOfSubjects(filter: {
  readonly exact: readonly unknown[]
  readonly prefix: readonly unknown[]
}): string | null {
  const { exactSubjects, subjectPrefixes } = DESTINATION_LIMITS
  if (filter.exact.length === 0 && filter.prefix.length === 0) return EMPTY_SUBJECTS
  if (filter.exact.length > exactSubjects) return `must be at most ${exactSubjects} exact subjects`
  return filter.prefix.length > subjectPrefixes ? `must be at most ${subjectPrefixes} prefixes` : null
}

/** Header names are case-insensitive (RFC 9110 section 5.1). @returns the problem in words, or null */
export function problemOfHeaderNames(names: readonly string[]): string | null {
  if (names.length > DESTINATION_LIMITS.headers) return `must be at most ${DESTINATION_LIMITS.headers} headers`
  return new Set(names.map((name) => name.toLowerCase())).size === names.length
    ? null
    : 'a header is there twice: names do not tell small and capital letters apart'
}

/** Headers that a destination may not set: ours, and those that frame or route the request. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'cdn-loop',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/** Whether a destination may set this header. Other headers are never sent. */
export function isExtraHeaderAllowed(name: string): boolean {
  const lower = name.toLowerCase()
  return !RESERVED_HEADERS.has(lower) && !lower.startsWith('portaria-') && !lower.startsWith('webhook-')
}

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/** Limit of a destination's authorities, in characters. */
export const AUTHORITIES_LIMIT = 65_536

/** The problem with the PEM of a destination's private authorities, in words; null: none. An empty list would mean every public root. */
export function problemOfAuthorities(pem: string): string | null {
  if (pem.length > AUTHORITIES_LIMIT) return `must be at most ${AUTHORITIES_LIMIT} characters of PEM`
  if (isBinary(pem))
    return `is binary, not PEM; of a .p12 or .pfx, take the CA certificates with "openssl pkcs12 -in FILE -cacerts -nokeys -out FILE.pem" ("${COMMAND} certs import" installs a certificate with its key)`
  const blocks = pem.match(CERTIFICATE_BLOCK) ?? []
  if (blocks.length === 0 || blocks.length !== (pem.match(/-----BEGIN /g) ?? []).length)
    return 'must hold CA certificates in PEM form, each of them whole: convert another form with "openssl x509 -in FILE -out FILE.pem", PKCS#7 with "openssl pkcs7 -print_certs -in FILE -out FILE.pem"'
  for (const [index, block] of blocks.entries()) {
    const certificate = parseCertificate(block)
    if (certificate === null && !block.trim().includes('\n'))
      return `certificate ${index + 1} has no line breaks: put its first and its last line on lines of their own`
    if (certificate === null) return `certificate ${index + 1} is damaged: export it again`
    if (!certificate.ca)
      return `certificate ${index + 1} is not a CA certificate: name the authority that issued the destination's certificate`
  }
  return null
}

/** DER or PKCS#12, read as text: an ASN.1 SEQUENCE of more than 127 bytes. */
function isBinary(text: string): boolean {
  return /^0[^\0-\x7f]/.test(text)
}

function parseCertificate(block: string): X509Certificate | null {
  try {
    return new X509Certificate(block)
  } catch {
    // The caller reports the problem.
    return null
  }
}
