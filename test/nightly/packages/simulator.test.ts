import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { VERSION } from '../../../src/platform/version.ts'
import { builtPackages } from '../../support/built-packages.ts'
import { type Alone, say, tryAll } from '../../support/simulator-alone.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const FILE = `portaria-simulator-${VERSION}.tgz`
const ARCHIVE = `portaria-simulator-${VERSION}-linux-${process.arch}`
const work = mkdtempSync(join(tmpdir(), 'portaria-simulator-'))
let dist: string

beforeAll(async () => {
  dist = await builtPackages()
  chmodSync(work, 0o755)
}, 600_000)
afterAll(() => rmSync(work, { recursive: true }))

/** A folder of an ordinary user, with nothing in it but the file of the package. */
function folderWith(name: string, file: string): string {
  const folder = join(work, name)
  mkdirSync(folder)
  copyFileSync(join(dist, file), join(folder, file))
  if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder])
  return folder
}

const asUser = isRoot ? { user: { uid: NOBODY, gid: NOBODY } } : {}

it('typed as on its first page, npx runs the file alone in an empty folder', async () => {
  const folder = folderWith('npx', FILE)
  const npx = { command: ['npx', '--yes', `./${FILE}`], folder, examples: '', ...asUser } as const
  expect(await say(npx, '--version')).toMatchObject({ code: 0, stdout: `${VERSION}\n` })
  expect(await say(npx, 'trigger', 'payment', 'LIQUIDADO', '--to', 'https://localhost:1/')).toMatchObject({ code: 1 })
})

it('installed by npm, it starts, judges the sample receiver, sends it a callback, takes the tour, and ends', async () => {
  const folder = folderWith('npm', FILE)
  const install = { command: ['npm', 'install', '--no-audit', `./${FILE}`], folder, examples: '', ...asUser } as const
  expect(await say(install)).toMatchObject({ code: 0 })
  const command = [join(folder, 'node_modules/.bin/portaria-simulator')] as const
  const examples = join(folder, 'node_modules/portaria-simulator/docs/examples')
  await tryAll({ command, folder, examples, ...asUser } satisfies Alone)
})

it('unpacked from its archive, which has Node.js inside, it does the same', async () => {
  const folder = folderWith('archive', `${ARCHIVE}.tar.gz`)
  const unpack = { command: ['tar', '-xzf', `${ARCHIVE}.tar.gz`], folder, examples: '', ...asUser } as const
  expect(await say(unpack)).toMatchObject({ code: 0 })
  const program = join(folder, ARCHIVE)
  const examples = join(program, 'docs/examples')
  await tryAll({ command: [join(program, 'portaria-simulator')], folder, examples, ...asUser })
})
