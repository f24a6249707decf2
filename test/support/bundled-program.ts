import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleInto } from '../../packaging/bundle.ts'
import { ROOT } from '../../src/platform/program-files.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The program as packages have it, made once for a whole run: it starts in half the CPU time of a clone. Undefined in `npm test`. */
    bundledMain: string | undefined
  }
}

/** As deep below the clone as in a package, so that it finds the files that are no code. */
const FOLDER = join(ROOT, 'lib')

export default async function bundleProgram(project: TestProject): Promise<() => void> {
  mkdirSync(FOLDER, { recursive: true })
  const folder = mkdtempSync(join(FOLDER, 'tested-'))
  await bundleInto(folder)
  // Some tests run it as another user.
  chmodSync(folder, 0o755)
  project.provide('bundledMain', join(folder, 'main.js'))
  return function tearDown() {
    rmSync(folder, { recursive: true, force: true })
  }
}
