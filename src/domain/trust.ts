import type { X509Certificate } from 'node:crypto'
import { fingerprintOf } from '../platform/certificate-identity.ts'
import { SUBJECT_ATTRIBUTES, type SubjectAttribute, subjectValues } from '../platform/certificate-subject.ts'
import { INSTITUTION_NAME, OWN_NAME } from './client.ts'
import type { Realm } from './realm.ts'

/** Which callers of a chain are accepted. A caller must satisfy every list that is not empty. */
export interface CallerRules {
  readonly subjectCommonNames: readonly string[]
  /** As OpenSSL prints them, with or without the type: `DNS:calls.example`, `calls.example`. */
  readonly subjectAlternativeNames: readonly string[]
  /** SHA-256 of the peer certificate, hexadecimal, lower case, without colons. */
  readonly fingerprints: readonly string[]
  /** Decoded values of attributes of the subject; left out: no condition. */
  readonly subject?: SubjectRules | undefined
}

/** An empty list, and one that is left out, set no condition. */
export type SubjectRules = { readonly [Name in SubjectAttribute]?: readonly string[] | undefined }

/** Callers of a chain that are always refused. */
export interface DeniedCallers {
  /** As in CallerRules. */
  readonly fingerprints: readonly string[]
  /** In the form of `canonicalSerial`. */
  readonly serials: readonly string[]
}

/** client: TLS refuses a certificate that is not for clients. any: such a certificate is accepted if `allow` matches. */
export const CALLER_USAGES = ['client', 'any'] as const
export type CallerUsage = (typeof CALLER_USAGES)[number]

/** Effect of a revocation list that is out of date: its callers are refused, or checked against it nevertheless. */
export const CRL_EXPIRED = ['refuse', 'warn'] as const
export type CrlExpired = (typeof CRL_EXPIRED)[number]

/** The chain's certificate revocation lists about an issuing certificate and its callers. */
export interface Revocation {
  /** Serial numbers of revoked callers, in the form of `canonicalSerial`. */
  readonly serials: ReadonlySet<string>
  /** The issuing certificate is revoked, or on every path to its root a certificate above it. */
  readonly isIssuerRevoked: boolean
  /** Callers are refused outside this time (ms since 1970); null: lists that are out of date stay in effect. */
  readonly current: { readonly from: number; readonly until: number } | null
  /** Equal for equal lists. */
  readonly identity: string
}

/**
 * An issuing certificate of an installed chain: a certificate that issued no other certificate of its file; a root only if it is alone there.
 * A caller is accepted only if one of these issued its certificate, or if its certificate is one of these. Its callbacks get the chain's environment.
 */
export interface IssuingCertificate {
  readonly environment: Realm
  readonly certificate: X509Certificate
  /** Its file, for error texts. */
  readonly file: string
  readonly allow: CallerRules
  readonly deny: DeniedCallers
  /** Whether a caller may show this certificate itself: its key may sign digitally. */
  readonly mayCall: boolean
  /**
   * Whether to accept a caller that TLS refuses only because of its extended key usage. Verifies everything else again.
   * null: the chain has no `usage: any`, so no such caller is accepted.
   */
  readonly verifiesWithoutUsage: ((caller: X509Certificate, now: number) => boolean) | null
  /** null: the chain has no revocation lists. */
  readonly revocation: Revocation | null
}

/** The installed chains of the service, parsed and checked. */
export interface Trust {
  /** Every certificate of every chain, PEM: what TLS verifies against. Never empty. */
  readonly authorities: readonly string[]
  readonly issuing: readonly IssuingCertificate[]
}

/** The authorities of the API's client certificates, and what they revoked. */
export interface ClientTrust {
  /** PEM; never empty. */
  readonly authorities: readonly string[]
  /** Why a client whose certificate TLS has verified is refused at that time (ms since 1970); null: it is accepted. */
  problemOf(client: X509Certificate, now: number): 'certificate_revoked' | 'crl_expired' | null
  /** Equal for equal authorities and lists. */
  readonly identity: string
}

