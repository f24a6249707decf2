import { COMMAND } from '../../platform/installation.ts'
/**
 * Beside `production.pem` the folder `production/` holds the chains that were added, with `staged/` and `retired/` in
 * it. A rename activates a chain, so the folder alone says what is trusted. A folder that cannot be listed counts as a
 * change, so that reading the chains fails and the old ones stay.
 */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, extname, join, parse } from 'node:path'
import { createFile, replaceFile, syncFolder } from '../../platform/atomic-file.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { inFolderOf } from '../../platform/foreign-links.ts'
import { isPermissionError, permissionAdvice, WRITE_ADVICE } from '../../platform/permission.ts'
import { say } from '../../platform/said.ts'

/** Active chains are trusted; staged ones wait for `activate`; retired ones are kept as a record. */
export type ChainState = 'active' | 'staged' | 'retired'

export interface ChainFile {
  readonly name: string
  readonly state: ChainState
  readonly file: string
}

const STATES: readonly ChainState[] = ['active', 'staged', 'retired']

/**
 * Lists the chains of one entry of `trust`. `chain` names a PEM file or a folder of such files. For a file `production.pem`, the folder
 * `production/` beside it has additional chains. The folder itself has active chains, `staged/` and `retired/` have the others.
 */
export function chainFilesOf(chain: string): ChainFile[] {
  const { main, folder } = placesOf(chain)
  const first: ChainFile[] =
    main !== null && statusOf(main) !== undefined ? [{ name: nameOf(main), state: 'active', file: main }] : []
  return [
    ...first,
    ...STATES.flatMap((state) => filesIn(folderOf(folder, state)).map((file) => ({ name: nameOf(file), state, file }))),
  ]
}

/** The trusted files; without any, the path of `chain`, so that its absence is reported. */
export function activeFilesOf(chain: string): string[] {
  const active = chainFilesOf(chain).filter(({ state }) => state === 'active')
  return active.length > 0 ? active.map(({ file }) => file) : [chain]
}

/** The folders that show changes of the chains. */
export function observedFoldersOf(chain: string): string[] {
  const { main, folder } = placesOf(chain)
  return [...(main === null ? [] : [dirname(main)]), folder]
}

/** Writes a staged chain. @throws PortariaError `conflict` when the name is taken */
export function stageChain(chain: string, name: string, pem: string): ChainFile {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new PortariaError(
      'request_invalid',
      say`"${{ name }}" cannot be a chain's name: letters, digits, dots, dashes and underscores, at most 64`,
    )
  }
  const taken = chainFilesOf(chain).find((known) => known.name === name && known.state !== 'retired')
  if (taken !== undefined)
    throw new PortariaError(
      'conflict',
      say`a chain ${{ name }} is ${{ state: taken.state }} already (${{ file: taken.file }}): choose another --name`,
    )
  const file = join(folderOf(placesOf(chain).folder, 'staged'), `${name}.pem`)
  writeWhole(file, pem)
  return { name, state: 'staged', file }
}

/** Moves a chain atomically. @throws PortariaError `not_found`, `conflict` */
export function moveChain(chain: string, name: string, move: { from: ChainState; to: ChainState }): ChainFile {
  const found = chainFilesOf(chain).filter((known) => known.name === name)
  const source = found.find(({ state }) => state === move.from)
  if (source === undefined) {
    const [other] = found
    throw other === undefined
      ? new PortariaError(
          'not_found',
          say`there is no chain ${{ name }}: "${{ command: COMMAND }} certs trust list" shows which there are`,
        )
      : new PortariaError(
          'conflict',
          say`the chain ${{ name }} is ${{ state: other.state }}, not ${{ from: move.from }}`,
        )
  }
  const file = freeName(
    join(folderOf(placesOf(chain).folder, move.to), basename(source.file)),
    chainFilesOf(chain).filter(({ state }) => state === move.to),
  )
  inFolder(dirname(file), () => {
    inFolderOf(source.file, (from) =>
      inFolderOf(file, (to) => {
        replaceFile(from, to)
        syncFolder(dirname(from))
      }),
    )
  })
  return { name: nameOf(file), state: move.to, file }
}

function placesOf(chain: string): { main: string | null; folder: string } {
  const status = statusOf(chain)
  const isFolder = status === undefined ? extname(chain) === '' : status.isDirectory()
  if (isFolder) return { main: null, folder: chain }
  return { main: chain, folder: extname(chain) === '' ? `${chain}.d` : join(dirname(chain), nameOf(chain)) }
}

function folderOf(folder: string, state: ChainState): string {
  return state === 'active' ? folder : join(folder, state)
}

function filesIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.pem') && !name.startsWith('.'))
    .sort()
    .map((name) => join(folder, name))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Only a missing folder has no chains: an unreadable folder must not look empty.
    if (codeOf(error) === 'ENOENT') return []
    throw unreadable(folder, error)
  }
}

/** undefined: it does not exist. */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): PortariaError {
  const advice = ADVICE[codeOf(error) ?? ''] ?? permissionAdvice()
  return new PortariaError(
    'certificate_invalid',
    `the chains in ${path} cannot be read (${systemWords(error)}): ${advice}`,
    { cause: error },
  )
}

const NO_DESCRIPTOR = 'no file descriptor is left: raise LimitNOFILE= of the unit, or lower the limits of connections'
const ADVICE: Readonly<Record<string, string>> = {
  ENOTDIR: 'put the folder back in the place of that file',
  ELOOP: 'correct the symbolic links, which lead in a circle',
  EMFILE: NO_DESCRIPTOR,
  ENFILE: NO_DESCRIPTOR,
}

/** Whether this process lacks descriptors, which says nothing about the folder. */
export function isShortOfDescriptors(error: unknown): boolean {
  return error instanceof PortariaError && ['EMFILE', 'ENFILE'].includes(codeOf(error.cause) ?? '')
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function nameOf(file: string): string {
  return parse(file).name
}

/** A free name: an earlier retired chain of this name stays, and active chains have different names. */
function freeName(file: string, others: readonly ChainFile[]): string {
  const { dir, name, ext } = parse(file)
  const isTaken = (path: string) => existsSync(path) || others.some((other) => other.name === nameOf(path))
  let free = file
  for (let count = 2; isTaken(free); count++) free = join(dir, `${name}-${count}${ext}`)
  return free
}

function writeWhole(file: string, text: string): void {
  inFolder(dirname(file), () =>
    inFolderOf(file, (path) => {
      const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
      try {
        // The gateway may run as another user than the command.
        createFile(temporary, text, { mode: 0o644 })
        replaceFile(temporary, path)
      } finally {
        rmSync(temporary, { force: true })
      }
    }),
  )
}

function inFolder(folder: string, write: () => void): void {
  try {
    makeReadableFolder(folder)
    write()
  } catch (error) {
    if (error instanceof PortariaError) throw error
    throw new PortariaError(
      'certificate_invalid',
      `cannot write in ${folder} (${systemWords(error)}): ${isPermissionError(error) ? WRITE_ADVICE : 'check the folder and the disk'}`,
      { cause: error },
    )
  }
}

function makeReadableFolder(folder: string): void {
  if (existsSync(folder)) return
  makeReadableFolder(dirname(folder))
  inFolderOf(folder, (path) => {
    mkdirSync(path)
    const descriptor = openSync(path, constants.O_DIRECTORY | constants.O_NOFOLLOW)
    fchmodSync(descriptor, 0o755)
    closeSync(descriptor)
  })
}
