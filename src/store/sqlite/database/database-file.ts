import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Database as Connection } from 'better-sqlite3'
import { PortariaError } from '../../../platform/errors.ts'
import { COMMAND } from '../../../platform/installation.ts'
import {
  type FileHeader,
  FRAME_HEADER_BYTES,
  frameOffset,
  HEADER_BYTES,
  isFrameOf,
  LOG_HEADER_BYTES,
  parseFileHeader,
  parseLogHeader,
} from './file-header.ts'
import { type LastKnown, missing } from './last-known.ts'

/** Marks our databases in the file header (`pragma application_id`): "Prt1". */
export const APPLICATION_ID = 0x50727431
/** "Prtr": those of development versions before the first release. Their schemas have the numbers of released ones, and other tables. */
const DEVELOPMENT_ID = 0x50727472

const BEFORE_RESTORE = '.before-restore-'

/**
 * Checks the files of a database before SQLite opens them. SQLite would create a missing database, apply the log of another one, and notice a truncated
 * one only when it reads the missing part. Never in a process that has the database open: closing a descriptor frees all locks of its process.
 * @param file its real path
 * @param known the last known state of this database; null: none
 * @throws PortariaError `store_unavailable` with the reason and what to do
 */
export function checkDatabaseFile(file: string, known: LastKnown | null): void {
  refuseDanglingLink(file)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw unusable(`${file} is a folder`, 'name a file in it in storage.url')
  refuseSecondNames(file)
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (known !== null && size === undefined) throw missing(file, known, 'is not there')
  if (size === undefined) return refuseLoneLog(file)
  if (size === 0 && logSize(file) > 0) throw cutOff(file, 'is empty, and its log is not')
  if (size === 0 && known !== null) throw missing(file, known, 'is empty')
  if (size === 0) return
  const header = parseFileHeader(readStart(file, HEADER_BYTES))
  if (header === null)
    throw unusable(`${file} is no SQLite database`, 'name another file in storage.url, or move it away')
  const refusal = ofDevelopment(file, header.applicationId, header.userVersion)
  if (refusal !== null) throw refusal
  if (header.applicationId !== 0 && header.applicationId !== APPLICATION_ID) throw foreign(file)
  refuseCutOff(file, header)
  if (known !== null) refuseStaleLog(file, header, known)
}

/** @param file its real path, which is a link only if its target is missing. @throws PortariaError `store_unavailable` */
export function refuseDanglingLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  throw unusable(
    `${file} is a symbolic link to ${readlinkSync(file)}, which is not there`,
    'is its disk mounted? For a new database name the file itself in storage.url',
  )
}

/** @throws PortariaError `store_unavailable` for a file that two gateways could own under two names */
function refuseSecondNames(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.nlink ?? 1) > 1) throw manyNames(file)
  if (isMountPoint(file))
    throw unusable(
      `${file} is mounted as a single file: its log and its lock would stand elsewhere`,
      'mount the folder of the database instead',
    )
}

/** As `checkDatabaseFile`, except for the remains of an interrupted restore, which the next restore completes. */
export function refuseForeignNames(file: string): void {
  const names = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1
  if (names > 1 && names - namesBeforeRestore(file).length > 1) throw manyNames(file)
}

