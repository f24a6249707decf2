import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { openFolder } from '../../src/folder/folder.ts'
import { filesIn, now } from './support.ts'

const MODULE = resolve(import.meta.dirname, '../../src/folder/folder.ts')
const SCRIPT = `import { openFolder } from ${JSON.stringify(MODULE)}
await openFolder(process.argv[1], { now: () => new Date(), hostNames: [] })`

/** A first start in a process of its own. */
function startIn(folder: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, folder], { stdio: 'inherit' })
  const ended = new Promise<number | null>((end) => child.on('exit', (code) => end(code)))
  return { child, ended }
}

/** How many entries the unfinished first start has made; null once it is finished. */
function progressIn(base: string): number | null {
  if (existsSync(join(base, 'simulator'))) return null
  const [staging] = readdirSync(base)
  try {
    return staging === undefined ? -1 : readdirSync(join(base, staging), { recursive: true }).length
  } catch {
    // It was renamed in between.
    return null
  }
}

it.each([0, 1, 8, 20, 36])('a first start that is killed at %d files leaves a folder that opens', async (count) => {
  const base = temporaryFolder()
  const { child, ended } = startIn(join(base, 'simulator'))
  await until(() => (progressIn(base) ?? Number.POSITIVE_INFINITY) >= count)
  child.kill('SIGKILL')
  await ended
  const folder = await openFolder(join(base, 'simulator'), { now, hostNames: [] })
  expect(filesIn(folder.path)).toHaveLength(32)
})

it('of two processes that start at once, both succeed with the same files', async () => {
  const folder = join(temporaryFolder(), 'data/simulator')
  const codes = await Promise.all([startIn(folder).ended, startIn(folder).ended])
  expect(codes).toEqual([0, 0])
  expect(readdirSync(join(folder, '..'))).toEqual(['simulator'])
  expect(filesIn(folder)).toHaveLength(32)
})
