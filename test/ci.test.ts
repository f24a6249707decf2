import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
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
function report(files: Readonly<Record<string, Tests>>, clone = ROOT) {
  return {
    testResults: Object.entries(files).map(([file, tests]) => ({
      name: join(clone, file),
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

const RUNS = ['test', 'test-of-user', 'process-of-user', 'process', 'long']

function count(reports: Readonly<Record<string, ReturnType<typeof report>>>, status = '0') {
  const folder = temporaryFolder()
  const rest = {
    ...Object.fromEntries(RUNS.map((run) => [run, report({})])),
    test: report({ 'test/a.test.ts': { a: null } }),
  }
  for (const [name, content] of Object.entries({ ...rest, ...reports }))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content))
  return run('count.js', folder, status)
}

it('the counts of all runs are the last line of the gate, and 0 its exit code where all passed', () => {
  const ofUser = report({ 'test/a.test.ts': { a: null }, 'test/b.test.ts': { b: null } }, '/home/somebody/tree')
  expect(count({ 'test-of-user': ofUser })).toEqual({ status: 0, stderr: '', lines: ['3 passed, 0 failed'] })
})

it('a test that failed in one run alone fails the gate, and so does a file that cannot be loaded', () => {
  const reports = {
    test: report({ 'test/b.test.ts': { b: null, c: null } }),
    'test-of-user': report({ 'test/b.test.ts': { b: 'no permission', c: null } }, '/home/somebody/tree'),
    long: report({ 'test/long/d.test.ts': {} }),
  }
  expect(count(reports, '1')).toEqual({
    status: 1,
    stderr: '',
    lines: [
      'FAILED: test/long/d.test.ts (long)',
      'cannot be loaded',
      'FAILED: test/b.test.ts > b (test-of-user)',
      'no permission',
      '3 passed, 2 failed',
    ],
  })
})

it('a test that one user’s run skips and another’s runs is no failure; one that every run skips is', () => {
  const reports = {
    'process-of-user': report(
      { 'test/a.process.test.ts': { a: 'skipped', b: 'skipped', c: null } },
      '/home/somebody/tree',
    ),
    process: report({ 'test/a.process.test.ts': { a: null, b: 'skipped', c: null } }),
  }
  expect(count(reports)).toEqual({
    status: 1,
    stderr: '',
    lines: ['SKIPPED, which here is a failure: test/a.process.test.ts > b', '', '4 passed, 1 failed'],
  })
})

it('a run without a report and a failed check each fail the gate', () => {
  const none = run('count.js', temporaryFolder(), '1')
  expect([none.status, none.lines.at(-1)]).toEqual([1, '0 passed, 5 failed'])
  const unformatted = count({}, '1')
  expect([unformatted.status, unformatted.lines]).toEqual([
    1,
    ['FAILED: formatting, lint, types, or a run whose tests all passed: see above', '', '1 passed, 1 failed'],
  ])
})

it('the files with skipped tests are those that root runs as well', () => {
  const file = join(temporaryFolder(), 'report.json')
  const tests = {
    'test/a.test.ts': { a: null },
    'test/b.test.ts': { b: 'wrong' },
    'test/api/c.test.ts': { c: 'skipped' },
    'simulator/test/d.test.ts': { d: 'skipped' },
  }
  writeFileSync(file, JSON.stringify(report(tests, '/home/somebody/test/tree')))
  expect(run('skipped-files.js', file).lines).toEqual(['test/api/c.test.ts simulator/test/d.test.ts'])
})

it('the gate runs the quick and the process tests as an ordinary user, and repeats no failed file', () => {
  const gate = readFileSync(join(ROOT, '.ci/run'), 'utf8')
  expect(gate).toMatch(/^report_of_user \S+ npm test /m)
  expect(gate).toMatch(/^report_of_user \S+ npm run test:process /m)
  expect(RUNS.map((name) => gate.match(RegExp(`\\breport(?:_of_user)? ${name} npm`, 'g'))?.length)).toEqual(
    RUNS.map(() => 1),
  )
  expect(gate).not.toContain('--retry')
})
