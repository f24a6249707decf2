import { execFileSync, spawnSync } from 'node:child_process'

/** Whether the independent witness is there: `it.skipIf(!hasOpenssl)`. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Standard output of the openssl command line. Throws with its standard error when it fails. */
export function openssl(args: readonly string[], options: { input?: string; cwd?: string } = {}): string {
  return execFileSync('openssl', args, { ...options, encoding: 'utf8', stdio: 'pipe', timeout: 60_000 })
}
