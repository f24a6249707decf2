import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { inFolderOf } from '../../platform/foreign-links.ts'
import { say } from '../../platform/said.ts'
import type { Backup } from '../../store/sqlite/maintenance/backup.ts'
import { runDatabaseJob } from '../database-job.ts'
import { sizeInWords } from '../output.ts'
import { progressUnless } from '../progress.ts'

const LOOK_EVERY_MS = 200

interface Copying {
  readonly file: string
  readonly target: string
  /** Space that must be free afterwards. */
  readonly leaveBytes: number
  /** Shows no progress. */
  readonly isQuiet: boolean
}

/**
 * Copies a database in a child process to a file that only this user may read, with progress on stderr.
 * An error or an interruption leaves nothing behind.
 * @throws PortariaError also when interrupted
 */
export async function copyDatabase({ file, target, leaveBytes, isQuiet }: Copying): Promise<Backup> {
  createPrivately(target)
  const show = progressUnless(isQuiet)
  let total = 0
  const timer = setInterval(() => {
    if (total === 0) return
    const written = sizeOf(target)
    const words = `${sizeInWords(written)} of ${sizeInWords(total)} written`
    show({ share: Math.min(written / total, 1), words, isEnded: false })
  }, LOOK_EVERY_MS)
  try {
    const order = { file, target, leaveBytes }
    return await runDatabaseJob('backup', order, {
      interrupted: 'interrupted: nothing was written',
      onStep: (step) => {
        total = 'copying' in step ? step.copying.bytes : 0
        if ('checking' in step)
          show({ share: 1, words: `${sizeInWords(step.checking.bytes)} written, checking it`, isEnded: true })
      },
    })
  } catch (error) {
    // SQLite leaves its journal behind when it is killed or has no space.
    for (const left of [target, `${target}-journal`]) rmSync(left, { force: true })
    throw error
  } finally {
    clearInterval(timer)
  }
}

/** For progress only, so it never throws. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

function createPrivately(target: string): void {
  try {
    closeSync(inFolderOf(target, (path) => openSync(path, 'wx', 0o600)))
  } catch (error) {
    throw new PortariaError(
      'store_unavailable',
      say`${{ target }} cannot be created: ${{ error: systemWords(error) }}; check that its folder exists and is writable by this user`,
      { cause: error },
    )
  }
}