/** Second names of the file that an interrupted restore has left. */
function namesBeforeRestore(file: string): string[] {
  const { dev, ino } = statSync(file)
  const folder = dirname(file)
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}${BEFORE_RESTORE}`))
    .map((name) => join(folder, name))
    .filter((path) => {
      const other = statSync(path, { throwIfNoEntry: false })
      return other?.ino === ino && other.dev === dev
    })
}

function manyNames(file: string): PortariaError {
  const [aside] = namesBeforeRestore(file)
  if (aside !== undefined)
    return unusable(
      `${file} is also named ${aside}: a restore was broken off before it had replaced anything`,
      `restore again (${COMMAND} storage restore FILE), or go on with the database as it was: rm ${aside}`,
    )
  const { nlink } = statSync(file)
  return unusable(
    `${file} has ${nlink} names (hard links), through which two gateways could own it`,
    `find the others (find DIRECTORY -xdev -samefile ${file}) and remove them, or replace them by copies (${COMMAND} storage backup)`,
  )
}

/** Requires that the open database is ours or empty, and closes another one. @throws PortariaError `store_unavailable` */
export function requireOwn(db: Connection): void {
  // Where SQLite itself throws, the connection stays open: closing that of a damaged database would delete its log.
  const schema = db.pragma('user_version', { simple: true }) as number
  const refusal = ofDevelopment(db.name, applicationIdOf(db), schema) ?? (isForeign(db) ? foreign(db.name) : null)
  if (refusal === null) return
  db.close()
  throw refusal
}

/** Without an application id only the tables tell whether it is ours. */
function isForeign(db: Connection): boolean {
  const id = applicationIdOf(db)
  if (id !== 0) return id !== APPLICATION_ID
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
  return tables.length > 0 && !['meta', 'callbacks', 'events'].every((name) => tables.includes(name))
}

export function markOwn(db: Connection): void {
  if (applicationIdOf(db) !== APPLICATION_ID) db.pragma(`application_id = ${APPLICATION_ID}`)
}

function applicationIdOf(db: Connection): number {
  return db.pragma('application_id', { simple: true }) as number
}

function ofDevelopment(file: string, applicationId: number, schema: number): PortariaError | null {
  if (applicationId !== DEVELOPMENT_ID) return null
  return new PortariaError(
    'store_unavailable',
    `${file} has schema ${schema} of a development version of Portaria, from before its first release, and was not changed: run that version to read it, or name another file in storage.url`,
  )
}

function foreign(file: string): PortariaError {
  return unusable(`${file} is a database of another program, and was not changed`, 'name another file in storage.url')
}

/**
 * Whatever the server promises, locks, shared memory and syncs of such file systems do not hold what SQLite needs of them
 * (https://sqlite.org/wal.html, https://sqlite.org/howtocorrupt.html).
 * @param file its real path; its folder need not exist @throws PortariaError `store_unavailable`
 */
export function refuseNetworkFileSystem(file: string, mounts = readMounts()): void {
  const folder = dirname(file)
  const type = typeAt(folder, mounts)
  if (!NETWORK_TYPE.test(type)) return
  throw unusable(
    `${folder} is on a network file system (${type}), where SQLite can lose what it has stored`,
    'name a folder on a local disk of this machine in storage.url, or mount a volume of a local disk there',
  )
}

/** As the kernel names them; those of FUSE name themselves. */
const NETWORK_TYPE =
  /^(nfs4?|cifs|smb3|smbfs|ncpfs|afs|coda|ceph|lustre|beegfs|gpfs|ocfs2|gfs2|fuse\.(sshfs|glusterfs|ceph|ceph-fuse|s3fs|gcsfuse|rclone|davfs|juicefs|mount-s3))$/

/** Of the innermost mount, and of two at one point the later; empty: unknown. */
function typeAt(folder: string, mounts: readonly Mount[]): string {
  let at: Mount = { point: '', type: '' }
  for (const mount of mounts) {
    const isAbove = mount.point === '/' || folder === mount.point || folder.startsWith(`${mount.point}/`)
    if (isAbove && mount.point.length >= at.point.length) at = mount
  }
  return at.type
}

/** A file system mounted on the file itself, as containers do with single files. */
function isMountPoint(file: string): boolean {
  return readMounts().some(({ point }) => point === file)
}

interface Mount {
  readonly point: string
  /** Of the file system, such as ext4. */
  readonly type: string
}

/** What this process sees (proc_pid_mountinfo(5)), in the order of mounting; none where there is no /proc. */
function readMounts(): Mount[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n').map(mountOf)
  } catch {
    return []
  }
}

/** The fifth field is the mount point, with white space and backslashes as octal numbers; the type follows a lone hyphen. */
function mountOf(line: string): Mount {
  const fields = line.split(' ')
  const point = fields[4]?.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
  return { point: point ?? '', type: fields[fields.indexOf('-') + 1] ?? '' }
}

function refuseLoneLog(file: string): void {
  if (logSize(file) === 0) return
  throw unusable(
    `${file} is not there, but its log ${file}-wal is`,
    `put the database back beside its log, or move the log away and restore a backup (${COMMAND} storage restore FILE)`,
  )
}

/** A process that was killed during a checkpoint leaves a short database with a complete log, which is no fault. */
function refuseCutOff(file: string, { pages, pageSize }: FileHeader): void {
  const { size } = statSync(file)
  if (pages === null || pages * pageSize <= size) return
  const logged = pagesInLog(file)
  const first = Math.floor(size / pageSize) + 1
  const isLogged = Array.from({ length: pages - first + 1 }, (_, index) => logged.has(first + index)).every(Boolean)
  // A running gateway may have completed a checkpoint meanwhile.
  if (isLogged || statSync(file).size >= pages * pageSize) return
  throw cutOff(file, `has ${size} bytes of ${pages * pageSize}: its end is cut off`)
}

function pagesInLog(file: string): Set<number> {
  const pages = new Set<number>()
  if (logSize(file) === 0) return pages
  const descriptor = openSync(`${file}-wal`, 'r')
  try {
    const header = parseLogHeader(readAt(descriptor, 0, LOG_HEADER_BYTES))
    if (header === null) return pages
    for (let number = 1; ; number++) {
      const frame = readAt(descriptor, frameOffset(number, header.pageSize), FRAME_HEADER_BYTES)
      if (!isFrameOf(header, frame)) return pages
      pages.add(frame.readUInt32BE(0))
    }
  } finally {
    closeSync(descriptor)
  }
}

/** SQLite would apply the log of the former database to the one that has replaced it. */
function refuseStaleLog(file: string, header: FileHeader, known: LastKnown): void {
  if (logSize(file) === 0) return
  const isOtherFile = known.inode !== null && known.inode !== inodeOf(file) && known.logInode === inodeOf(`${file}-wal`)
  const isOtherContent =
    (known.schemaCookie !== null && known.schemaCookie !== header.schemaCookie) ||
    (known.changes !== null && known.changes > header.changes)
  if (!isOtherFile && !isOtherContent) return
  throw unusable(
    `${file} was replaced beside ${file}-wal, the log of the database that was here before, which would destroy it`,
    `put the former database back; or move ${file}-wal away and use ${COMMAND} storage restore FILE, which replaces both`,
  )
}

/** Device and inode number of a file; null: it does not exist. */
export function inodeOf(file: string): string | null {
  const there = statSync(file, { bigint: true, throwIfNoEntry: false })
  return there === undefined ? null : `${there.dev}:${there.ino}`
}

function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

function readStart(file: string, bytes: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    return readAt(descriptor, 0, bytes)
  } finally {
    closeSync(descriptor)
  }
}

/** Shorter if the file ends before. */
export function readAt(descriptor: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, offset))
}

function cutOff(file: string, what: string): PortariaError {
  return unusable(
    `${file} ${what}`,
    `keep the files as they are and put the whole database back, or restore a backup (${COMMAND} storage restore FILE)`,
  )
}

function unusable(found: string, advice: string): PortariaError {
  return new PortariaError('store_unavailable', `${found}: ${advice}`)
}
