/**
 * As root, a file is created through a descriptor of its folder (`/proc/self/fd/N/name`). The folder is opened
 * component by component, and links that root did not make are not followed. Node has no `openat`, and the owner of the
 * folder could change it after a check of the path.
 */

import { closeSync, constants, existsSync, lstatSync, openSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { PortariaError } from './errors.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** The kernel's limit. */
const LINKS = 40

/**
 * Runs `act` with a path of `file` whose folder cannot be exchanged during the call. As root, only symbolic links that root created are followed,
 * because the owner of another link could have root create files anywhere. For other users the kernel's permissions suffice. The file itself may
 * still be a link: create it with O_EXCL or O_NOFOLLOW, or rename another file over it.
 * @throws PortariaError `request_invalid` for a link that is not followed
 */
export function inFolderOf<T>(file: string, act: (path: string) => T): T {
  const folder = openFolder(dirname(resolve(file)))
  if (folder === null) return act(file)
  const place = `/proc/self/fd/${folder}`
  try {
    return act(join(place, basename(file)))
  } catch (error) {
    // The system's error names the path through the descriptor.
    if (error instanceof Error) error.message = error.message.replaceAll(place, dirname(file))
    throw error
  } finally {
    closeSync(folder)
  }
}

/** Refuses a file that is itself a symbolic link of another user, as root. @throws PortariaError `request_invalid` */
export function refuseForeignLink(path: string, file: string = path): void {
  const status = lstatSync(path, { throwIfNoEntry: false })
  if (status?.isSymbolicLink() && isRoot() && status.uid !== 0) throw refusal(file, status)
}

/**
 * For a file that SQLite opens by its path: refuses the same links in its path, and the file itself where it is a link to a file of another owner. A
 * missing file is no link. @throws PortariaError `request_invalid`
 */
export function refuseForeignLinks(file: string): void {
  try {
    inFolderOf(file, (path) => {
      const link = lstatSync(path, { throwIfNoEntry: false })
      const target = statSync(path, { throwIfNoEntry: false })
      if (link === undefined || link.uid !== target?.uid) refuseForeignLink(path, file)
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

function isRoot(): boolean {
  return process.geteuid?.() === 0 && existsSync('/proc/self/fd')
}

/** A descriptor of the folder, opened component by component; null: not needed. */
function openFolder(folder: string): number | null {
  if (!isRoot()) return null
  const names = namesOf(folder)
  let at = openSync('/', FOLDER)
  let links = 0
  try {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const path = `/proc/self/fd/${at}/${name}`
      const status = lstatSync(path)
      if (status.isSymbolicLink() && ++links <= LINKS) {
        const target = targetOf(path, status)
        if (target === null || status.uid !== 0) throw refusal(folder, status, name)
        names.unshift(...namesOf(target))
        if (target.startsWith('/')) at = exchanged(at, '/')
      } else at = exchanged(at, path)
    }
    return at
  } catch (error) {
    closeSync(at)
    if (error instanceof Error) error.message = error.message.replace(/\/proc\/self\/fd\/\d+\/[^']*/, folder)
    throw error
  }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '')
}

function exchanged(before: number, path: string): number {
  const next = openSync(path, FOLDER)
  closeSync(before)
  return next
}

/** null: the link was exchanged during the call. */
function targetOf(path: string, { ino }: Stats): string | null {
  const target = readlinkSync(path)
  return lstatSync(path).ino === ino ? target : null
}

function refusal(path: string, { uid }: Stats, name?: string): PortariaError {
  const link = name === undefined ? `${path} is a symbolic link` : `"${name}" in ${path} is a symbolic link`
  return new PortariaError(
    'request_invalid',
    `${link} of user ${uid}, and root does not write through other users' links: name its target, or run the command as that user`,
  )
}
