import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '..')

it('without openssl the end of a run names it as what the skipped tests need', () => {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', 'test/certificates/der-witness.test.ts'],
    { cwd: ROOT, env: { PATH: temporaryFolder() }, encoding: 'utf8' },
  )
  expect(status, stderr).toBe(0)
  expect(stdout).toMatch(/^Tests were skipped that need programs which are not installed: openssl$/m)
})