/** Why a certificate does not identify a caller of the installed chains. */
const UNIDENTIFIED = [
  'caller_is_ca',
  'sibling_issuer',
  'caller_denied',
  'certificate_revoked',
  'crl_expired',
  'caller_not_allowed',
  'wrong_usage',
] as const
export type CallerProblem = (typeof UNIDENTIFIED)[number]

/** Why a change of the chains would refuse an earlier caller, or assign it to another environment. */
export const CALLER_PROBLEMS = [...UNIDENTIFIED, 'other_environment', 'issuer_out_of_date'] as const

/** How a chain would be activated: it joins the active chains, or replaces them. */
export const ACTIVATIONS = ['beside', 'instead'] as const
export type Activation = (typeof ACTIVATIONS)[number]

export const CHAIN_CHANGES = ['added', 'removed', 'kept'] as const
/** The role of a chain's certificate: it issues callers, is above such a certificate, or is the root. */
export const CHAIN_ROLES = ['issuing', 'intermediate', 'root'] as const

export interface Judging {
  /** ms since 1970. */
  readonly now: number
  /** False: TLS refused the caller because of the use of its certificate, or of a certificate above it. */
  readonly hasClientUse: boolean
}

/**
 * The issuing certificate that accepts this caller. Only the issuer that signed the peer certificate counts, not a shared root.
 * TLS has verified the dates and the path to the root.
 */
export function issuerOfCaller(
  caller: X509Certificate,
  issuing: readonly IssuingCertificate[],
  { now, hasClientUse }: Judging,
): IssuingCertificate | CallerProblem {
  const issuers = issuersOf(caller, issuing)
  if (issuers.length === 0) return caller.ca ? 'caller_is_ca' : 'sibling_issuer'
  // A chain that denies the caller overrides another chain with the same issuing certificate.
  if (issuers.some(({ deny }) => isDenied(caller, deny))) return 'caller_denied'
  const unrevoked = issuers.filter(({ revocation }) => revocation?.isIssuerRevoked !== true)
  const serial = canonicalSerial(caller.serialNumber)
  if (unrevoked.length === 0 || unrevoked.some(({ revocation }) => revocation?.serials.has(serial)))
    return 'certificate_revoked'
  if (unrevoked.some(({ revocation }) => !isCurrent(revocation, now))) return 'crl_expired'
  const allowing = unrevoked.filter(({ allow }) => isAllowed(caller, allow))
  // A certificate with the names of two institutions is of neither.
  if (new Set(allowing.map(({ environment }) => environment)).size !== 1) return 'caller_not_allowed'
  return (
    allowing.find(({ verifiesWithoutUsage }) => hasClientUse || verifiesWithoutUsage?.(caller, now) === true) ??
    'wrong_usage'
  )
}

/**
 * The installed issuing certificates that signed this certificate, also those that do not accept it. For a CA certificate only itself, byte for
 * byte, because the owner of its key could issue a client certificate anyway.
 */
export function issuersOf(
  certificate: X509Certificate,
  issuing: readonly IssuingCertificate[],
): readonly IssuingCertificate[] {
  return issuing.filter((issuer) =>
    certificate.ca
      ? issuer.mayCall && issuer.certificate.raw.equals(certificate.raw)
      : hasSigned(issuer.certificate, certificate),
  )
}

/** Hexadecimal in lower case, without colons and leading zeros; a negative one begins with `-`. */
export function canonicalSerial(text: string): string {
  const [, sign = '', digits = ''] = /^(-?)0*(.*)$/.exec(text.replaceAll(':', '').toLowerCase()) ?? []
  return digits === '' ? '0' : `${sign}${digits}`
}

function hasSigned(issuer: X509Certificate, caller: X509Certificate): boolean {
  try {
    return caller.checkIssued(issuer) && caller.verify(issuer.publicKey)
  } catch {
    // A key of an algorithm that OpenSSL does not know cannot have made a valid signature.
    return false
  }
}

export function isCurrent(revocation: Revocation | null, now: number): boolean {
  const current = revocation?.current ?? null
  return current === null || (current.from <= now && now < current.until)
}

