import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFile } from '../../../platform/atomic-file.ts'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { fileSystemSpace } from '../../../platform/free-space.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'
import { requireKnownSchema } from '../database/migrations.ts'
import { countsOf, damagesOf } from './verify.ts'

export type BackupStep =
  | { readonly copying: { readonly bytes: number } }
  | { readonly checking: { readonly bytes: number } }

export interface BackupOrder {
  readonly file: string
  /** An empty file. */
  readonly target: string
  /** Bytes that must still be free afterwards. */
  readonly leaveBytes: number
}

export interface Backup {
  readonly bytes: number
  /** Rows per table. */
  readonly counts: Readonly<Record<string, number>>
}

/**
 * Copies a database into an empty file, with or without a running gateway: everything committed before, without removed data. On return the copy is on
 * disk and checked. Blocks its thread. The writer continues, but its log cannot be restarted meanwhile.
 * @throws PortariaError `store_unavailable` without enough space, or if the copy is not sound; `store_missing`, `store_newer`
 */
export function writeBackup({ file, target, leaveBytes }: BackupOrder, show: (step: BackupStep) => void): Backup {
  const db = openForReading(file)
  try {
    requireKnownSchema(db)
    const atLeast = lastGiven(db)
    saveCopy(db, target, leaveBytes, (bytes) => show({ copying: { bytes } }))
    show({ checking: { bytes: statSync(target).size } })
    return checkCopy(target, atLeast)
  } finally {
    db.close()
  }
}

/**
 * Copies an open database into an empty file. On return the copy is on disk.
 * @throws PortariaError `store_unavailable`
 */
export function saveCopy(
  db: Connection,
  target: string,
  leaveBytes: number,
  onBegin: (bytes: number) => void = () => undefined,
): void {
  const bytes = usedBytes(db)
  checkSpace(target, bytes, leaveBytes)
  onBegin(bytes)
  try {
    db.prepare('vacuum into ?').run(target)
    // SQLite does not sync the copy.
    syncFile(target)
  } catch (error) {
    throw new PortariaError('store_unavailable', `${target} could not be written: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

function checkCopy(target: string, atLeast: number): Backup {
  const db = openForReading(target)
  try {
    const problems = damagesOf(db, 'quick_check')
    if (lastGiven(db) < atLeast) problems.push('its last events are missing')
    if (problems.length > 0)
      throw new PortariaError(
        'store_unavailable',
        `what was written to ${target} is not sound: ${problems.join('; ')}; look at the disk`,
        { details: problems },
      )
    return { bytes: statSync(target).size, counts: countsOf(db) }
  } finally {
    db.close()
  }
}

/** Bytes of a copy, which has no free pages. */
function usedBytes(db: Connection): number {
  const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(db.pragma(name, { simple: true })),
  ) as [number, number, number]
  return (pages - free) * size
}

function checkSpace(target: string, bytes: number, leaveBytes: number): void {
  const folder = dirname(target)
  const { freeBytes } = fileSystemSpace(folder)
  if (freeBytes > bytes + leaveBytes) return
  const reserve = leaveBytes === 0 ? '' : `, of which ${leaveBytes} are the gateway's reserve (storage.minFreeSpace)`
  throw new PortariaError(
    'store_unavailable',
    [
      `there is too little space in ${folder}: ${freeBytes} bytes are free${reserve}, and ${bytes} are needed; nothing was written.`,
      'Name a file on another disk, or free some space',
    ].join(' '),
  )
}
