/**
 * Reads the chains of callers again and again. A file that cannot be used holds nothing else back: its last usable content stays, and all other files
 * and every `allow` and `deny` are taken up. Without an earlier content the file's callers are refused.
 */

import type { Realm } from '../../domain/realm.ts'
import type { Trust } from '../../domain/trust.ts'
import { PortariaError } from '../../platform/errors.ts'
import { problemsOf } from '../files/pem.ts'
import { isShortOfDescriptors } from './chain-folder.ts'
import { type RevocationList, readRevocationLists } from './revocation-list.ts'
import {
  conflictsBetween,
  explainConflict,
  type FileEntry,
  filesOfEntry,
  loadTrust,
  loadTrustFiles,
  problemsOfLists,
  type TrustEntry,
  usableChain,
} from './trust.ts'

/** A file whose content cannot be used: an earlier content is in use, or none. */
export interface UnusableFile {
  readonly file: string
  readonly environment: Realm
  readonly use: 'earlier' | 'none'
  readonly problem: string
}

/** A chain in use: its file, the `chain` of its entry, and the content. */
export type UsedChain = FileEntry & { readonly named: string; readonly pem: string }

export interface TrustReading {
  readonly trust: Trust
  readonly warnings: readonly string[]
  readonly problems: readonly UnusableFile[]
  readonly used: readonly UsedChain[]
}

export interface TrustReader {
  /**
   * @throws PortariaError if no chain can be used and none is in use, and for entries that contradict each other although no file has changed
   */
  read(entries: readonly TrustEntry[], now: Date): TrustReading
}

/** What the last reading has used of an entry. */
interface Known {
  readonly chains: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly RevocationList[]>
}

const NOTHING: Known = { chains: new Map(), lists: new Map() }

/** @param inUse chains that a running gateway uses, for another process */
export function createTrustReader(inUse: readonly UsedChain[] = []): TrustReader {
  let known = knownOf(inUse)
  let authorities: readonly string[] = []

  return {
    read(entries, now) {
      const reading = createReading(known, now)
      const chosen = reading.withoutConflicts(entries.flatMap(reading.chooseFiles))
      const denying = withDenials(chosen, entries, reading.problems)
      const { trust, warnings } = trustOf(denying, entries, { authorities, now })
      known = knownOf(chosen)
      authorities = trust.authorities
      return { trust, warnings, problems: reading.problems, used: chosen }
    },
  }
}

/** One reading of all files. */
function createReading(known: ReadonlyMap<string, Known>, now: Date) {
  const problems: UnusableFile[] = []
  const knownOfEntry = (entry: Pick<FileEntry, 'environment' | 'named' | 'chain'>) => known.get(keyOf(entry)) ?? NOTHING

  function report(entry: TrustEntry, use: UnusableFile['use'], texts: readonly string[]): void {
    const { environment, chain: file } = entry
    problems.push(...texts.map((problem) => ({ file, environment, use, problem })))
  }

  function chooseFiles(entry: TrustEntry): UsedChain[] {
    const files = listed(entry).flatMap(chooseContent)
    return (entry.crl ?? []).length === 0 ? files : chooseLists(files, entry)
  }

  /** A folder that cannot be listed has the files of the last reading. */
  function listed(entry: TrustEntry): FileEntry[] {
    try {
      return filesOfEntry(entry)
    } catch (error) {
      if (isShortOfDescriptors(error)) throw error
      const { chains } = knownOfEntry(entry)
      report(entry, chains.size === 0 ? 'none' : 'earlier', problemsOf(error))
      return [...chains].map(([chain, pem]) => ({ ...entry, chain, named: entry.chain, pem }))
    }
  }

  function chooseContent(entry: FileEntry): UsedChain[] {
    const { chain, named = chain } = entry
    const read = usableChain(entry)
    if ('pem' in read) return [{ ...entry, named, pem: read.pem }]
    const pem = knownOfEntry(entry).chains.get(chain)
    report(entry, pem === undefined ? 'none' : 'earlier', read.problems)
    return pem === undefined ? [] : [{ ...entry, named, pem }]
  }

  /** Callers of an entry whose lists were never usable are refused, because nothing says who of them is revoked. */
  function chooseLists(files: readonly UsedChain[], entry: TrustEntry): UsedChain[] {
    const { chains, lists: earlier } = knownOfEntry(entry)
    const lists = new Map<string, readonly RevocationList[]>()
    let isIncomplete = false
    for (const file of entry.crl ?? []) {
      const read = usableList(files, file)
      const content = 'lists' in read ? read.lists : earlier.get(file)
      if (content === undefined) isIncomplete = true
      else lists.set(file, content)
      if ('problems' in read)
        report(
          { ...entry, chain: file },
          content === undefined && chains.size === 0 ? 'none' : 'earlier',
          read.problems,
        )
    }
    // A list that was replaced by one that cannot be used still says who is revoked.
    if (isIncomplete) for (const [file, content] of earlier) lists.set(file, content)
    if (isIncomplete && chains.size === 0) return []
    return chooseCovered(withListsOf(files, lists), withListsOf(files, joinedLists(lists, earlier)))
  }

  /** With `crlExpired: refuse`, a chain needs the list of each of its authorities. @param joined the same with the earlier lists, too */
  function chooseCovered(current: readonly UsedChain[], joined: readonly UsedChain[]): UsedChain[] {
    const uncovered = problemsOfLists(current, now)
    if (uncovered.length === 0) return [...current]
    if (problemsOfLists(joined, now).length === 0) {
      for (const file of joined) report(file, 'earlier', uncovered)
      return [...joined]
    }
    const files = joined
    const before = files.flatMap((file) => {
      const pem = knownOfEntry(file).chains.get(file.chain)
      return pem === undefined ? [] : [{ ...file, pem }]
    })
    const isCovered = before.length > 0 && problemsOfLists(before, now).length === 0
    for (const file of files)
      if (!before.some(({ chain, pem }) => chain === file.chain && pem === file.pem) || !isCovered)
        report(file, isCovered && before.some(({ chain }) => chain === file.chain) ? 'earlier' : 'none', uncovered)
    return isCovered ? before : []
  }

  function usableList(files: readonly UsedChain[], file: string) {
    try {
      const lists = readRevocationLists(file)
      const alone = files.map((one) => ({
        ...one,
        crl: [file],
        crlExpired: 'warn' as const,
        lists: new Map([[file, lists]]),
      }))
      const foreign = problemsOfLists(alone, now)
      return foreign.length === 0 ? { lists } : { problems: foreign }
    } catch (error) {
      return { problems: problemsOf(error) }
    }
  }

  /** A changed file gives way to one that is in use. Without a difference, neither says whose the callers are. */
  function withoutConflicts(files: readonly UsedChain[]): readonly UsedChain[] {
    const [conflict] = conflictsBetween(files)
    if (conflict === undefined) return files
    const text = explainConflict(conflict)
    const both = conflict.map(({ environment, file }) =>
      files.find((one) => one.environment === environment && one.chain === file),
    ) as [UsedChain, UsedChain]
    const changed = both.filter((one) => knownOfEntry(one).chains.get(one.chain) !== one.pem)
    if (changed.length === 0) throw new PortariaError('configuration_invalid', text)
    const next = files.flatMap((one) => {
      if (!changed.includes(one)) return [one]
      const pem = knownOfEntry(one).chains.get(one.chain)
      report(one, pem === undefined ? 'none' : 'earlier', [text])
      return pem === undefined ? [] : [{ ...one, pem }]
    })
    return withoutConflicts(next)
  }

  return { problems, chooseFiles, withoutConflicts }
}

