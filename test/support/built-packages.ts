import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../src/platform/program-files.ts'
import { keptFolder } from './kept-folder.ts'
import { until } from './until.ts'

/** As a release has it: the time of all files in the packages. */
export const SOURCE_DATE_EPOCH = '1760000000'
/** A build takes a minute on a slow machine. */
const LIMIT_MS = 600_000

/**
 * The folder with the packages of this clone: built once for a whole run, by the file of tests that needs it first. For reading only.
 * @throws in each file that needs it, where the build failed
 */
export async function builtPackages(): Promise<string> {
  const folder = join(keptFolder(), 'packages')
  const result = join(keptFolder(), 'packages-built')
  if (isFirst(join(keptFolder(), 'packages-begun'))) writeFileSync(result, await build(folder), { flush: true })
  const said = await until(
    () => existsSync(result) && readFileSync(result, 'utf8'),
    (text) => text !== false && text !== '',
    LIMIT_MS,
  )
  if (said !== 'built') throw new Error(`npm run package failed: ${said}`)
  return folder
}

function isFirst(begun: string): boolean {
  try {
    mkdirSync(begun)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** `built`, or why not. */
async function build(folder: string): Promise<string> {
  const command = [join(ROOT, 'packaging/package.ts'), '--out', folder]
  const env = { ...process.env, SOURCE_DATE_EPOCH }
  const child = spawn(join(ROOT, 'bin/node'), command, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [code] = await once(child, 'close')
  return code === 0 ? 'built' : `exit code ${code}: ${said}`
}
