import type { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { institutionOf, type Realm, trustKeyOf } from '../../domain/realm.ts'
import {
  areToldApart,
  type CallerRules,
  type CallerUsage,
  type CrlExpired,
  type DeniedCallers,
  type IssuingCertificate,
  type Trust,
} from '../../domain/trust.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import {
  certificatesOfBytes,
  explainOutOfDate,
  hasIssued,
  issuerNameOf,
  nameOf,
  problemsOf,
  readCertificates,
} from '../files/pem.ts'
import { keyUsagesOf } from '../live/key-usage.ts'
import { activeFilesOf } from './chain-folder.ts'
import { loadRevocations, type Revocations } from './revocation.ts'
import type { RevocationList } from './revocation-list.ts'
import { createUsageWaiver } from './usage-waiver.ts'

export interface TrustEntry {
  readonly environment: Realm
  /** A PEM file (one or more chains of the service, each up to its root) with its folder of additional chains, or only such a folder. */
  readonly chain: string
  readonly allow?: CallerRules
  readonly deny?: DeniedCallers
  /** client, the default: TLS refuses a certificate that is not for clients. any: such a certificate is accepted if `allow` matches. */
  readonly usage?: CallerUsage
  /** Files of revocation lists, PEM or DER. */
  readonly crl?: readonly string[]
  readonly crlExpired?: CrlExpired
}

/** An entry for one file of another entry remembers that entry's `chain`. */
export interface FileEntry extends TrustEntry {
  readonly named?: string
  /** The content of `chain`; left out: it is read from the file. */
  readonly pem?: string | Uint8Array
  /** The content of the files under `crl`; left out: it is read from the files. */
  readonly lists?: ReadonlyMap<string, readonly RevocationList[]>
}

interface ChainFile {
  readonly entry: FileEntry
  readonly environment: Realm
  readonly file: string
  readonly certificates: readonly X509Certificate[]
}

const NO_RULES: CallerRules = { subjectCommonNames: [], subjectAlternativeNames: [], fingerprints: [] }
const NOBODY_DENIED: DeniedCallers = { fingerprints: [], serials: [] }

/**
 * Loads and checks the installed chains of the service. Certificates that are out of date are only warnings, because OpenSSL refuses their callers.
 * Throws `trust_missing` without any entry; `configuration_invalid` when the only mistake is one issuing certificate in two environments or institutions;
 * else `certificate_invalid`. All problems of all files are reported together.
 */
export function loadTrust(entries: readonly TrustEntry[], now: Date): { trust: Trust; warnings: string[] } {
  return loadTrustFiles(entries.flatMap(filesOfEntry), now)
}

/** One entry for each trusted file: the named file, and its additional chains. */
export function filesOfEntry(entry: TrustEntry): FileEntry[] {
  return activeFilesOf(entry.chain).map((chain) => ({ ...entry, chain, named: entry.chain }))
}

/** The same for exactly these files: the trust if they alone were active. */
export function loadTrustFiles(entries: readonly FileEntry[], now: Date): { trust: Trust; warnings: string[] } {
  if (entries.length === 0) throw trustMissing()
  const problems: string[] = []
  const warnings: string[] = []
  const files: ChainFile[] = []
  for (const entry of entries) {
    const file = readChainFile(entry, problems)
    if (file === null) continue
    files.push(file)
    problems.push(...explainBadChains(file))
    warnings.push(...explainDates(file, now), ...explainUselessRoots(file))
  }
  const revocations = loadRevocationsOf(files, now)
  problems.push(...revocations.problems)
  warnings.push(...revocations.warnings)
  const issuing = files.flatMap((file) => issuingCertificatesOf(file, revocations.of(file)))
  const conflicts = sharedIssuers(issuing).map(explainConflict)
  throwAll(problems, conflicts)
  const trust = {
    authorities: withoutDeadEnds(
      uniqueBy(
        files.flatMap((file) => file.certificates),
        (certificate) => certificate.fingerprint256,
      ),
      now,
    ).map((certificate) => certificate.toString()),
    // Two chains may share an issuing certificate with different rules for callers: one of them must accept the caller.
    issuing: uniqueBy(issuing, identityOfIssuing),
  }
  return { trust, warnings }
}

/** Equal for issuing certificates that decide every caller in the same way. */
export function identityOfIssuing(issuing: IssuingCertificate): string {
  const { environment, certificate, allow, deny, verifiesWithoutUsage, revocation } = issuing
  const isAnyUsage = verifiesWithoutUsage !== null
  const rules = [allow, deny, isAnyUsage, revocation?.identity ?? null]
  return JSON.stringify([environment, certificate.fingerprint256, ...rules])
}