/** @param authorities of the trust in use, PEM */
function trustOf(
  chosen: readonly UsedChain[],
  entries: readonly TrustEntry[],
  { authorities, now }: { readonly authorities: readonly string[]; readonly now: Date },
) {
  if (chosen.length > 0) return loadTrustFiles(chosen, now)
  // At a start this names everything that is wrong.
  if (authorities.length === 0) return loadTrust(entries, now)
  // TLS needs an authority. Without an issuing certificate every caller is refused nevertheless.
  return { trust: { authorities, issuing: [] }, warnings: [] }
}

/** What an entry denies holds in its environment, too, while a file of it is not in use: another file may have the same issuing certificate. */
function withDenials(
  chosen: readonly UsedChain[],
  entries: readonly TrustEntry[],
  problems: readonly UnusableFile[],
): UsedChain[] {
  const isLeftOut = ({ environment }: TrustEntry) =>
    problems.some((one) => one.environment === environment && one.use === 'none')
  return chosen.map((file) => {
    const others = entries.filter((entry) => entry.environment === file.environment && isLeftOut(entry))
    const fingerprints = [file, ...others].flatMap(({ deny }) => deny?.fingerprints ?? [])
    return { ...file, deny: { serials: file.deny?.serials ?? [], fingerprints: [...new Set(fingerprints)] } }
  })
}

function withListsOf(files: readonly UsedChain[], lists: Known['lists']): UsedChain[] {
  return files.map((file) => ({ ...file, crl: [...lists.keys()], lists }))
}

/** The lists of both. What an earlier list revokes stays revoked: the newer ones are incomplete, and may be there by mistake. */
function joinedLists(lists: Known['lists'], earlier: Known['lists']): Known['lists'] {
  const files = new Set([...lists.keys(), ...earlier.keys()])
  return new Map(
    [...files].map((file) => {
      const all = [...(lists.get(file) ?? []), ...(earlier.get(file) ?? [])]
      return [file, all.map((list) => ({ ...list, serials: serialsOf(all.filter((one) => isOfSameScope(one, list))) }))]
    }),
  )
}

function isOfSameScope(one: RevocationList, list: RevocationList): boolean {
  return one.issuer === list.issuer && one.scope === list.scope
}

function serialsOf(lists: readonly RevocationList[]): Set<string> {
  return new Set(lists.flatMap(({ serials }) => [...serials]))
}

function knownOf(chosen: readonly UsedChain[]): Map<string, Known> {
  const byEntry = Map.groupBy(chosen, keyOf)
  return new Map(
    [...byEntry].map(([key, files]) => [
      key,
      {
        chains: new Map(files.map(({ chain, pem }) => [chain, pem])),
        lists: new Map(files.flatMap(({ lists }) => [...(lists ?? [])])),
      },
    ]),
  )
}

function keyOf({ environment, named, chain }: Pick<FileEntry, 'environment' | 'named' | 'chain'>): string {
  return JSON.stringify([environment, named ?? chain])
}
