import type { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { PortariaError } from '../domain/errors.ts'
import type { Environment } from '../domain/event.ts'
import type { CallerRules, IssuingCertificate, Trust } from '../domain/trust.ts'
import { activeFilesOf } from './chain-folder.ts'
import { explainOutOfDate, hasIssued, issuerNameOf, nameOf, problemsOf, readCertificates } from './pem.ts'

const CONFIG_KEY = 'callbacks.trust'

export interface TrustEntry {
  readonly environment: Environment
  /** A PEM file (one or more chains of the service, each up to its root) with the folder of those that joined it, or such a folder alone. */
  readonly chain: string
  readonly allow?: CallerRules
}

interface ChainFile {
  readonly environment: Environment
  readonly file: string
  readonly certificates: readonly X509Certificate[]
  readonly allow: CallerRules
}

const NO_RULES: CallerRules = { subjectCommonNames: [], subjectAlternativeNames: [], fingerprints: [] }

/**
 * The installed chains of the service, checked. Certificates that are out of date are warnings only: OpenSSL refuses their callers by itself.
 * Throws `trust_missing` without any entry; `configuration_invalid` when the only mistake is one issuing certificate in two environments;
 * else `certificate_invalid`. All problems of all files are reported together.
 */
export function loadTrust(entries: readonly TrustEntry[], now: Date): { trust: Trust; warnings: string[] } {
  return loadTrustFiles(entries.flatMap(filesOfEntry), now)
}

/** One entry for each file that is trusted: the one that is named, and those that joined it. */
export function filesOfEntry(entry: TrustEntry): TrustEntry[] {
  return activeFilesOf(entry.chain).map((chain) => ({ ...entry, chain }))
}

/** The same of exactly these files, whatever else is beside them: what would be trusted if they alone were active. */
export function loadTrustFiles(entries: readonly TrustEntry[], now: Date): { trust: Trust; warnings: string[] } {
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
  const issuing = files.flatMap(issuingCertificatesOf)
  const conflicts = explainSharedIssuers(issuing)
  throwAll(problems, conflicts)
  const trust = {
    authorities: uniqueBy(
      files.flatMap((file) => file.certificates),
      (certificate) => certificate.fingerprint256,
    ).map((certificate) => certificate.toString()),
    // Two chains may share an issuing certificate and ask different things of its callers: either lets them in.
    issuing: uniqueBy(issuing, ({ certificate, allow }) => `${certificate.fingerprint256} ${JSON.stringify(allow)}`),
  }
  return { trust, warnings }
}

function trustMissing(): PortariaError {
  return new PortariaError(
    'trust_missing',
    `No chain of the service is installed, so no caller could be trusted. Get the service's certificate chain (PEM, up to its root), put the file on this machine and name it in the configuration under ${CONFIG_KEY}, with its environment (production or sandbox).`,
  )
}

function readChainFile({ environment, chain, allow = NO_RULES }: TrustEntry, problems: string[]): ChainFile | null {
  try {
    if (statSync(chain, { throwIfNoEntry: false })?.isDirectory() === true) {
      problems.push(`${chain} (${CONFIG_KEY}) holds no chain: put one there, as a PEM file whose name ends in .pem`)
      return null
    }
    const certificates = uniqueBy(readCertificates(chain, CONFIG_KEY), (certificate) => certificate.fingerprint256)
    return { environment, file: chain, certificates, allow }
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
  if (problems.length === 0 && issuingCertificatesOf(chainFile).length === 0) {
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

/** A root beside other chains vouches for nobody by itself; that is easily overlooked. */
function explainUselessRoots({ file, certificates }: ChainFile): string[] {
  return certificates
    .filter((certificate) => issuesNoOther(certificate, certificates) && !mayIssueCallers(certificate, certificates))
    .map(
      (root) =>
        `${file}: the root ${nameOf(root)} issued no certificate of the file, so it counts for no caller: put it into a file of its own if the service's callers come directly from it, else remove it`,
    )
}

function issuingCertificatesOf({ environment, file, certificates, allow }: ChainFile): IssuingCertificate[] {
  return certificates
    .filter((certificate) => issuesNoOther(certificate, certificates) && mayIssueCallers(certificate, certificates))
    .map((certificate) => ({ environment, certificate, file, allow }))
}

function issuesNoOther(certificate: X509Certificate, all: readonly X509Certificate[]): boolean {
  return !all.some((other) => !isSameAuthority(other, certificate) && hasIssued(certificate, other))
}

/** A root counts only when it stands alone in its file. */
function mayIssueCallers(certificate: X509Certificate, all: readonly X509Certificate[]): boolean {
  return !hasIssued(certificate, certificate) || all.every((other) => isSameAuthority(other, certificate))
}

function reachesRoot(start: X509Certificate, all: readonly X509Certificate[]): boolean {
  const reached = new Set([start])
  // A set grows while it is walked: each certificate is visited once, cross-signed circles included.
  for (const certificate of reached) {
    if (hasIssued(certificate, certificate)) return true
    for (const issuer of all) if (issuer.ca && hasIssued(issuer, certificate)) reached.add(issuer)
  }
  return false
}

function explainSharedIssuers(issuing: readonly IssuingCertificate[]): string[] {
  return issuing.flatMap((one, index) =>
    issuing
      .slice(index + 1)
      .filter((two) => one.environment !== two.environment && isSameAuthority(one.certificate, two.certificate))
      .map(
        (two) =>
          `${nameOf(one.certificate)} issues callers in ${one.file} (${one.environment}) and in ${two.file} (${two.environment}), so nobody could tell which environment a caller belongs to: keep it in the file of one environment under ${CONFIG_KEY}`,
      ),
  )
}

/** The same certificate, or a renewed or cross-signed one: same subject (compared as X.509 does, without case) and same key. */
function isSameAuthority(one: X509Certificate, two: X509Certificate): boolean {
  return one.fingerprint256 === two.fingerprint256 || authorityOf(one) === authorityOf(two)
}

function authorityOf(certificate: X509Certificate): string {
  const subject = (certificate.subject ?? '').toLowerCase().replaceAll(/\s+/g, ' ')
  try {
    return `${subject}\n${certificate.publicKey.export({ type: 'spki', format: 'pem' })}`
  } catch {
    // OpenSSL does not know the key's algorithm: such a certificate equals only itself.
    return `${subject}\n${certificate.fingerprint256}`
  }
}

function throwAll(problems: readonly string[], conflicts: readonly string[]): void {
  const details = [...problems, ...conflicts]
  const [first] = details
  if (first === undefined) return
  const code = problems.length === 0 ? 'configuration_invalid' : 'certificate_invalid'
  if (details.length === 1) throw new PortariaError(code, first)
  throw new PortariaError(code, `The chains under ${CONFIG_KEY} have ${details.length} problems`, { details })
}

/** The first of each. */
function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const first = new Map<string, T>()
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item)
  return [...first.values()]
}
