import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Option } from 'commander'
import { type ChainFile, chainFilesOf } from '../../certificates/chain-folder.ts'
import { nameOf, readCertificates } from '../../certificates/pem.ts'
import { loadTrust, type TrustEntry } from '../../certificates/trust.ts'
import {
  type ChainChange,
  diffChains,
  type RefusedCaller,
  refusedCallers,
  type SeenCaller,
} from '../../certificates/trust-diff.ts'
import type { Config, TrustConfig } from '../../config/config.ts'
import { PortariaError } from '../../domain/errors.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/event.ts'
import { daysLeft } from '../../domain/expiry.ts'
import type { CallerProblem } from '../../domain/trust.ts'
import { openStoreReader } from '../../store/open-store.ts'
import { printable, tableOf } from '../output.ts'

const SEEN_MS = 30 * 86_400_000

export function requiredEnvironment(): Option {
  return new Option('--environment <name>', 'whose chains: production or sandbox')
    .choices(ENVIRONMENTS)
    .makeOptionMandatory()
}

/** The entry of `callbacks.trust` whose chains are changed. */
export function entryOf(config: Config, environment: Environment): TrustConfig {
  const entries = config.callbacks.trust.filter((entry) => entry.environment === environment)
  const [entry] = entries
  if (entry === undefined) {
    throw new PortariaError(
      'configuration_invalid',
      `${config.file} has no entry for ${environment} under callbacks.trust: add one with the path where its chain shall be`,
    )
  }
  if (entries.length > 1) {
    throw new PortariaError(
      'configuration_invalid',
      `${config.file} has ${entries.length} entries for ${environment} under callbacks.trust: this command keeps the chains of one; change these files by hand`,
    )
  }
  return entry
}

/** What would be trusted if this environment had these files; the other environments as they are. @throws PortariaError when it cannot be */
export function trustWith(config: Config, environment: Environment, files: readonly string[]) {
  const { allow } = entryOf(config, environment)
  const others: TrustEntry[] = config.callbacks.trust.filter((entry) => entry.environment !== environment)
  return loadTrust([...others, ...files.map((chain) => ({ environment, chain, allow }))], new Date()).trust
}

/** The chains of an environment in one state. */
export function chainsIn(entry: TrustConfig, state: ChainFile['state']): ChainFile[] {
  return chainFilesOf(entry.chain).filter((chain) => chain.state === state)
}

/** All certificates of the files; of one that cannot be read none. */
export function certificatesOf(files: readonly string[]): X509Certificate[] {
  return files.flatMap((file) => readCertificates(file, 'callbacks.trust'))
}

/** The callers of the last 30 days; none before the first start. */
export async function seenCallers(config: Config): Promise<SeenCaller[]> {
  if (!existsSync(config.storage.file)) return []
  const reader = await openStoreReader(config.storage.file)
  try {
    const peers = await reader.listPeers(Date.now() - SEEN_MS)
    return peers.map(({ pem, environment, lastSeenAt }) => ({
      certificate: new X509Certificate(pem),
      environment,
      lastSeenAt,
    }))
  } finally {
    await reader.close()
  }
}

/** What a change of one environment's files means, for people and as JSON. */
export interface Consequences {
  readonly changes: readonly ChainChange[]
  readonly seen: number
  readonly refused: readonly RefusedCaller[]
}

export async function consequencesOf(
  config: Config,
  environment: Environment,
  after: readonly string[],
): Promise<Consequences> {
  const before = chainsIn(entryOf(config, environment), 'active').map(({ file }) => file)
  const seen = (await seenCallers(config)).filter((caller) => caller.environment === environment)
  const issuing = after.length === 0 ? [] : trustWith(config, environment, after).issuing
  return {
    changes: diffChains(certificatesOf(before), certificatesOf(after)),
    seen: seen.length,
    refused: refusedCallers({ issuing }, seen),
  }
}

export function changesText(changes: readonly ChainChange[], now = Date.now()): string {
  if (changes.every(({ change }) => change === 'kept')) return 'nothing is added or removed\n'
  return tableOf(
    ['', 'what it does', 'certificate', 'expires', 'days left', 'SHA-256'],
    changes.map(({ change, role, certificate }) => [
      { added: '+ added', removed: '- removed', kept: '= kept' }[change],
      { issuing: 'issues callers', intermediate: 'intermediate', root: 'root' }[role],
      nameOf(certificate),
      certificate.validToDate.toISOString().slice(0, 10),
      daysLeft(certificate.validToDate.getTime(), now),
      certificate.fingerprint256,
    ]),
  )
}

const PROBLEMS: Record<CallerProblem | 'other_environment', string> = {
  caller_is_ca: 'a CA certificate is never a caller',
  sibling_issuer: 'nothing that is installed would have issued it',
  caller_not_allowed: 'the rules under allow do not let it in',
  other_environment: 'it would count for another environment',
}

export function refusedText(seen: number, refused: readonly RefusedCaller[]): string {
  if (seen === 0) return 'No caller of this environment was seen in the last 30 days.\n'
  if (refused.length === 0) return `All ${seen} callers seen in the last 30 days are let in.\n`
  const lines = refused.map(
    ({ caller, problem }) =>
      `  ${printable(nameOf(caller.certificate))}, last seen ${new Date(caller.lastSeenAt).toISOString()}: ${PROBLEMS[problem]}\n`,
  )
  return `REFUSED would be ${refused.length} of ${seen} callers seen in the last 30 days:\n${lines.join('')}`
}

export function consequencesView({ changes, seen, refused }: Consequences) {
  return {
    changes: changes.map(({ change, role, certificate }) => ({
      change,
      role,
      subject: nameOf(certificate).slice(1, -1),
      notAfter: certificate.validToDate.toISOString(),
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    })),
    callersSeen: seen,
    callersRefused: refused.map(({ caller, problem }) => ({
      subject: nameOf(caller.certificate).slice(1, -1),
      fingerprint: caller.certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      lastSeenAt: new Date(caller.lastSeenAt).toISOString(),
      problem,
    })),
  }
}
