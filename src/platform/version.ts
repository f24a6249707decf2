import { readFileSync } from 'node:fs'

/** From package.json, the only place that names it. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version

/**
 * The first version of each Node.js line that has all known fixes, and the first with those that Portaria needs. Before 24.22.1 the Brotli decoder has
 * a remote hole; line 25 never got the fix. Portaria decodes no Brotli: it refuses callbacks with a `Content-Encoding`, its parsers have
 * `inflate: false`, and it sends no `Accept-Encoding`. npm ci brings 24.21.0, the newest on the registry. Older versions have other known holes.
 * Source: the security releases on nodejs.org, 2026. `bin/find-node` has the same table for the shell.
 */
const FIXED_VERSIONS: Readonly<Record<string, { readonly all: string; readonly needed: string }>> = {
  24: { all: '24.22.1', needed: '24.21.0' },
  26: { all: '26.12.1', needed: '26.12.1' },
}

/** The version to install. */
export const SAFE_NODE = '24.22.1'

const NEWER_OF_LINES = Object.entries(FIXED_VERSIONS)
  .map(([line, { all }]) => `${all} or newer of line ${line}`)
  .join(', or ')

/** What to do with a Node.js that lacks fixes. */
export const NODE_ADVICE = `install Node.js ${NEWER_OF_LINES}, on the PATH of the process that starts Portaria (/usr/local/bin, or Environment=PATH=… in the unit of a service), and restart: bin/portaria prefers it to the Node.js that npm ci brought`

/** Whether a version such as `24.22.1` belongs to a line that is known here, and has all its fixes. */
export function hasAllFixes(version: string): boolean {
  return reaches(version, 'all')
}

/** Whether the fixes that it lacks concern only what Portaria does not use. */
export function hasNeededFixes(version: string): boolean {
  return reaches(version, 'needed')
}

function reaches(version: string, fixes: 'all' | 'needed'): boolean {
  const fixed = FIXED_VERSIONS[version.split('.')[0] ?? '']
  return fixed !== undefined && !isOlder(version, fixed[fixes])
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
