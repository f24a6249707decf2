import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const hasFaketime = spawnSync('faketime', ['--version']).status === 0

/** A clock that a test sets forward for a program, such as a gateway. */
export interface MovableClock {
  /** What the program is started with. */
  readonly wrapper: readonly string[]
  /** @param offset as faketime writes it, such as `+2m` */
  set(offset: string): void
}

/** The time of day only: timers go on as they are. */
export function createMovableClock(): MovableClock {
  const file = join(mkdtempSync(join(tmpdir(), 'portaria-clock-')), 'offset')
  const set = (offset: string) => writeFileSync(file, `${offset}\n`)
  set('+0')
  const libraries = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
  const settings = {
    LD_PRELOAD: libraries.find((library) => existsSync(library)),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { wrapper: ['env', ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)], set }
}
