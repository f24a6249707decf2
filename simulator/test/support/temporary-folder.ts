import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of its own for one test, removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  onTestFinished(() => remove(folder))
  return folder
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    allowRemoval(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Where a test took the right to write away from its own user, all but root lack it. */
function allowRemoval(folder: string): void {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) allowRemoval(join(folder, entry.name))
}
