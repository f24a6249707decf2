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

const RUNS = [
  'rules',
  'test-of-user',
  'simulator-of-user',
  'process-of-user',
  'test-of-root',
  'process-of-root',
  'long',
]

function count(reports: Readonly<Record<string, ReturnType<typeof report>>>, status = '0') {
  const folder = temporaryFolder()
  const rest = {
    ...Object.fromEntries(RUNS.map((run) => [run, report({})])),
    rules: report({ 'test/a.test.ts': { a: null } }),
  }
  for (const [name, content] of Object.entries({ ...rest, ...reports }))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content))
  return run('count.js', folder, status, ...RUNS)
}

it('the counts of all runs are the last line of the gate, and 0 its exit code where all passed', () => {
  const ofUser = report({ 'test/a.test.ts': { a: null }, 'test/b.test.ts': { b: null } }, '/home/somebody/tree')
  expect(count({ 'test-of-user': ofUser })).toEqual({ status: 0, stderr: '', lines: ['3 passed, 0 failed'] })
})

it('a test that failed in one run alone fails the gate, and so does a file that cannot be loaded', () => {
  const reports = {
    rules: report({ 'test/b.test.ts': { b: null, c: null } }),
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
    'process-of-root': report({ 'test/a.process.test.ts': { a: null, b: 'skipped', c: null } }),
  }
  expect(count(reports)).toEqual({
    status: 1,
    stderr: '',
    lines: ['SKIPPED, which here is a failure: test/a.process.test.ts > b', '', '4 passed, 1 failed'],
  })
})

it('a run without a report and a failed check each fail the gate', () => {
  const none = run('count.js', temporaryFolder(), '1', ...RUNS)
  expect([none.status, none.lines.at(-1)]).toEqual([1, '0 passed, 7 failed'])
  const unformatted = count({}, '1')
  expect([unformatted.status, unformatted.lines]).toEqual([
    1,
    ['FAILED: a stage without tests, or a run whose tests all passed: see above', '', '1 passed, 1 failed'],
  ])
})

it('the seconds of each stage and of the slowest files come before the counts', () => {
  const folder = temporaryFolder()
  const files = Array.from({ length: 30 }, (_, index) => [`test/${index}.test.ts`, { a: null }] as const)
  const { testResults } = report(Object.fromEntries(files))
  const timed = testResults.map((file, index) => ({ ...file, startTime: 0, endTime: index * 1000 }))
  writeFileSync(join(folder, 'rules.json'), JSON.stringify({ testResults: timed }))
  writeFileSync(join(folder, 'stages.tsv'), 'npm ci\t20.4\t31.6\nrules\t100\t150\n')
  const { lines } = run('count.js', folder, '0', 'rules')
  expect(lines.slice(1, 5).map((line) => line.split(/ {2,}/))).toEqual([
    ['stage', 'seconds', 'processor'],
    ['npm ci', '20', '32'],
    ['rules', '100', '150'],
    ['all', '120', '182'],
  ])
  const slowest = lines.filter((line) => line.endsWith(' (rules)'))
  expect([slowest.length, slowest[0]]).toEqual([20, '    29.0  test/29.test.ts (rules)'])
  expect(lines.at(-1)).toBe('30 passed, 0 failed')
})

it('the gate runs what its name says as an ordinary user, only marked tests as root, and repeats no failed file', () => {
  const gate = readFileSync(join(ROOT, '.ci/run'), 'utf8')
  expect(gate).toMatch(/^report_of_user \S+ npm test$/m)
  expect(gate).toMatch(/^report_of_user \S+ npm run test:process$/m)
  expect(gate.match(/^report \S+-of-root .*--testNamePattern 'as root\\\)'/gm)).toHaveLength(2)
  const runs = [...gate.matchAll(/^report(?:_of_user)? (\S+)/gm)].map(([, name]) => name)
  expect(runs).toEqual(RUNS)
  expect(gate + readFileSync(join(ROOT, '.ci/stages.sh'), 'utf8')).not.toContain('--retry')
})