function isDenied(caller: X509Certificate, { fingerprints, serials }: DeniedCallers): boolean {
  return fingerprints.includes(fingerprintOf(caller)) || serials.includes(canonicalSerial(caller.serialNumber))
}

/** Those of a private authority for apps and for the gateway itself call only where a rule names them: its chain is for those of institutions. */
function isAllowed(caller: X509Certificate, allow: CallerRules): boolean {
  const { subjectCommonNames, subjectAlternativeNames, fingerprints, subject = {} } = allow
  const hasRule = [...Object.values(subject), subjectCommonNames, subjectAlternativeNames, fingerprints].some(
    (names = []) => names.length > 0,
  )
  if (!hasRule && alternativeNamesOf(caller).some(isForOthers)) return false
  return (
    isIn(subjectCommonNames, commonNamesOf(caller)) &&
    isIn(subjectAlternativeNames, alternativeNamesOf(caller)) &&
    isIn(fingerprints, [fingerprintOf(caller)]) &&
    SUBJECT_ATTRIBUTES.every((name) => isIn(subject[name] ?? [], subjectValues(caller, name)))
  )
}

/**
 * Whether rules of two chains with one issuing certificate tell their callers apart: a list that both have shares no name. A certificate with a name of
 * each is refused.
 */
export function areToldApart(one: CallerRules, other: CallerRules): boolean {
  const ofOther = new Map(listsOf(other))
  return listsOf(one).some(([list, names]) => {
    const others = ofOther.get(list) ?? []
    return names.length > 0 && others.length > 0 && !names.some((name) => others.includes(name))
  })
}

function listsOf({ subject = {}, subjectAlternativeNames, ...lists }: CallerRules): [string, readonly string[]][] {
  const withoutTypes = subjectAlternativeNames.map((name) => name.replace(NAME_TYPES, ''))
  return [
    ...Object.entries(lists),
    ['subjectAlternativeNames', withoutTypes],
    ...Object.entries(subject).map(([name, values = []]): [string, readonly string[]] => [`subject.${name}`, values]),
  ]
}

function isForOthers(name: string): boolean {
  return name.startsWith(`URI:${OWN_NAME}`) && name !== `URI:${INSTITUTION_NAME}`
}

function isIn(wanted: readonly string[], found: readonly string[]): boolean {
  return wanted.length === 0 || found.some((name) => wanted.includes(name))
}

/** As a configuration may have them: as the gateway shows them, with the escapes of OpenSSL (`A\, B`), or as they are. */
function commonNamesOf(certificate: X509Certificate): string[] {
  return (
    (certificate.subject ?? '')
      .split('\n')
      // Several attributes on one level are on one line. In a value, this plus sign is escaped.
      .flatMap((line) => line.split(' + '))
      .filter((attribute) => attribute.startsWith('CN='))
      .map((attribute) => attribute.slice(3))
      .flatMap((name) => [name, withoutEscapes(name)])
  )
}

/** RFC 4514 section 2.4. Two hexadecimal digits are a control character. */
function withoutEscapes(name: string): string {
  return name.replaceAll(/\\(?:([0-9A-F]{2})|(.))/g, (_, hex: string | undefined, special: string) =>
    hex === undefined ? special : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const NAME_TYPES = /^(?:DNS|URI|email|IP Address|DirName|Registered ID|othername):/

function alternativeNamesOf(certificate: X509Certificate): string[] {
  // Node writes a name that could be misread as a JSON string.
  const names = (certificate.subjectAltName ?? '').match(/[A-Za-z ]+:(?:"(?:[^"\\]|\\.)*"|[^,]*)/g) ?? []
  return names.flatMap((entry) => {
    const at = entry.indexOf(':')
    const written = entry.slice(at + 1).trim()
    const name = written.startsWith('"') ? String(JSON.parse(written)) : written
    const typed = `${entry.slice(0, at).trim()}:${name}`
    // The URI `DNS:calls.example` is not that host.
    return NAME_TYPES.test(name) ? [typed] : [typed, name]
  })
}
