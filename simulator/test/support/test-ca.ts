import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openFolder } from '../../src/folder/folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with certificates of a receiver at localhost, made once for a whole run. Its parent, `keptFolder()`, is removed after the run. */
    testCa: string
  }
}

/** For a run of the simulator's tests alone. In a run with the gateway's, theirs makes the same files. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-simulator-run-'))
  const testCa = join(folder, 'ca')
  mkdirSync(join(testCa, 'trust'), { recursive: true })
  const { path, environments } = await openFolder(join(folder, 'first'), { now: () => new Date(), hostNames: [] })
  for (const name of ['server-ca.crt', 'server.crt', 'server.key']) copyFileSync(join(path, name), join(testCa, name))
  copyFileSync(environments.production.chainFile, join(testCa, 'trust/production.pem'))
  project.provide('testCa', testCa)
  return function tearDown() {
    rmSync(folder, { recursive: true, force: true })
  }
}
