/** Files of the folder appear whole or not at all, and survive a power failure. */

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { link, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf, SimulatorError, systemCodeOf } from '../errors.ts'

export interface NewFile {
  readonly content: string | Uint8Array
  /** Secret files are readable by their owner only. */
  readonly isSecret: boolean
}

/** By path within the folder. */
export type NewFiles = Readonly<Record<string, NewFile>>

const SECRET_MODE = 0o600
const PUBLIC_MODE = 0o644
/** A first start takes less than a second, so an older one was interrupted. */
const LEFTOVER_MS = 3_600_000

export function secretFile(content: string | Uint8Array): NewFile {
  return { content, isSecret: true }
}

export function publicFile(content: string): NewFile {
  return { content, isSecret: false }
}

/** Whether the first start has yet to create the folder's files. @throws SimulatorError `folder_unusable` */
export function isAbsentOrEmpty(folder: string): Promise<boolean> {
  return explainErrors(folder, async () => !existsSync(folder) || (await readdir(folder)).length === 0)
}

/**
 * Creates a folder (0700) with all of its files or none. An empty folder is replaced; where another process created it in the meantime, that one stays.
 * @param make is called only when the place can be written
 * @throws SimulatorError `folder_unusable`
 */
export async function createWholeFolder(folder: string, make: () => Promise<NewFiles>): Promise<void> {
  const { target, staging } = await explainErrors(folder, () => makeStaging(folder))
  try {
    const files = await make()
    await explainErrors(folder, async () => {
      await writeAll(staging, files)
      await renameUnlessOccupied(staging, target)
      await syncFolder(dirname(target))
    })
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Adds one file. Throws the system's error, EEXIST for a file that exists. */
export function addFile(folder: string, file: string, content: NewFile): Promise<void> {
  return publishFile(join(folder, file), content, link)
}

/** Replaces one file, so that a reader finds the old or the new content. Throws the system's error. */
export function replaceFile(folder: string, file: string, content: NewFile): Promise<void> {
  return publishFile(join(folder, file), content, rename)
}

/** @throws SimulatorError `folder_unusable` in place of an error of the system */
export async function explainErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = systemCodeOf(error) ?? ''
    throw /^E[A-Z]+$/.test(code) ? unusable(folder, code, error) : error
  }
}

/** @param publish gives the complete file its name */
async function publishFile(
  path: string,
  content: NewFile,
  publish: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    await writeSynced(temporary, content)
    await publish(temporary, path)
    await syncFolder(dirname(path))
  } finally {
    await rm(temporary, { force: true })
  }
}

async function makeStaging(folder: string): Promise<{ target: string; staging: string }> {
  // A rename would replace a symbolic link.
  const target = existsSync(folder) ? realpathSync(folder) : folder
  makeParents(dirname(target))
  await removeLeftovers(target)
  return { target, staging: await mkdtemp(stagingPrefix(target)) }
}

async function writeAll(folder: string, files: NewFiles): Promise<void> {
  const subfolders = new Set(Object.keys(files).map((file) => join(folder, dirname(file))))
  await Promise.all([...subfolders].map((path) => mkdir(path, { recursive: true, mode: 0o700 })))
  await Promise.all(Object.entries(files).map(([file, content]) => writeSynced(join(folder, file), content)))
  await Promise.all([...new Set([...subfolders, folder])].map(syncFolder))
}

async function writeSynced(path: string, { content, isSecret }: NewFile): Promise<void> {
  await using file = await open(path, 'wx', SECRET_MODE)
  await file.writeFile(content)
  await file.chmod(isSecret ? SECRET_MODE : PUBLIC_MODE)
  await file.sync()
}

async function syncFolder(folder: string): Promise<void> {
  await using opened = await open(folder, 'r')
  await opened.sync()
}

async function renameUnlessOccupied(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(systemCodeOf(error) ?? '')) throw error
  }
}

function stagingPrefix(target: string): string {
  return join(dirname(target), `.${basename(target)}.making-`)
}

async function removeLeftovers(target: string): Promise<void> {
  const prefix = basename(stagingPrefix(target))
  const leftovers = readdirSync(dirname(target))
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(dirname(target), name))
    .filter((path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > LEFTOVER_MS)
  await Promise.all(leftovers.map((path) => rm(path, { recursive: true, force: true })))
}

/** One by one: Node's recursive mkdir never ends where a folder is missing and cannot be made (/proc). */
function makeParents(folder: string): void {
  if (existsSync(folder)) return
  makeParents(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process has just made it.
    if (systemCodeOf(error) !== 'EEXIST') throw error
  }
}

function unusable(folder: string, code: string, error: unknown): SimulatorError {
  const isGiven = code === 'ENOTDIR' || code === 'EEXIST'
  const advice = ADVICE[code] ?? 'let this user read and write there, or name another folder'
  const message = `The folder ${folder} cannot be used (${messageOf(error)}): ${advice}.`
  return new SimulatorError(isGiven ? 'folder_occupied' : 'folder_unusable', message, { cause: error })
}

const MOUNTED = 'a folder that is mounted cannot be created at once, so name a folder below it'
const A_FILE = 'a part of this path is a file, so name another folder'
const ADVICE: Readonly<Record<string, string>> = {
  EBUSY: MOUNTED,
  EXDEV: MOUNTED,
  EEXIST: A_FILE,
  ENOTDIR: A_FILE,
  ENOSPC: 'free some space on the disk',
  EROFS: 'the file system is read-only, so name another folder',
}
