import { readFileSync } from 'node:fs'

/** Of package.json: the one place where the version stands. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version

/** The oldest Node that has all known fixes; before it the Brotli decoder has a remote hole. */
export const SAFE_NODE = '24.22.1'

/** What to do where it runs on an older one. */
export const NODE_ADVICE = `install Node.js ${SAFE_NODE} or newer of line 24 where the PATH of whoever starts Portaria finds it (/usr/local/bin, or Environment=PATH=… in the unit of a service), and start it again: bin/portaria prefers it to the Node that npm ci brought`

/** Whether a version such as `24.21.0` is older than another. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number))
  for (let i = 0; i < 3; i++) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
