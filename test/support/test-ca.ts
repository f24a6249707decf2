import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeDevelopmentCertificates } from '../../src/certificates/development/development.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Folder with development certificates, made once for a whole run and removed after it. What takes tests long to make may be kept in it.
     */
    testCa: string
  }
}

/** PORTARIA_TEST_CA: the folder of the run that has started this one. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const known = process.env.PORTARIA_TEST_CA
  if (known !== undefined) {
    project.provide('testCa', known)
    return () => undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'portaria-test-ca-'))
  await makeDevelopmentCertificates(folder)
  project.provide('testCa', folder)
  return function tearDown() {
    rmSync(folder, { recursive: true, force: true })
  }
}
