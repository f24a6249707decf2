import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readBuild } from '../../../src/cli/program/build.ts'
import { ROOT } from '../../../src/platform/program-files.ts'
import { VERSION } from '../../../src/platform/version.ts'
import { builtPackages, SOURCE_DATE_EPOCH } from '../../support/built-packages.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const hasLintian = spawnSync('lintian', ['--version']).status === 0
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const NOBODY = 65_534
const TEXT = { encoding: 'utf8' } as const
const RECEIVER = `portaria-receiver-${VERSION}.tgz`
const TARBALL = `portaria-${VERSION}-linux-${process.arch}`
const work = mkdtempSync(join(tmpdir(), 'portaria-'))
let dist: string

/** Builds the packages of a checkout into a new folder. */
function build(root: string): string {
  const folder = join(mkdtempSync(join(work, 'build-')), 'dist')
  const environment = { ...process.env, SOURCE_DATE_EPOCH }
  execFileSync(join(root, 'bin/node'), [join(root, 'packaging/package.ts'), '--out', folder], { env: environment })
  return folder
}

function unpack(folder: string): string {
  execFileSync('tar', ['-xzf', join(dist, `${TARBALL}.tar.gz`), '-C', folder])
  return join(folder, TARBALL)
}

function namesIn(archive: string): readonly string[] {
  return execFileSync('tar', ['-tzf', join(dist, archive)], { encoding: 'utf8' })
    .trim()
    .split('\n')
}

beforeAll(async () => {
  dist = await builtPackages()
}, 600_000)

afterAll(() => rmSync(work, { recursive: true }))

it('two builds in two folders are the same, and SHA256SUMS has every file', () => {
  const copy = join(temporaryFolder(), 'another clone')
  execFileSync('cp', ['-a', ROOT, copy])

  const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8')
  expect(readFileSync(join(build(copy), 'SHA256SUMS'), 'utf8')).toBe(sums)

  const names = sums
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1])
  expect(names.sort()).toEqual(
    readdirSync(dist)
      .filter((name) => name !== 'SHA256SUMS')
      .sort(),
  )
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: dist })
})

it('an archive has code without types, native code of its architecture only, and no tests', () => {
  const archives = readdirSync(dist).filter((name) => name.endsWith('gz') && name !== RECEIVER)
  expect(archives).toHaveLength(6)
  for (const archive of archives) {
    const names = namesIn(archive)
    expect(
      names.filter((name) => /\.ts$|(^|\/)tests?\//.test(name) && !name.includes('/docs/examples/')),
      archive,
    ).toEqual([])
    expect(
      names.some((name) => name.endsWith('/lib/program/main.js.map')),
      archive,
    ).toBe(true)
    const native = names.filter((name) => /\.node$|\/bin\/node$/.test(name) && !name.endsWith('x64/bin/node'))
    const architecture = /linux-(x64|arm64)/.exec(archive)?.[1]
    const root = archive.replace('.tar.gz', '')
    const expected = [
      `${root}/node_modules/better-sqlite3/prebuilds/linux-${architecture}.node`,
      `${root}/node_modules/node-linux-${architecture}/bin/node`,
    ].filter((name) => !name.endsWith('x64/bin/node'))
    expect(
      native.filter((name) => name.includes('node_modules')),
      archive,
    ).toEqual(architecture ? expected : [])
  }
})

/** Every entry of a Debian package, as `ls -l` would show it. */
function entriesOf(deb: string): readonly string[] {
  const text = execFileSync('dpkg-deb', ['--contents', join(dist, deb)], { encoding: 'utf8', maxBuffer: 2 ** 24 })
  return text.trim().split('\n')
}

it.each([
  ['amd64', 'x64'],
  ['arm64', 'arm64'],
])(
  'the Debian package of %s has native code of its architecture only, and its units start its program',
  (debian, architecture) => {
    const deb = `portaria_${VERSION}_${debian}.deb`
    const native = entriesOf(deb).flatMap((entry) => /\S*(?:\.node|\/bin\/node)$/.exec(entry) ?? [])
    const program = './usr/lib/portaria'
    expect(native.filter((path) => path !== `${program}/bin/node`).sort()).toEqual([
      `${program}/node_modules/better-sqlite3/prebuilds/linux-${architecture}.node`,
      `${program}/node_modules/node-linux-${architecture}/bin/node`,
    ])
    const entries = entriesOf(deb)
    expect(entries.filter((entry) => !/^\S+ root\/root /.test(entry))).toEqual([])
    const site = entries.filter((entry) => entry.includes('./etc/portaria/'))
    expect(site.map((entry) => entry.split(' ')[0])).toEqual(['drwxr-x---', '-rw-r-----'])

    const folder = temporaryFolder()
    execFileSync('dpkg-deb', ['--extract', join(dist, deb), folder])
    const units = join(folder, 'usr/lib/systemd/system')
    const texts = readdirSync(units).flatMap((name) =>
      /\.d$/.test(name) ? [] : readFileSync(join(units, name), 'utf8'),
    )
    expect(texts).toHaveLength(6)
    const paths = texts.flatMap((text) => [...text.matchAll(/^(?:Exec\w+=|Documentation=file:)(\S+)/gm)])
    expect(paths.length).toBeGreaterThan(6)
    for (const [, path = ''] of paths) expect(existsSync(join(folder, path)), path).toBe(true)
  },
)

it.skipIf(!hasLintian)('lintian finds no error in the Debian packages but what is overridden with a reason', () => {
  const debs = readdirSync(dist).filter((name) => name.endsWith('.deb'))
  expect(debs).toHaveLength(2)
  const { stdout } = spawnSync('lintian', ['--show-overrides', ...debs], { ...TEXT, cwd: dist })
  expect(stdout.match(/^E:.*/gm)).toBe(null)
  const overridden = [...stdout.matchAll(/^O: portaria: (\S+)/gm)].map(([, tag]) => tag)
  expect([...new Set(overridden)].sort()).toEqual(['embedded-library', 'unstripped-binary-or-object'])
})

it('says so where dpkg-deb is missing, and builds nothing', () => {
  const out = join(temporaryFolder(), 'dist')
  const command = [join(ROOT, 'packaging/package.ts'), '--out', out]
  const { status, stderr } = spawnSync(process.execPath, command, { ...TEXT, env: { PATH: temporaryFolder() } })
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^dpkg-deb makes the Debian packages, and is not installed/),
  ])
  expect(existsSync(out)).toBe(false)
})

