import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Option } from 'commander'
import { uniqueCertificates } from '../../certificates/files/bundle.ts'
import { nameOf, readCertificates } from '../../certificates/files/pem.ts'
import { type ChainFile, chainFilesOf } from '../../certificates/trust/chain-folder.ts'
import { filesOfEntry, loadTrustFiles } from '../../certificates/trust/trust.ts'
import {
  type ChainChange,
  diffChains,
  type LockedOutCaller,
  lockedOutCallers,
  type SeenCaller,
} from '../../certificates/trust/trust-diff.ts'
import type { Config, TrustConfig } from '../../config/config.ts'
import type { Environment } from '../../domain/event.ts'
import { daysLeft } from '../../domain/expiry.ts'
import { fingerprintOf } from '../../platform/certificate-identity.ts'
import { PortariaError } from '../../platform/errors.ts'
import { tableOf } from '../lists/table.ts'
import { anEnvironment } from '../options.ts'
import { printable } from '../output.ts'
import { withReader } from '../reader.ts'

const SEEN_MS = 30 * 86_400_000

export function requiredEnvironment(): Option {
  return new Option(
    '--environment <name>',
    'environment of the chain: production or sandbox (or homologacao, producao)',
  )
    .argParser(anEnvironment)
    .makeOptionMandatory()
}

/** The entry of `callbacks.trust` whose chains are changed. */
export function entryOf(config: Config, environment: Environment): TrustConfig {
  const entries = config.callbacks.trust.filter((entry) => entry.environment === environment)
  const [entry] = entries
  if (entry === undefined) {
    throw new PortariaError(
      'configuration_invalid',
      `${config.file} has no entry for ${environment} under callbacks.trust: add one with the path of its chain`,
    )
  }
  if (entries.length > 1) {
    throw new PortariaError(
      'configuration_invalid',
      `${config.file} has ${entries.length} entries for ${environment} under callbacks.trust: this command supports a single one; change these files by hand`,
    )
  }
  return entry
}

/** The trust if this environment had these files and the others stayed as they are. @throws PortariaError if that is not possible */
export function trustWith(config: Config, environment: Environment, files: readonly string[]) {
  const entry = entryOf(config, environment)
  // Environments without a chain are left out: here they would be an error, although they may get their first chain later.
  const others = config.callbacks.trust
    .filter((entry) => entry.environment !== environment && chainsIn(entry, 'active').length > 0)
    .flatMap(filesOfEntry)
  const changed = files.map((chain) => ({ ...entry, chain, named: entry.chain }))
  return loadTrustFiles([...others, ...changed], new Date()).trust
}

/** The chains of an environment in one state. */
export function chainsIn(entry: TrustConfig, state: ChainFile['state']): ChainFile[] {
  return chainFilesOf(entry.chain).filter((chain) => chain.state === state)
}

/** All certificates of the files. @throws PortariaError if a file cannot be read */
export function certificatesOf(files: readonly string[]): X509Certificate[] {
  return files.flatMap((file) => readCertificates(file, 'callbacks.trust'))
}

/** The files that can be read: a damaged file must not prevent its own replacement. */
export function readableOf(chains: readonly ChainFile[]): string[] {
  return chains
    .map(({ file }) => file)
    .filter((file) => {
      try {
        return readCertificates(file, 'callbacks.trust').length > 0
      } catch {
        return false
      }
    })
}

/** The callers of the last 30 days whose peer certificates have not expired; empty before the first start. */
async function seenCallers(config: Config, now: Date): Promise<SeenCaller[]> {
  if (!existsSync(config.storage.file)) return []
  const peers = await withReader(config, (reader) => reader.listPeers(now.getTime() - SEEN_MS))
  return peers
    .filter(({ notAfter }) => notAfter > now.getTime())
    .map(({ pem, environment, lastSeenAt }) => ({ certificate: new X509Certificate(pem), environment, lastSeenAt }))
}

/** The consequences of changing the files of one environment. */
export interface Consequences {
  readonly changes: readonly ChainChange[]
  readonly seen: number
  readonly refused: readonly LockedOutCaller[]
}