/** The revocation lists of an entry apply to all of its files, and are read once. */
function loadRevocationsOf(files: readonly ChainFile[], now: Date) {
  const keyOf = ({ entry }: ChainFile) =>
    JSON.stringify([entry.environment, entry.named ?? entry.chain, entry.crl, entry.crlExpired])
  const withLists = files.filter(({ entry }) => (entry.crl ?? []).length > 0)
  const loaded = new Map<string, Revocations>()
  for (const [key, [first, ...others]] of Map.groupBy(withLists, keyOf)) {
    if (first === undefined) continue
    const { crl = [], crlExpired = 'warn', named, chain, lists } = first.entry
    const group = [first, ...others]
    const certificates = group.flatMap((file) => file.certificates)
    const issuing = group.flatMap((file) => issuingOf(file.certificates))
    const options = { files: crl, expired: crlExpired, chain: named ?? chain, certificates, now, lists }
    loaded.set(key, loadRevocations(options, issuing))
  }
  return {
    of: (file: ChainFile): Revocations | null => loaded.get(keyOf(file)) ?? null,
    problems: [...new Set([...loaded.values()].flatMap(({ problems }) => problems))],
    warnings: [...new Set([...loaded.values()].flatMap(({ warnings }) => warnings))],
  }
}

/** The certificates of a chain file that can be used alone, PEM; else why not. */
export function usableChain(entry: FileEntry): { readonly pem: string } | { readonly problems: readonly string[] } {
  const problems: string[] = []
  const file = readChainFile(entry, problems)
  if (file !== null) problems.push(...explainBadChains(file))
  return file === null || problems.length > 0 ? { problems } : { pem: file.certificates.map(String).join('') }
}

/** What is wrong with the revocation lists of these files, which belong to one entry. */
export function problemsOfLists(entries: readonly FileEntry[], now: Date): readonly string[] {
  return loadRevocationsOf(
    entries.flatMap((entry) => readChainFile(entry, []) ?? []),
    now,
  ).problems
}

/** Pairs of issuing certificates that would make the environment or the institution of a caller ambiguous. */
export function conflictsBetween(entries: readonly FileEntry[]): [IssuingCertificate, IssuingCertificate][] {
  return sharedIssuers(
    entries.flatMap((entry) => {
      const file = readChainFile(entry, [])
      return file === null ? [] : issuingCertificatesOf(file, null)
    }),
  )
}

function trustMissing(): PortariaError {
  return new PortariaError(
    'trust_missing',
    say`No chain of the service is installed, so no caller could be trusted. Get the service's certificate chain (PEM, up to its root), put the file on this machine and name it in the configuration under callbacks.trust, with its environment (production or sandbox).`,
  )
}

function readChainFile(entry: FileEntry, problems: string[]): ChainFile | null {
  const { environment, chain, pem } = entry
  const key = trustKeyOf(environment)
  try {
    if (pem === undefined && statSync(chain, { throwIfNoEntry: false })?.isDirectory() === true) {
      problems.push(`${chain} (${key}) holds no chain: put one there, as a PEM file whose name ends in .pem`)
      return null
    }
    const read = pem === undefined ? readCertificates(chain, key) : certificatesOfBytes(Buffer.from(pem), chain, key)
    const certificates = uniqueBy(read, (certificate) => certificate.fingerprint256)
    return { entry, environment, file: chain, certificates }
  } catch (error) {
    problems.push(...problemsOf(error))
    return null
  }
}

function explainBadChains(chainFile: ChainFile): string[] {
  const { file, certificates } = chainFile
  const problems = certificates.flatMap((certificate) => {
    if (!certificate.ca) {
      return `${file}: ${nameOf(certificate)} is not a CA certificate (CA:TRUE is missing), so it can issue no caller: remove it from the file and put the chain that issued it there`
    }
    if (reachesRoot(certificate, certificates)) return []
    return `${file}: ${nameOf(certificate)} does not lead to a self-signed root of the same file: add the certificate of its issuer ${issuerNameOf(certificate)}, and so on up to the root`
  })
  if (problems.length === 0 && issuingOf(certificates).length === 0) {
    problems.push(
      `${file} holds several roots and no certificate that they issued, so none counts: add the service's issuing certificates, or give each root a file of its own`,
    )
  }
  return problems
}

function explainDates({ file, certificates }: ChainFile, now: Date): string[] {
  return certificates.flatMap((certificate) => {
    const outOfDate = explainOutOfDate(certificate, now)
    if (outOfDate === null) return []
    return `${file}: ${nameOf(certificate)} ${outOfDate}; callers that it vouches for are refused: install the service's current chain`
  })
}

/** A root beside other chains issues no accepted caller, which is easily overlooked. */
function explainUselessRoots({ file, certificates }: ChainFile): string[] {
  return certificates
    .filter((certificate) => issuesNoOther(certificate, certificates) && !mayIssueCallers(certificate, certificates))
    .map(
      (root) =>
        `${file}: the root ${nameOf(root)} issued no certificate of the file, so it counts for no caller: put it into a file of its own if the service's callers come directly from it, else remove it`,
    )
}

