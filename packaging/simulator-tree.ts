import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../src/platform/program-files.ts'
import { VERSION } from '../src/platform/version.ts'
import { type Architecture, productionPackages } from './locked-packages.ts'
import { adaptLinks } from './pages.ts'
import { addNativePackages, copyAllButCode, jsonOf, licenses, setModes } from './program-tree.ts'

const FOLDER = join(ROOT, 'simulator')
/** What the package takes from the simulator's folder as it is. */
const FILES = ['README.md', 'README.pt.md', 'bin', 'docs']

export interface SimulatorTreeOptions {
  readonly target: string
  /** Folder of the bundled code. */
  readonly code: string
  /** The packages that are in it, as `node_modules/express`. */
  readonly packages: ReadonlySet<string>
  /** Whose native code and Node.js are inside; null: npm brings both. */
  readonly architecture: Architecture | null
}

/** The simulator as a package of its own, without the gateway. */
export function makeSimulatorTree({ target, code, packages, architecture }: SimulatorTreeOptions): void {
  for (const path of FILES) cpSync(join(FOLDER, path), join(target, path), { recursive: true })
  copyAllButCode('simulator/src', join(target, 'src'))
  adaptLinks(target, architecture === null ? 'npm' : 'tarball')
  cpSync(code, join(target, 'lib/program'), { recursive: true })
  writeFileSync(join(target, 'package.json'), jsonOf(manifest(architecture === null)))
  const bundled = productionPackages().filter(({ path }) => packages.has(path))
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES'), licenses(bundled))
  if (architecture !== null) {
    addNativePackages(join(target, 'node_modules'), architecture)
    symlinkSync('bin/portaria-simulator', join(target, 'portaria-simulator'))
  }
  setModes(target)
}

/** @param isForNpm SQLite and Node.js are packages of npm, not files inside */
function manifest(isForNpm: boolean) {
  const { name, description, license, bin, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(FOLDER, 'package.json'), 'utf8'),
  )
  const base = { name, version: VERSION, description, license, type: 'module', bin, engines: { node: '>=20' } }
  if (!isForNpm) return base
  return { ...base, dependencies: { 'better-sqlite3': dependencies['better-sqlite3'] }, optionalDependencies }
}
