import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeDevelopmentCertificates } from '../../src/certificates/development/development.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with development certificates, made once for a whole run. Its parent, `keptFolder()`, is removed after the run. */
    testCa: string
  }
}

export default async function setUp(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-test-run-'))
  const testCa = join(folder, 'ca')
  mkdirSync(testCa)
  await makeDevelopmentCertificates(testCa)
  project.provide('testCa', testCa)
  return function tearDown() {
    rmSync(folder, { recursive: true, force: true })
  }
}
