import type { X509Certificate } from 'node:crypto'
import { type CrlExpired, canonicalSerial, type Revocation } from '../../domain/trust.ts'
import { hasIssued, nameOf, problemsOf, readCertificates } from '../files/pem.ts'
import { chainFilesOf } from './chain-folder.ts'
import { type RevocationList, readRevocationLists } from './revocation-list.ts'

/** The revocation lists of one entry of `trust` with its chains. */
export interface RevocationOptions {
  readonly files: readonly string[]
  /** Where the configuration names them, for texts; default `crl`. */
  readonly key?: string
  readonly expired: CrlExpired
  /** The entry's `chain`: a list for one of its staged or retired chains is no mistake. */
  readonly chain: string
  /** Every certificate of the entry's active chains. */
  readonly certificates: readonly X509Certificate[]
  readonly now: Date
  /** The content of the files; left out: it is read. */
  readonly lists?: ReadonlyMap<string, readonly RevocationList[]> | undefined
}

export interface Revocations {
  /** The revocation state of one of the certificates as an issuer of callers. */
  of(issuing: X509Certificate): Revocation
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** The newest lists of an authority together. */
interface Known {
  readonly serials: ReadonlySet<string>
  readonly from: number
  readonly until: number
}

/**
 * Checks revocation here and not in OpenSSL, which refuses every caller when the list of one authority is missing or out of date.
 * @param issuing those of the certificates that issue callers
 */
export function loadRevocations(options: RevocationOptions, issuing: readonly X509Certificate[]): Revocations {
  const { files, expired, certificates, lists: given } = options
  const problems: string[] = []
  const warnings: string[] = []
  const lists = uniqueLists(files.flatMap((file) => given?.get(file) ?? readable(file, problems)))
  const known = new Map<X509Certificate, Known>()
  for (const authority of certificates) {
    const ofAuthority = newestOf(lists.filter((list) => list.isSignedBy(authority)))
    if (ofAuthority.length > 0) known.set(authority, joined(ofAuthority))
  }
  problems.push(...explainForeign(lists, options))
  if (problems.length === 0) {
    const incomplete = explainMissing(options, issuing, known)
    if (expired === 'refuse') problems.push(...incomplete)
    else warnings.push(...incomplete)
    warnings.push(...explainDates(lists, options))
  }
  const unrevoked = certificates.filter((certificate) => !isRevoked(certificate, certificates, known))
  const identity = JSON.stringify([expired, lists.map(({ fingerprint }) => fingerprint)])

  return {
    problems,
    warnings,
    of(authority) {
      const above = authoritiesAbove(authority, unrevoked)
      const times = above.map((one) => known.get(one)).filter((one) => one !== undefined)
      return {
        serials: known.get(authority)?.serials ?? new Set(),
        isIssuerRevoked: !unrevoked.includes(authority) || !above.some((one) => hasIssued(one, one)),
        current:
          expired === 'warn'
            ? null
            : { from: Math.max(...times.map(({ from }) => from)), until: Math.min(...times.map(({ until }) => until)) },
        identity,
      }
    },
  }
}

/** "expired on …" or "is not valid before …"; null: the list is current. */
export function explainListOutOfDate({ thisUpdate, nextUpdate }: RevocationList, now: Date): string | null {
  if (nextUpdate !== null && now.getTime() >= nextUpdate) return `expired on ${new Date(nextUpdate).toISOString()}`
  if (now.getTime() < thisUpdate) return `is not valid before ${new Date(thisUpdate).toISOString()}`
  return null
}

/** The newest list of each scope and issuer. An older one may name certificates that were only suspended. */
export function newestOf(lists: readonly RevocationList[]): RevocationList[] {
  const same = Map.groupBy(lists, ({ issuer, scope }) => `${issuer}\n${scope}`)
  return [...same.values()].flatMap((group) =>
    group.toSorted((one, two) => two.thisUpdate - one.thisUpdate).slice(0, 1),
  )
}

function readable(file: string, problems: string[]): readonly RevocationList[] {
  try {
    return readRevocationLists(file)
  } catch (error) {
    problems.push(...problemsOf(error))
    return []
  }
}

function uniqueLists(lists: readonly RevocationList[]): RevocationList[] {
  return [...new Map(lists.toReversed().map((list) => [list.fingerprint, list])).values()].toReversed()
}

function joined(lists: readonly RevocationList[]): Known {
  const [first, ...others] = lists
  return {
    // The rule is one list, which may be large: it is not copied with each reading of the files.
    serials:
      first !== undefined && others.length === 0
        ? first.serials
        : new Set(lists.flatMap(({ serials }) => [...serials])),
    from: Math.max(...lists.map(({ thisUpdate }) => thisUpdate)),
    until: Math.min(...lists.map(({ nextUpdate }) => nextUpdate ?? Number.POSITIVE_INFINITY)),
  }
}

/** Whether an issuer revoked the certificate; a root may name itself. */
function isRevoked(
  certificate: X509Certificate,
  all: readonly X509Certificate[],
  known: ReadonlyMap<X509Certificate, Known>,
): boolean {
  const serial = canonicalSerial(certificate.serialNumber)
  return all.some((issuer) => known.get(issuer)?.serials.has(serial) === true && hasIssued(issuer, certificate))
}

function explainDates(
  lists: readonly RevocationList[],
  { certificates, expired, now, key = 'crl' }: RevocationOptions,
): string[] {
  const inUse = lists.filter((list) => certificates.some((one) => list.isSignedBy(one)))
  return newestOf(inUse).flatMap((list) => {
    const problem = explainListOutOfDate(list, now)
    if (problem === null) return []
    const effect =
      expired === 'refuse'
        ? `callers of its authority are refused (${key}Expired: refuse)`
        : 'what was revoked since is not known here'
    return `${list.file}: the revocation list of "${list.issuer}" ${problem}; ${effect}: install the current one`
  })
}

/** The certificate and every certificate above it. */
function authoritiesAbove(start: X509Certificate, all: readonly X509Certificate[]): X509Certificate[] {
  const reached = new Set([start])
  // The set grows during the iteration, so each certificate is visited once, also in cross-signed circles.
  for (const certificate of reached) for (const issuer of all) if (hasIssued(issuer, certificate)) reached.add(issuer)
  return [...reached]
}

/** A list is trusted by its signature, so a list of an authority that is not installed has no effect. */
function explainForeign(
  lists: readonly RevocationList[],
  { certificates, chain, key = 'crl' }: RevocationOptions,
): string[] {
  const foreign = lists.filter((list) => !certificates.some((authority) => list.isSignedBy(authority)))
  if (foreign.length === 0) return []
  const waiting = chainFilesOf(chain).flatMap(({ file }) => certificatesOf(file))
  return foreign
    .filter((list) => !waiting.some((authority) => list.isSignedBy(authority)))
    .map(
      ({ file, issuer }) =>
        `${file}: the revocation list of "${issuer}" is signed by no CA certificate of the chain ${chain} that may sign lists: name the list of an installed authority, or remove it from ${key}`,
    )
}

function certificatesOf(file: string): X509Certificate[] {
  try {
    return readCertificates(file, 'trust')
  } catch {
    // An unusable staged chain is reported when it is activated.
    return []
  }
}

function explainMissing(
  { certificates, key }: RevocationOptions,
  issuing: readonly X509Certificate[],
  known: ReadonlyMap<X509Certificate, Known>,
): string[] {
  const needed = new Set(issuing.flatMap((certificate) => authoritiesAbove(certificate, certificates)))
  return [...needed]
    .filter((authority) => !known.has(authority))
    .map(
      (authority) =>
        `no revocation list under ${key ?? 'crl'} is of ${nameOf(authority)}, so what it revoked is not known here: get the list that it publishes and name its file under ${key ?? 'crl of its chain'}`,
    )
}