export async function consequencesOf(
  config: Config,
  environment: Environment,
  after: readonly string[],
): Promise<Consequences> {
  const now = new Date()
  const before = readableOf(chainsIn(entryOf(config, environment), 'active'))
  const seen = (await seenCallers(config, now)).filter((caller) => caller.environment === environment)
  const already = new Set(refusedToday(config, environment, before, seen))
  const refused = lockedOutCallers(trustWith(config, environment, after), seen, now)
  return {
    changes: diffChains(uniqueCertificates(certificatesOf(before)), uniqueCertificates(certificatesOf(after))),
    seen: seen.length - already.size,
    refused: refused.filter(({ caller }) => !already.has(caller)),
  }
}

/** Callers that are refused already, and not because of this change. */
function refusedToday(
  config: Config,
  environment: Environment,
  files: readonly string[],
  seen: readonly SeenCaller[],
): SeenCaller[] {
  try {
    return lockedOutCallers(trustWith(config, environment, files), seen, new Date()).map(({ caller }) => caller)
  } catch {
    // The installed files cannot be used, so the running gateway still uses earlier ones: no caller counts as refused.
    return []
  }
}

/** @param mayCall whether the issuing certificate may also be used as a peer certificate */
export function issuingText(mayCall: boolean): string {
  return mayCall ? 'issues callers, may call itself' : 'issues callers, may not call itself'
}

export function changesText(changes: readonly ChainChange[], now = Date.now()): string {
  if (changes.every(({ change }) => change === 'kept')) return 'nothing is added or removed\n'
  return tableOf(
    ['', 'what it does', { name: 'certificate', cut: 'left' }, 'expires', 'days left', 'SHA-256'],
    changes.map(({ change, role, mayCall, certificate }) => [
      { added: '+ added', removed: '- removed', kept: '= kept' }[change],
      { issuing: issuingText(mayCall), intermediate: 'intermediate', root: 'root' }[role],
      nameOf(certificate),
      certificate.validToDate.toISOString().slice(0, 10),
      daysLeft(certificate.validToDate.getTime(), now),
      certificate.fingerprint256,
    ]),
  )
}

const PROBLEMS: Record<LockedOutCaller['problem'], string> = {
  caller_is_ca:
    'a CA certificate is accepted only if it is an installed issuing certificate with the usage digitalSignature',
  sibling_issuer: 'no installed certificate has issued it',
  caller_denied: 'it is denied (deny)',
  certificate_revoked: 'it, or a certificate above it, is revoked',
  crl_expired: 'the revocation list of an authority above it is out of date (crlExpired: refuse)',
  wrong_usage: 'it is not for TLS clients, and the chain has no usage: any',
  caller_not_allowed: 'no rule under allow matches it',
  other_environment: 'its issuer belongs to another environment',
  issuer_out_of_date: 'the certificate that issued it is out of date',
}

export function refusedText({ seen, refused }: Consequences): string {
  if (seen === 0) return 'No caller of this environment was seen in the last 30 days.\n'
  if (refused.length === 0) return `All ${seen} callers seen in the last 30 days are accepted.\n`
  const lines = refused.map(({ caller, problem }) => {
    const hour = `${new Date(caller.lastSeenAt).toISOString().slice(0, 16)}Z`
    return `  ${printable(nameOf(caller.certificate))}, last seen in the hour from ${hour}: ${PROBLEMS[problem]}\n`
  })
  return `REFUSED would be ${refused.length} of ${seen} callers seen in the last 30 days:\n${lines.join('')}`
}

export function consequencesView({ changes, seen, refused }: Consequences) {
  return {
    changes: changes.map(({ change, role, mayCall, certificate }) => ({
      change,
      role,
      mayCall,
      subject: nameOf(certificate).slice(1, -1),
      notAfter: certificate.validToDate.toISOString(),
      fingerprint: fingerprintOf(certificate),
    })),
    callersSeen: seen,
    callersRefused: refused.map(({ caller, problem }) => ({
      subject: nameOf(caller.certificate).slice(1, -1),
      fingerprint: fingerprintOf(caller.certificate),
      lastSeenAt: new Date(caller.lastSeenAt).toISOString(),
      problem,
    })),
  }
}
