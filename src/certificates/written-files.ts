import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf, PortariaError } from '../domain/errors.ts'

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
  readonly staged: string
}

/** A group's right to read. */
const GROUP_READ = 0o040
const OTHERS = 0o007

/** Makes a file that is not there yet, synced. Throws `conflict` when there is one: nothing is ever overwritten. */
export function writeNewFile(file: FileToWrite): void {
  try {
    writeSynced(file.path, file, null)
    syncFolder(file.path)
  } catch (cause) {
    throw explainWrite(file.path, cause)
  }
}

/**
 * Replaces files one after the other, each at once and whole, so that whoever reads them never sees a half one: a pair's key belongs first,
 * its certificate last. All are written and synced before the first takes its place. What was there is kept beside it as `.previous`, `.previous-2` …;
 * Owner, group and a group's right to read a key stay. A file that holds the same already is left alone.
 */
export function replaceFiles(files: readonly FileToWrite[]): { readonly replaced: string[]; readonly kept: string[] } {
  const staged: StagedFile[] = []
  try {
    for (const file of files) if (!isSame(file)) staged.push(stage(file))
    const kept = staged.flatMap(({ path }) => keepPrevious(path))
    for (const { path, staged: from } of staged) {
      renameSync(from, path)
      syncFolder(path)
    }
    return { replaced: staged.map(({ path }) => path), kept }
  } finally {
    for (const { staged: path } of staged) rmSync(path, { force: true })
  }
}

function stage(file: FileToWrite): StagedFile {
  const staged = join(dirname(file.path), `.${basename(file.path)}.${randomBytes(6).toString('hex')}`)
  try {
    writeSynced(staged, file, ownerOf(file.path))
    return { ...file, staged }
  } catch (cause) {
    rmSync(staged, { force: true })
    throw explainWrite(file.path, cause)
  }
}

function keepPrevious(path: string): string[] {
  const owner = ownerOf(path)
  if (owner === null) return []
  const content = readFileSync(path)
  for (let count = 1; ; count++) {
    const previous = `${path}.previous${count === 1 ? '' : `-${count}`}`
    try {
      writeSynced(previous, { path: previous, content, mode: owner.mode }, owner)
      return [previous]
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw explainWrite(previous, cause)
    }
  }
}

function writeSynced(path: string, { content, mode }: FileToWrite, owner: Owner | null): void {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    const bytes = Buffer.from(content)
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    // A key that the gateway's user may read stays one when root renews it.
    if (owner !== null && process.geteuid?.() === 0) fchownSync(descriptor, owner.uid, owner.gid)
    fchmodSync(descriptor, owner === null ? mode : mode | groupRight(owner))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A group that alone was given the right to read keeps it; where everybody had it, nobody meant it. */
function groupRight({ mode }: Owner): number {
  return (mode & OTHERS) === 0 ? mode & GROUP_READ : 0
}

function syncFolder(path: string): void {
  const descriptor = openSync(dirname(path), 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function isSame({ path, content }: FileToWrite): boolean {
  return ownerOf(path) !== null && readFileSync(path).equals(Buffer.from(content))
}

function ownerOf(path: string): Owner | null {
  const status = statSync(path, { throwIfNoEntry: false })
  return status === undefined ? null : { uid: status.uid, gid: status.gid, mode: status.mode & 0o777 }
}

function explainWrite(path: string, cause: unknown): PortariaError {
  if (codeOf(cause) === 'EEXIST')
    return new PortariaError('conflict', `${path} exists already and is never overwritten: name another file`, {
      cause,
    })
  if (codeOf(cause) === 'ENOENT')
    return new PortariaError('request_invalid', `there is no folder ${dirname(path)}: create it or name another file`, {
      cause,
    })
  return new PortariaError(
    'request_invalid',
    `${path} cannot be written (${messageOf(cause)}): check folder and rights`,
    {
      cause,
    },
  )
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
