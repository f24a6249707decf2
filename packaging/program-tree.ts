import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Build } from '../src/cli/program/build.ts'
import { programFile, ROOT } from '../src/platform/program-files.ts'
import { PACKAGES_BESIDE } from './bundle.ts'
import { type Architecture, type LockedPackage, productionPackages, unpackLocked } from './locked-packages.ts'
import { adaptPages } from './pages.ts'

/** What a package takes from a clone as it is, at the same paths. */
const FILES = [
  'bin/find-node',
  'bin/node',
  'bin/portaria',
  'config',
  'docs',
  'receiver/README.md',
  'simulator/README.md',
  'simulator/docs',
  'systemd/README.md',
  'systemd/README.pt.md',
  'CHANGELOG.md',
]

/** Folders of code, which is in the bundle. What else is in them (SQL, styles, examples of bodies) is read while the program runs. */
const CODE_FOLDERS = ['src', 'simulator/src']

export interface TreeOptions {
  readonly target: string
  /** Folder of the bundled code. */
  readonly code: string
  readonly build: Build
  /** Whose native code and Node.js are inside; null: npm brings both. */
  readonly architecture: Architecture | null
}

/** The program as a package has it. */
export function makeProgramTree({ target, code, build, architecture }: TreeOptions): void {
  for (const path of FILES) cpSync(join(ROOT, path), join(target, path), { recursive: true })
  for (const path of CODE_FOLDERS) copyAllButCode(path, join(target, path))
  adaptPages(target, build.installed)
  cpSync(code, join(target, 'lib/program'), { recursive: true })
  writeFileSync(join(target, 'package.json'), jsonOf(manifest(architecture === null)))
  writeFileSync(join(target, 'build.json'), jsonOf(build))
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES'), licenses())
  if (architecture !== null) {
    addNativePackages(join(target, 'node_modules'), architecture)
    addPackage(join(target, 'node_modules'), 'uplot', ['dist/uPlot.iife.min.js', 'dist/uPlot.min.css'])
    symlinkSync('bin/portaria', join(target, 'portaria'))
  }
  setModes(target)
}

/** What a folder of code has beside it. */
export function copyAllButCode(folder: string, target: string): void {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((one) => one.isFile() && !one.name.endsWith('.ts'))) {
    const path = join(entry.parentPath, entry.name)
    copy(path, join(target, relative(join(ROOT, folder), path)))
  }
}

/** @param isForNpm its dependencies are packages of npm, not files inside */
function manifest(isForNpm: boolean) {
  const { name, version, description, license, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(programFile('package.json'), 'utf8'),
  ) as Record<string, string> & Record<'dependencies' | 'optionalDependencies', Record<string, string>>
  const bin = { portaria: 'bin/portaria' }
  const base = { name, version, description, license, type: 'module', bin, engines: { node: '>=20' } }
  if (!isForNpm) return base
  const beside = PACKAGES_BESIDE.map((one) => [one, dependencies[one]])
  return { ...base, dependencies: Object.fromEntries(beside), optionalDependencies }
}

/** Node.js and SQLite. */
export function addNativePackages(folder: string, architecture: Architecture): void {
  const node = `node-linux-${architecture}`
  const unpacked = join(folder, '.unpacked')
  unpackLocked(node, unpacked)
  for (const path of ['bin/node', 'LICENSE']) copy(join(unpacked, path), join(folder, node, path))
  rmSync(unpacked, { recursive: true })
  addPackage(folder, 'better-sqlite3', ['lib', `prebuilds/linux-${architecture}.node`])
}

function addPackage(folder: string, name: string, paths: readonly string[]): void {
  for (const path of ['package.json', 'LICENSE', ...paths])
    copy(join(ROOT, 'node_modules', name, path), join(folder, name, path))
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true })
}

/** The licence texts of what is bundled. */
export function licenses(bundled: readonly LockedPackage[] = productionPackages()): string {
  const texts = bundled.flatMap(({ path, name, version, license }) => {
    const file = licenseFile(join(ROOT, path))
    return file === null ? [] : [`${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`]
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** null: the package has none, or is not installed because it is of another architecture */
function licenseFile(folder: string): string | null {
  try {
    const name = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
    return name === undefined ? null : join(folder, name)
  } catch {
    return null
  }
}

/** 755 for folders and programs, 644 for the rest, whatever the umask was. */
export function setModes(target: string): void {
  chmodSync(target, 0o755)
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(path, 0o755)
    else if (entry.isFile()) chmodSync(path, isProgram(path) ? 0o755 : 0o644)
  }
}

function isProgram(path: string): boolean {
  return readFileSync(path).subarray(0, 2).toString('latin1') === '#!' || path.endsWith('/bin/node')
}

export function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
