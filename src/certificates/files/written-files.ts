import { randomBytes } from 'node:crypto'
import { constants, linkSync, lstatSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createFile, replaceFile, syncFolder } from '../../platform/atomic-file.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { inFolderOf, refuseForeignLink } from '../../platform/foreign-links.ts'
import { isPermissionError, WRITE_ADVICE } from '../../platform/permission.ts'
import { readWithStatus, UnreadableFile } from '../../platform/regular-file.ts'
import { say } from '../../platform/said.ts'

export interface FileToWrite {
  readonly path: string
  readonly content: string | Buffer
  readonly mode: number
}

interface Owner {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/** Written and synced under a name of its own, to be brought into place. */
interface StagedFile extends FileToWrite {
  /** A name beside its path. */
  readonly staged: string
}

/** A group's right to read. */
const GROUP_READ = 0o040
const OTHERS = 0o007

/** Makes a file that is not there yet, synced. Throws `conflict` when there is one: nothing is ever overwritten. */
export function writeNewFile(file: FileToWrite): void {
  try {
    inFolderOf(file.path, (path) => {
      writeSynced(path, file, null)
      syncFolder(dirname(path))
    })
  } catch (cause) {
    throw explainWrite(file.path, cause)
  }
}

/** The same for a file that other processes read meanwhile: they find all of it, or no file. */
export function publishNewFile(file: FileToWrite): void {
  const { staged } = stage(file, null)
  try {
    inFolderOf(file.path, (at) => {
      linkSync(join(dirname(at), staged), at)
      syncFolder(dirname(at))
    })
  } catch (cause) {
    throw explainWrite(file.path, cause)
  } finally {
    rmSync(join(dirname(file.path), staged), { force: true })
  }
}

/**
 * Replaces files one after the other, each atomically, so that a reader never sees a partial file. Pass a pair's key first, its certificate last.
 * All files are written and synced before the first one is replaced. Previous files stay beside them as `.previous`, `.previous-2` …, unless
 * `keepsPrevious` is false. Owner, group and a group's right to read a key stay. A file with the same content already is not replaced.
 */
export function replaceFiles(
  files: readonly FileToWrite[],
  { keepsPrevious = true } = {},
): { readonly replaced: string[]; readonly kept: string[] } {
  const staged: StagedFile[] = []
  try {
    for (const file of files) {
      const installed = readInstalled(file.path)
      if (installed?.content.equals(Buffer.from(file.content))) continue
      staged.push(stage(file, installed?.owner ?? null))
    }
    const kept = keepsPrevious ? staged.flatMap(({ path }) => keepPrevious(path)) : []
    for (const { path, staged: from } of staged) {
      inFolderOf(path, (at) => {
        replaceFile(join(dirname(at), from), at)
      })
    }
    return { replaced: staged.map(({ path }) => path), kept }
  } finally {
    for (const { path, staged: name } of staged) rmSync(join(dirname(path), name), { force: true })
  }
}

function stage(file: FileToWrite, owner: Owner | null): StagedFile {
  const staged = `.${basename(file.path)}.${randomBytes(6).toString('hex')}`
  try {
    inFolderOf(file.path, (path) => writeSynced(join(dirname(path), staged), file, owner))
    return { ...file, staged }
  } catch (cause) {
    rmSync(join(dirname(file.path), staged), { force: true })
    throw explainWrite(file.path, cause)
  }
}

function keepPrevious(path: string): string[] {
  const installed = readInstalled(path)
  if (installed === null) return []
  const { content, owner } = installed
  for (let count = 1; ; count++) {
    const previous = `${path}.previous${count === 1 ? '' : `-${count}`}`
    try {
      inFolderOf(previous, (at) => writeSynced(at, { path: at, content, mode: owner.mode }, owner))
      return [previous]
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw explainWrite(previous, cause)
    }
  }
}

function writeSynced(path: string, { content, mode }: FileToWrite, owner: Owner | null): void {
  if (owner === null) return createFile(path, content, { mode })
  // A key that the gateway's user may read stays readable to that user when root renews it.
  const isRoot = process.geteuid?.() === 0
  createFile(path, content, { mode: mode | groupRight(owner), ...(isRoot && { owner }) })
}

/** A group that alone was given the right to read keeps it. If everybody could read it, that was not intended. */
function groupRight({ mode }: Owner): number {
  return (mode & OTHERS) === 0 ? mode & GROUP_READ : 0
}

/** Content and owner of one and the same file; null: there is none. @throws PortariaError */
function readInstalled(path: string): { readonly content: Buffer; readonly owner: Owner } | null {
  try {
    return inFolderOf(path, (at) => {
      refuseForeignLink(at, path)
      const isLink = lstatSync(at).isSymbolicLink()
      const { content, status } = readWithStatus(at, { flags: isLink ? 0 : constants.O_NOFOLLOW })
      return { content, owner: { uid: status.uid, gid: status.gid, mode: status.mode & 0o777 } }
    })
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return null
    throw explainWrite(path, cause)
  }
}

function explainWrite(path: string, cause: unknown): PortariaError {
  if (cause instanceof PortariaError) return cause
  if (cause instanceof UnreadableFile)
    return new PortariaError('request_invalid', say`${{ path }} ${{ message: cause.message }}, or remove it`, { cause })
  if (codeOf(cause) === 'EEXIST')
    return new PortariaError('conflict', say`${{ path }} exists already and is never overwritten: name another file`, {
      cause,
    })
  if (codeOf(cause) === 'ENOENT')
    return new PortariaError(
      'request_invalid',
      say`there is no folder ${{ path: dirname(path) }}: create it or name another file`,
      { cause },
    )
  return new PortariaError(
    'request_invalid',
    `${path} cannot be written (${systemWords(cause)}): ${isPermissionError(cause) ? WRITE_ADVICE : 'check its folder and the disk'}`,
    { cause },
  )
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
