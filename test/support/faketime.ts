import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const hasFaketime = spawnSync('faketime', ['--version']).status === 0

/**
 * The beginning of a command whose clock differs by so much, such as `+365d`; its monotonic clock is the right one. The program `faketime` would be
 * between the test and the gateway, and take its signals.
 */
export function withClock(offset: string): string[] {
  const libraries = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
  const library = libraries.find((file) => existsSync(file))
  return ['env', `LD_PRELOAD=${library}`, `FAKETIME=${offset}`, 'FAKETIME_DONT_FAKE_MONOTONIC=1']
}
