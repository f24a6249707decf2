// Names every test that failed or is flaky, and ends with the counts: node count.js FOLDER-OF-REPORTS STATUS-OF-THE-RUNS
// Flaky is a test that failed at first and passed when its file was repeated. It does not fail the gate, but there is no list of accepted flaky
// tests: each has a cause to be found.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const RUNS = ['test', 'test:process', 'test:long']
const MAX_LINES = 40

const [folder, status] = process.argv.slice(2)
const flaky = []
let passed = 0
let failed = 0

function read(name) {
  const file = `${folder}/${name}.json`
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : undefined
}

function print(label, name, text = '') {
  console.log([`${label}: ${name}`, ...text.split('\n').slice(0, MAX_LINES)].join('\n'))
}

function fileName(file) {
  return relative(process.cwd(), file.name)
}

function testName(file, test) {
  return `${fileName(file)} > ${test.fullName}`
}

/** A file that could not be loaded, or whose preparation failed, has no failed test. */
function isBroken(file) {
  return file.status !== 'passed' && file.assertionResults.every((test) => test.status !== 'failed')
}

/** The names of the failures of a first run, which are printed. */
function printFirstRun(file) {
  const failures = file.assertionResults.filter((test) => test.status === 'failed')
  if (isBroken(file)) print('FAILED AT FIRST', fileName(file), file.message)
  for (const test of failures) print('FAILED AT FIRST', testName(file, test), test.failureMessages.join('\n'))
  return isBroken(file) ? [fileName(file)] : failures.map((test) => testName(file, test))
}

function count(file) {
  if (isBroken(file)) {
    failed++
    print('FAILED', fileName(file), file.message)
  }
  for (const test of file.assertionResults) {
    if (test.status === 'passed') {
      passed++
      continue
    }
    failed++
    const label = test.status === 'failed' ? 'FAILED' : 'SKIPPED, which here is a failure'
    print(label, testName(file, test), test.failureMessages?.join('\n'))
  }
}

/** What still failed in the second run: its files where they are broken, and its tests. */
function failuresOf(files) {
  return new Set(
    files.flatMap((file) => [
      ...(isBroken(file) ? [fileName(file)] : []),
      ...file.assertionResults.filter((test) => test.status !== 'passed').map((test) => testName(file, test)),
    ]),
  )
}

for (const name of RUNS) {
  const first = read(name)
  const again = read(`${name}-again`) ?? []
  const repeated = new Set(again.map((file) => file.name))
  const failedTwice = failuresOf(again)
  if (first === undefined) {
    failed++
    print('FAILED', `npm run ${name}`, 'It ended before it wrote a report: see above.')
  }
  for (const file of first ?? []) {
    if (repeated.has(file.name)) flaky.push(...printFirstRun(file).filter((failure) => !failedTwice.has(failure)))
    else count(file)
  }
  again.forEach(count)
}
if (status !== '0' && failed === 0) {
  failed++
  print('FAILED', 'formatting, lint, types, or a run whose tests all passed: see above')
}
for (const name of flaky) console.log(`flaky: ${name}`)
if (flaky.length > 0) console.log(`${flaky.length} flaky: no flaky test is accepted, find the cause of each`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
