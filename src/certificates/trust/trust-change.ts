/** What changes if the trusted chains of one environment change, and which callers would be refused. Reads files and changes nothing. */

import { X509Certificate } from 'node:crypto'
import { type Realm, trustKeyOf } from '../../domain/realm.ts'
import type { SeenPeer } from '../../domain/store-reader.ts'
import type { Activation, Trust } from '../../domain/trust.ts'
import { fingerprintOf } from '../../platform/certificate-identity.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { uniqueCertificates } from '../files/bundle.ts'
import { certificatesOfBytes, nameOf, readCertificates } from '../files/pem.ts'
import { activeFilesOf, type ChainFile, chainFilesOf } from './chain-folder.ts'
import { loadTrustFiles, type TrustEntry } from './trust.ts'
import { type ChainChange, diffChains, type LockedOutCaller, lockedOutCallers, type SeenCaller } from './trust-diff.ts'
import { createTrustReader, type UsedChain } from './trust-reading.ts'

/** Callers of this time are compared with a change. */
export const SEEN_MS = 30 * 86_400_000

const CONFIG_KEY = 'trust'

/** The configured trust, and the entry whose chains would change. */
export interface TrustInQuestion {
  readonly entries: readonly TrustEntry[]
  readonly entry: TrustEntry
  /** What the running gateway uses; empty: none runs. */
  readonly inUse: readonly UsedChain[]
}

/** A chain that would be trusted. */
export interface ProposedChain {
  /** The file, or a name for the content. */
  readonly file: string
  /** Left out: the content of the file. */
  readonly pem?: string | Uint8Array
}

/** The consequences of changing the chains of one environment. */
export interface Consequences {
  readonly changes: readonly ChainChange[]
  /** Callers of the last 30 days that are accepted today. */
  readonly seen: number
  readonly refused: readonly LockedOutCaller[]
}

/** The entry of a realm whose chains are changed. @throws PortariaError `configuration_invalid` without one, or with several */
export function entryFor<Entry extends TrustEntry>(
  entries: readonly Entry[],
  environment: Realm,
  configFile: string,
): Entry {
  const [entry, ...others] = entries.filter((one) => one.environment === environment)
  const key = trustKeyOf(environment)
  if (entry === undefined) {
    throw new PortariaError(
      'configuration_invalid',
      say`${{ file: configFile }} has no entry for ${{ environment }} under ${{ section: key }}: add one with the path of its chain`,
    )
  }
  if (others.length === 0) return entry
  throw new PortariaError(
    'configuration_invalid',
    `${configFile} has ${others.length + 1} entries for ${environment} under ${key}: only a single one can be compared or changed; change these files by hand`,
  )
}

/** The trust if this environment had these chains and the others stayed as they are. @throws PortariaError if that is not possible */
export function trustWith(question: TrustInQuestion, chains: readonly ProposedChain[]): Trust {
  const affected = affectedEntries(question)
  const others = question.entries.filter((one) => !affected.includes(one))
  const changed = affected.flatMap((entry) =>
    chains.map(({ file, pem }) => ({ ...entry, chain: file, named: entry.chain, ...(pem !== undefined && { pem }) })),
  )
  return loadTrustFiles([...usableFiles(others, question.inUse), ...changed], new Date()).trust
}

/** One chain may be that of several environments or institutions, whose callers `allow` tells apart: then all of them change. */
function affectedEntries({ entries, entry }: TrustInQuestion): readonly TrustEntry[] {
  return entries.filter(({ environment, chain }) => environment === entry.environment || chain === entry.chain)
}

/** What is wrong with the chains of one environment is no mistake in a change of another. */
function usableFiles(entries: readonly TrustEntry[], inUse: readonly UsedChain[]): readonly UsedChain[] {
  try {
    return createTrustReader(inUse).read(entries, new Date()).used
  } catch {
    return []
  }
}

/** The chains of an entry in one state. */
export function chainsIn(chain: string, state: ChainFile['state']): ChainFile[] {
  return chainFilesOf(chain).filter((file) => file.state === state)
}

/**
 * The active chains as a gateway uses them: of a file that cannot be read, the earlier content that is in use. One without any is left out, because a
 * damaged file must not prevent its own replacement.
 */
export function activeChains(question: TrustInQuestion): ProposedChain[] {
  return activeFilesOf(question.entry.chain)
    .map((file) => usableChainOf(question, file))
    .filter((chain) => chain !== null)
}

/** null: the file cannot be used, and no earlier content of it is in use. */
function usableChainOf({ entry, inUse }: TrustInQuestion, file: string): ProposedChain | null {
  try {
    if (readCertificates(file, CONFIG_KEY).length > 0) return { file }
  } catch {
    // Its earlier content counts.
  }
  const earlier = inUse.find((one) => one.environment === entry.environment && one.chain === file)
  return earlier === undefined ? null : { file, pem: earlier.pem }
}

/** @param peers of the last 30 days @param after every chain of the environment after the change @throws PortariaError as `trustWith` */
export function consequencesOf(
  question: TrustInQuestion,
  after: readonly ProposedChain[],
  { peers, now }: { readonly peers: readonly SeenPeer[]; readonly now: number },
): Consequences {
  const before = activeChains(question)
  const environments = affectedEntries(question).map(({ environment }) => environment)
  const seen = seenCallers(peers, environments, now)
  const already = new Set(refusedToday(question, before, seen, now))
  const refused = lockedOutCallers(trustWith(question, after), seen, new Date(now))
  return {
    changes: diffChains(uniqueCertificates(certificatesOf(before)), uniqueCertificates(certificatesOf(after))),
    seen: seen.length - already.size,
    refused: refused.filter(({ caller }) => !already.has(caller)),
  }
}

/** The same for a chain that joins or replaces the active ones. The chain must not contradict any installed chain. */
export function consequencesOfActivation(
  question: TrustInQuestion,
  proposed: ProposedChain,
  {
    activation,
    ...seen
  }: { readonly activation: Activation; readonly peers: readonly SeenPeer[]; readonly now: number },
): Consequences & { readonly compared: number } {
  const active = activeChains(question)
  const all = [...active.filter(({ file }) => file !== proposed.file), proposed]
  // Together with all installed chains, so a conflict is reported now and not at the activation.
  trustWith(question, all)
  const consequences = consequencesOf(question, activation === 'instead' ? [proposed] : all, seen)
  return { ...consequences, compared: active.length }
}

/** All certificates of the chains. @throws PortariaError if a file cannot be read */
export function certificatesOf(chains: readonly ProposedChain[]): X509Certificate[] {
  return chains.flatMap(({ file, pem }) =>
    pem === undefined ? readCertificates(file, CONFIG_KEY) : certificatesOfBytes(Buffer.from(pem), file, CONFIG_KEY),
  )
}

/** Those whose peer certificates have not expired. */
function seenCallers(peers: readonly SeenPeer[], environments: readonly Realm[], now: number): SeenCaller[] {
  return peers
    .filter((peer) => environments.includes(peer.environment) && peer.notAfter > now)
    .map(({ pem, environment, lastSeenAt }) => ({ certificate: new X509Certificate(pem), environment, lastSeenAt }))
}

/** Callers that are refused already, and not because of this change. */
function refusedToday(
  question: TrustInQuestion,
  before: readonly ProposedChain[],
  seen: readonly SeenCaller[],
  now: number,
): SeenCaller[] {
  try {
    return lockedOutCallers(trustWith(question, before), seen, new Date(now)).map(({ caller }) => caller)
  } catch {
    // The installed files cannot be used, so the running gateway still uses earlier ones: no caller counts as refused.
    return []
  }
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
