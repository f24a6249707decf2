import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { PortariaError } from '../../platform/errors.ts'
import { publishNewFile } from '../files/written-files.ts'

export const LOCK = 'renewal.lock'
/** A renewal takes less than a second. A lock that was seen for this time is that of a process that was killed. */
const LOCK_MS = 10 * 60_000

/** Locks of other processes by their path, and when each was first seen (`performance.now()`): clocks that are set have no effect on it. */
const seen = new Map<string, { readonly holder: string; readonly since: number }>()

/** Runs `act` while no other process does, also on another machine that shares the folder. null: another one is at it. */
export async function whileLocked<T>(folder: string, act: () => Promise<T>): Promise<T | null> {
  const path = join(folder, LOCK)
  const holder = `${hostname()} ${process.pid} ${randomBytes(6).toString('hex')}\n`
  if (!take(path, holder)) return null
  try {
    return await act()
  } finally {
    // Another process may have taken it from one that was paused for long.
    if (holderOf(path) === holder) rmSync(path, { force: true })
  }
}

function take(path: string, holder: string): boolean {
  const other = holderOf(path)
  if (other !== null && !(isLeft(path, other) && remove(path, other))) return false
  seen.delete(path)
  try {
    publishNewFile({ path, content: holder, mode: 0o644 })
    return true
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'conflict') return false
    throw error
  }
}

function isLeft(path: string, holder: string): boolean {
  const before = seen.get(path)
  if (before?.holder === holder) return performance.now() - before.since >= LOCK_MS
  seen.set(path, { holder, since: performance.now() })
  return false
}

/** Of several processes, one renames it. */
function remove(path: string, holder: string): boolean {
  const taken = `${path}.${randomBytes(6).toString('hex')}`
  try {
    renameSync(path, taken)
  } catch {
    return false
  }
  const isIt = holderOf(taken) === holder
  // The lock of a process that was faster goes back.
  if (isIt) rmSync(taken, { force: true })
  else renameSync(taken, path)
  return isIt
}

function holderOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
