import { readFileSync } from 'node:fs'
import { programFile } from './program-files.ts'

/** From package.json, the only place that names it. */
export const VERSION = (JSON.parse(readFileSync(programFile('package.json'), 'utf8')) as { version: string }).version

/**
 * The first version of each Node.js line with all known fixes, and with those that Portaria needs. `bin/find-node`, which needs them before a
 * Node.js is chosen, has the table and its source.
 */
const TABLE = readFileSync(programFile('bin/find-node'), 'utf8')
export const FIXED_VERSIONS = versionsNamed('fixed_versions')
const NEEDED_VERSIONS = versionsNamed('needed_versions')

/** The version to install. */
export const SAFE_NODE = FIXED_VERSIONS[0] ?? ''

const NEWER_OF_LINES = FIXED_VERSIONS.map((version) => `${version} or newer of line ${lineOf(version)}`).join(', or ')

/** What to do with a Node.js that lacks fixes. */
export const NODE_ADVICE = `install Node.js ${NEWER_OF_LINES}, on the PATH of the process that starts Portaria (/usr/local/bin, or Environment=PATH=… in the unit of a service), and restart: bin/portaria prefers it to the Node.js that it came with`

/** Whether a version such as `24.22.1` belongs to a line that is known here, and has all its fixes. */
export function hasAllFixes(version: string): boolean {
  return reaches(version, FIXED_VERSIONS)
}

/** Whether the fixes that it lacks concern only what Portaria does not use. */
export function hasNeededFixes(version: string): boolean {
  return reaches(version, NEEDED_VERSIONS)
}

function reaches(version: string, versions: readonly string[]): boolean {
  const fixed = versions.find((one) => lineOf(one) === lineOf(version))
  return fixed !== undefined && !isOlder(version, fixed)
}

function lineOf(version: string): string {
  return version.split('.')[0] ?? ''
}

function versionsNamed(name: string): readonly string[] {
  return new RegExp(`^${name}='([\\d. ]+)'$`, 'm').exec(TABLE)?.[1]?.split(' ') ?? []
}

/** Whether a version such as `24.21.0` is older than another. */
function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)))
  for (let i = 0; i < 3; i++) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
