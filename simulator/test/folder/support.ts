import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openFolder, type SimulatorFolder } from '../../src/folder/folder.ts'

export const now = () => new Date()

/** A folder that a first start made, once for a test file: `copy` gives each test its own. */
export function firstStart(hostNames: readonly string[] = []) {
  const base = mkdtempSync(join(tmpdir(), 'portaria-simulator-'))
  const path = join(base, 'first')
  beforeAll(async () => {
    await openFolder(path, { now, hostNames })
  })
  afterAll(() => rmSync(base, { recursive: true }))
  return {
    path,
    copy(): string {
      const copied = mkdtempSync(join(base, 'copy-'))
      onTestFinished(() => rmSync(copied, { recursive: true, force: true }))
      cpSync(path, copied, { recursive: true })
      return copied
    },
    open: (folder = path): Promise<SimulatorFolder> => openFolder(folder, { now, hostNames }),
  }
}

/** Every file by its path within the folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .toSorted()
}

export function contentsOf(folder: string): Record<string, string> {
  return Object.fromEntries(filesIn(folder).map((file) => [file, readFileSync(join(folder, file), 'base64')]))
}
