import { spawnSync } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MAIN } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The lines of a unit's command whose standard output and standard error are the journal. */
function linesInJournal(...args: string[]): string[] {
  const file = join(temporaryFolder(), 'journal')
  const fd = openSync(file, 'w')
  const { dev, ino } = fstatSync(fd)
  const env = { ...process.env, JOURNAL_STREAM: `${dev}:${ino}` }
  spawnSync(process.execPath, [MAIN, ...args], { stdio: ['ignore', fd, fd], env })
  closeSync(fd)
  return readFileSync(file, 'utf8').split('\n')
}

it('the findings of check have severities in the journal: a problem is an error, its area is not', () => {
  const lines = linesInJournal('check', '--config', '/no/such/file')
  expect(lines.filter((line) => line.startsWith('<3>'))).toEqual([
    expect.stringMatching(/✗ file .*cannot be read/),
    expect.stringContaining('→'),
    expect.stringContaining('✗ Not good'),
  ])
  expect(lines).toContain('<6>configuration')
  expect(lines.filter((line) => !/^(<[346]>.+)?$/.test(line))).toEqual([])
})

it('wrong usage is an error in the journal', () => {
  const lines = linesInJournal('serve', '--no-such-option')
  expect(lines).toEqual([expect.stringMatching(/^<3>error: unknown option/), expect.stringMatching(/^<3>\(--help/), ''])
})