it('the tarball runs from a folder that has a space in its name and cannot be written to', () => {
  const root = unpack(join(mkdirSync(join(temporaryFolder(), 'my programs'), { recursive: true }) as string))
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
  for (const entry of paths.filter((one) => one.isDirectory())) chmodSync(join(entry.parentPath, entry.name), 0o555)
  chmodSync(root, 0o555)
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) for (let folder = root; folder !== '/'; folder = join(folder, '..')) openForOthers(folder)

  const home = temporaryFolder()
  chmodSync(home, 0o777)
  const options = { ...user, cwd: '/', encoding: 'utf8', env: { PATH: process.env.PATH, HOME: home } } as const
  const version = spawnSync(join(root, 'portaria'), ['version', '--json'], options)
  expect(JSON.parse(version.stdout)).toMatchObject({ version: VERSION, installed: 'tarball' })
  expect(JSON.parse(version.stdout).commit).toMatch(new RegExp(`^${readBuild().commit}(-modified)?$`))

  const demo = spawnSync(join(root, 'portaria'), ['demo'], options)
  expect([demo.status, demo.stderr]).toEqual([0, ''])
  expect(demo.stdout).toMatch(/lost +0 /)
})

it('npm installs the package as a dependency, without running scripts', () => {
  const folder = temporaryFolder()
  const archive = join(dist, `portaria-${VERSION}.tgz`)
  execFileSync('npm', ['init', '--yes'], { cwd: folder, stdio: 'ignore' })
  execFileSync('npm', ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', archive], { cwd: folder })
  const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin/portaria'), ['version', '--json'], TEXT)
  expect([status, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ installed: 'npm', node: process.versions.node })
})

it('the receiver for apps installs, has no dependency, runs on Node.js without types, and its types compile', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  const install = ['install', '--ignore-scripts', '--offline', '--no-audit', join(dist, RECEIVER)]
  execFileSync('npm', install, { cwd: folder, stdio: 'ignore' })
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@portaria'])
  const installed = join(folder, 'node_modules/@portaria/receiver')
  const { version, exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect([version, Object.keys(exports)]).toEqual([VERSION, ['types', 'default']])

  const used = `import { createReceiver, isOfKind } from '@portaria/receiver'
    const receiver = createReceiver({ secrets: 'whsec_${'A'.repeat(32)}' })
    const said = await receiver.receive({}, new Uint8Array(), (delivery) => {
      if (isOfKind(delivery, 'payment')) console.log(delivery.json().status?.atual?.length)
    }).catch((error) => error.code)
    console.log(said)`
  writeFileSync(join(folder, 'app.mjs'), used)
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'app.mjs')], TEXT)
  expect([stdout, stderr]).toEqual(['header_missing\n', ''])

  writeFileSync(join(folder, 'app.mts'), used)
  writeFileSync(join(folder, 'wrong.mts'), used.replace('atual?.length', 'atual?.size'))
  const types = ['--noEmit', '--strict', '--module', 'nodenext', '--typeRoots', join(ROOT, 'node_modules/@types')]
  const compile = (file: string) =>
    spawnSync(process.execPath, [TSC, ...types, '--types', 'node', file], { ...TEXT, cwd: folder }).stdout
  expect(compile('app.mts')).toBe('')
  expect(compile('wrong.mts')).toMatch(/^wrong\.mts\(\d+,\d+\): error TS2339: Property 'size'.*\n$/)
})

/** The lines of the README's chapter Install that need nothing but npm. */
const TYPED = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^(?:tar|npm install) .*portaria.* demo/gm)]

it.each(TYPED.map(([line]) => line))('typed as in the README: %s', (line) => {
  expect(TYPED).toHaveLength(2)
  const folder = temporaryFolder()
  symlinkSync(dist, join(folder, 'dist'))
  const PATH = `${join(folder, 'global/bin')}:${process.env.PATH}`
  const env = { ...process.env, PATH, npm_config_prefix: join(folder, 'global'), npm_config_prefer_offline: 'true' }
  const { status, stdout } = spawnSync('sh', ['-c', line.replaceAll('linux-x64', `linux-${process.arch}`)], {
    ...TEXT,
    cwd: folder,
    env,
  })
  expect(status, stdout).toBe(0)
  expect(stdout).toMatch(/lost +0 /)
})

/** Temporary folders are for their user alone. */
function openForOthers(folder: string): void {
  if (folder.includes('portaria')) chmodSync(folder, 0o755)
}
