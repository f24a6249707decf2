import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
/** The C library keeps memory that is freed. A system may take longer to give new memory than a reader needs, and does so for long bodies alone. */
const KEEP_MEMORY = { MALLOC_MMAP_THRESHOLD_: '1000000000', MALLOC_TRIM_THRESHOLD_: '4000000000' }

it('a body takes about as much time as four of a quarter of its length, with every reader', {
  timeout: 240_000,
}, async () => {
  const env = { ...process.env, ...KEEP_MEMORY }
  const { stdout } = await promisify(execFile)('bin/node', ['test/support/growth/slow-bodies.ts'], { cwd: ROOT, env })
  const slow = JSON.parse(stdout) as Record<string, string[]>
  expect(Object.keys(slow)).toHaveLength(10)
  expect(Object.fromEntries(Object.entries(slow).filter(([, bodies]) => bodies.length > 0))).toEqual({})
})
