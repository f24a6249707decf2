import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'

const REPORTERS = ['default', resolve('test/support/skipped-tests.ts')]

/** PORTARIA_TEST_REPORT: a file for the counts, beside what is printed. */
export function reporting(): NonNullable<ViteUserConfig['test']> {
  const outputFile = process.env.PORTARIA_TEST_REPORT
  return { reporters: outputFile === undefined ? REPORTERS : [...REPORTERS, ['json', { outputFile }]] }
}

/** How long a condition may take to come true, as in test/support/until.ts: on a busy host the usual second is too short. */
export const POLLING = { poll: { timeout: 30_000 } }

/** Tests that take tens of seconds a file, most of them because they start many processes: they run with `npm run test:process`, so that `npm test` stays short. */
export const PROCESS_TESTS = '{test,simulator/test}/**/*.process.test.ts'

/** Rules about the text of the source and of the documents: they run with `npm run rules`, once a change. */
export const RULES = 'test/rules/**/*.test.ts'

const IN_MEMORY = '/dev/shm'
const ROOM = 2 ** 31

/**
 * Where tests make their folders whose subject is not the disk: in memory, where a sync takes no time. The usual place where there is no such folder, too
 * little room in it, or no program in it may be run, as containers have it.
 */
export function temporaryFolders(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize >= ROOM && mayRunPrograms(IN_MEMORY) ? IN_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

function mayRunPrograms(mount: string): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const options = mounts.map((line) => line.split(' ')).findLast(([, folder]) => folder === mount)?.[3]
  return options !== undefined && !options.split(',').includes('noexec')
}

/** LC_ALL: tests expect English, whatever the locale of who runs them. */
export const ENGLISH = 'C.UTF-8'
