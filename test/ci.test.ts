import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** Tests of a file by name: null has passed, a text is how it failed. */
type Tests = Readonly<Record<string, string | null | 'skipped'>>

function isLoaded(tests: Tests): boolean {
  return Object.keys(tests).length > 0
}

/** A report as vitest's reporter writes it; a file without tests could not be loaded. */
function report(files: Readonly<Record<string, Tests>>) {
  return {
    testResults: Object.entries(files).map(([file, tests]) => ({
      name: join(ROOT, file),
      status: isLoaded(tests) && Object.values(tests).every((t) => t === null || t === 'skipped') ? 'passed' : 'failed',
      message: isLoaded(tests) ? '' : 'cannot be loaded',
      assertionResults: Object.entries(tests).map(([fullName, failure]) => ({
        fullName,
        status: failure === null ? 'passed' : failure === 'skipped' ? 'skipped' : 'failed',
        failureMessages: failure === null || failure === 'skipped' ? [] : [failure],
      })),
    })),
  }
}

function run(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, '.ci', script), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return { status, stderr, lines: stdout.split('\n').slice(0, -1) }
}

const PASSED = { 'test/long/kill.test.ts': { kills: null } }

function count(reports: Readonly<Record<string, ReturnType<typeof report>>>, status = '0') {
  const folder = temporaryFolder()
  const rest = { test: report({ 'test/a.test.ts': { a: null } }), 'test:process': report({}) }
  for (const [name, content] of Object.entries({ ...rest, 'test:long': report(PASSED), ...reports }))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content))
  return run('count.js', folder, status)
}

it('the counts are the last line of the gate, and 0 its exit code where all passed', () => {
  expect(count({})).toEqual({ status: 0, stderr: '', lines: ['2 passed, 0 failed'] })
})

it('a test that fails at first and passes when it is repeated is named as flaky, and does not fail the gate', () => {
  const first = report({ 'test/a.test.ts': { a: null }, 'test/b.test.ts': { 'b is fast': 'too slow', other: null } })
  const again = report({ 'test/b.test.ts': { 'b is fast': null, other: null } })
  expect(count({ test: first, 'test-again': again })).toEqual({
    status: 0,
    stderr: '',
    lines: [
      'FAILED AT FIRST: test/b.test.ts > b is fast',
      'too slow',
      'flaky: test/b.test.ts > b is fast',
      '1 flaky: no flaky test is accepted, find the cause of each',
      '4 passed, 0 failed',
    ],
  })
})

it('a file that cannot be loaded at first is flaky as a whole', () => {
  const first = report({ 'test/b.process.test.ts': {} })
  const again = report({ 'test/b.process.test.ts': { b: null } })
  const { status, lines } = count({ 'test:process': first, 'test:process-again': again })
  expect([status, lines.slice(-3)]).toEqual([
    0,
    [
      'flaky: test/b.process.test.ts',
      '1 flaky: no flaky test is accepted, find the cause of each',
      '3 passed, 0 failed',
    ],
  ])
})

it('what fails twice has failed, and is not flaky', () => {
  const first = report({ 'test/b.test.ts': { b: 'wrong', c: 'slow' }, 'test/d.test.ts': {} })
  const again = report({ 'test/b.test.ts': { b: 'wrong', c: null }, 'test/d.test.ts': {} })
  const { status, lines } = count({ test: first, 'test-again': again }, '1')
  expect(status).toBe(1)
  expect(lines.filter((line) => /^(FAILED|flaky):/.test(line))).toEqual([
    'FAILED: test/b.test.ts > b',
    'FAILED: test/d.test.ts',
    'flaky: test/b.test.ts > c',
  ])
  expect(lines.at(-1)).toBe('2 passed, 2 failed')
})

it('a skipped test, a run without a report and a failed check each fail the gate', () => {
  const skipped = count({ test: report({ 'test/a.test.ts': { a: 'skipped' } }) })
  expect([skipped.status, skipped.lines.at(-1)]).toEqual([1, '1 passed, 1 failed'])
  const folder = temporaryFolder()
  const none = run('count.js', folder, '1')
  expect([none.status, none.lines.at(-1)]).toEqual([1, '0 passed, 3 failed'])
  const unformatted = count({}, '1')
  expect([unformatted.status, unformatted.lines]).toEqual([
    1,
    ['FAILED: formatting, lint, types, or a run whose tests all passed: see above', '', '2 passed, 1 failed'],
  ])
})

function failedFiles(content: ReturnType<typeof report>) {
  const file = join(temporaryFolder(), 'report.json')
  writeFileSync(file, JSON.stringify(content))
  const { status, lines } = run('failed-files.js', file)
  return { status, lines }
}

it('the files that failed are repeated, but for campaigns', () => {
  const tests = { 'test/a.test.ts': { a: null }, 'test/b.test.ts': { b: 'wrong' }, 'test/c.test.ts': {} }
  expect(failedFiles(report(tests))).toEqual({ status: 0, lines: ['test/b.test.ts test/c.test.ts'] })
  expect(failedFiles(report({ 'test/long/pages-use.test.ts': { signs: 'too slow' } }))).toEqual({
    status: 0,
    lines: ['test/long/pages-use.test.ts'],
  })
  expect(failedFiles(report({ ...tests, 'test/long/kill.test.ts': { kills: 'lost one' } }))).toEqual({
    status: 1,
    lines: [],
  })
})

it('a second run decides nothing where no file has failed, or where there is no report', () => {
  expect(failedFiles(report(PASSED))).toEqual({ status: 1, lines: [] })
  expect(run('failed-files.js', join(temporaryFolder(), 'report.json')).status).toBe(1)
})