function issuingCertificatesOf(file: ChainFile, revocations: Revocations | null): IssuingCertificate[] {
  const { allow = NO_RULES, deny = NOBODY_DENIED, usage = 'client' } = file.entry
  return issuingOf(file.certificates).map((certificate) => ({
    environment: file.environment,
    certificate,
    file: file.file,
    allow,
    deny,
    mayCall: mayCallItself(certificate),
    verifiesWithoutUsage: usage === 'any' ? createUsageWaiver(certificate, file.certificates) : null,
    revocation: revocations?.of(certificate) ?? null,
  }))
}

function issuingOf(certificates: readonly X509Certificate[]): X509Certificate[] {
  return certificates.filter(
    (certificate) => issuesNoOther(certificate, certificates) && mayIssueCallers(certificate, certificates),
  )
}

/** Whether an issuing certificate may be a peer certificate, because the service may show the certificate that it publishes. */
export function mayCallItself(issuing: X509Certificate): boolean {
  return keyUsagesOf(issuing).maySignDigitally
}

function issuesNoOther(certificate: X509Certificate, all: readonly X509Certificate[]): boolean {
  return !all.some((other) => !isSameAuthority(other, certificate) && hasIssued(certificate, other))
}

/** A root counts only when it is alone in its file. */
function mayIssueCallers(certificate: X509Certificate, all: readonly X509Certificate[]): boolean {
  return !hasIssued(certificate, certificate) || all.every((other) => isSameAuthority(other, certificate))
}

function reachesRoot(start: X509Certificate, all: readonly X509Certificate[]): boolean {
  const reached = new Set([start])
  // The set grows during the iteration, so each certificate is visited once, also in cross-signed circles.
  for (const certificate of reached) {
    if (hasIssued(certificate, certificate)) return true
    for (const issuer of all) if (issuer.ca && hasIssued(issuer, certificate)) reached.add(issuer)
  }
  return false
}

/**
 * OpenSSL follows one path and tries no other. An authority that was cross-signed may lead to a root that has expired, and to another one that has
 * not: then the certificate below the expired root is left out. Without another path it stays, so that its callers are refused with the reason.
 */
function withoutDeadEnds(all: readonly X509Certificate[], now: Date): readonly X509Certificate[] {
  const unexpired = all.filter(({ validToDate }) => now < validToDate)
  if (unexpired.length === all.length) return all
  const leading = unexpired.filter((certificate) => reachesRoot(certificate, unexpired))
  return all.filter(
    (certificate) => leading.includes(certificate) || !leading.some((other) => isSameAuthority(other, certificate)),
  )
}

function sharedIssuers(issuing: readonly IssuingCertificate[]): [IssuingCertificate, IssuingCertificate][] {
  return issuing.flatMap((one, index) =>
    issuing
      .slice(index + 1)
      .filter((two) => one.environment !== two.environment && isSameAuthority(one.certificate, two.certificate))
      .filter((two) => !areToldApart(one.allow, two.allow))
      .map((two): [IssuingCertificate, IssuingCertificate] => [one, two]),
  )
}

export function explainConflict([one, two]: readonly [IssuingCertificate, IssuingCertificate]): string {
  const isOfOne = institutionOf(one.environment) === institutionOf(two.environment)
  const [what, where] = isOfOne ? ['environment', ` under ${trustKeyOf(one.environment)}`] : ['institution', '']
  return `${nameOf(one.certificate)} issues callers in ${one.file} (${one.environment}) and in ${two.file} (${two.environment}), so the ${what} of a caller would be ambiguous: keep it in the file of one ${what}${where}, or tell its callers apart by one list of allow that has no value in common with the other's`
}

/** Whether two certificates are the same, renewed or cross-signed: same key, and same subject (without case, as in X.509). */
function isSameAuthority(one: X509Certificate, two: X509Certificate): boolean {
  return one.fingerprint256 === two.fingerprint256 || authorityOf(one) === authorityOf(two)
}

function authorityOf(certificate: X509Certificate): string {
  const subject = (certificate.subject ?? '').toLowerCase().replaceAll(/\s+/g, ' ')
  try {
    return `${subject}\n${certificate.publicKey.export({ type: 'spki', format: 'pem' })}`
  } catch {
    // With a key of an unknown algorithm, a certificate equals only itself.
    return `${subject}\n${certificate.fingerprint256}`
  }
}

function throwAll(problems: readonly string[], conflicts: readonly string[]): void {
  const details = [...problems, ...conflicts]
  const [first] = details
  if (first === undefined) return
  const code = problems.length === 0 ? 'configuration_invalid' : 'certificate_invalid'
  if (details.length === 1) throw new PortariaError(code, first)
  throw new PortariaError(code, say`The chains of callers have ${{ count: details.length }} problems`, { details })
}

/** Keeps the first of equal ones. */
function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const first = new Map<string, T>()
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item)
  return [...first.values()]
}
