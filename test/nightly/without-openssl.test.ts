import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('without openssl every test file can be loaded', () => {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  // No test has this name, so that the files are only loaded.
  const { status, stderr } = spawnSync(process.execPath, [vitest, 'run', '-t', 'no test has this name'], {
    cwd: ROOT,
    env: { PATH: temporaryFolder() },
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
})
