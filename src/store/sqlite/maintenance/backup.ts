import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFile } from '../../../platform/atomic-file.ts'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { fileSystemSpace } from '../../../platform/free-space.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { requireOwn } from '../database/database-file.ts'
import { refuseNewer } from '../database/migrations.ts'
import { latestPosition } from '../events/event-queries.ts'
import { countsOf, damagesOf } from './verify.ts'

export type BackupStep =
  | { readonly copying: { readonly bytes: number } }
  | { readonly checking: { readonly bytes: number } }

export interface BackupOrder {
  readonly file: string
  /** An empty file. */
  readonly target: string
  /** So much space must be free when it is done. */
  readonly leaveBytes: number
}

export interface Backup {
  readonly bytes: number
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>
}

/**
 * Copies a database into an empty file, beside its gateway or without one: all that was committed before, and nothing that was removed. The copy is
 * on disk and was opened and looked at when this returns. It blocks its thread, and the writer goes on: only its log cannot start anew meanwhile.
 * @throws PortariaError `store_unavailable` where there is no space for it, or where what was written is not sound; `store_missing`, `store_newer`
 */
export function writeBackup({ file, target, leaveBytes }: BackupOrder, show: (step: BackupStep) => void): Backup {
  const db = openForReading(file)
  try {
    requireOwn(db)
    refuseNewer(db)
    const atLeast = latestPosition(db)
    saveCopy(db, target, leaveBytes, (bytes) => show({ copying: { bytes } }))
    show({ checking: { bytes: statSync(target).size } })
    return checkCopy(target, atLeast)
  } finally {
    db.close()
  }
}

/**
 * Copies an open database into an empty file; the copy is on disk when this returns.
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
    // SQLite leaves a copy to the kernel.
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
    if (latestPosition(db) < atLeast) problems.push('its last events are missing')
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

/** What a copy will need: pages of what was removed are left out. */
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
    `there is too little space in ${folder}: ${freeBytes} bytes are free${reserve}, and ${bytes} are needed; nothing was written. Name a file on another disk, or free some space`,
  )
}
