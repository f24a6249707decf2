// Names every test that failed, and ends with the counts of all runs: node count.js FOLDER-OF-REPORTS STATUS-OF-THE-RUNS
// A test that is for root or for ordinary users alone is skipped in the other's run. One that every run skips is a failure.
import { existsSync, readFileSync } from 'node:fs'
import { nameOf } from './file-name.js'

const RUNS = ['test', 'test-of-user', 'process-of-user', 'process', 'long']
const MAX_LINES = 40

const [folder, status] = process.argv.slice(2)
let passed = 0
let failed = 0

function fail(label, name, text = '') {
  failed++
  console.log([`${label}: ${name}`, ...text.split('\n').slice(0, MAX_LINES)].join('\n'))
}

function filesOf(run) {
  const file = `${folder}/${run}.json`
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).testResults.map((one) => ({ ...one, run }))
  fail('FAILED', `the run ${run}`, 'It ended before it wrote a report: see above.')
  return []
}

/** A file that could not be loaded, or whose preparation failed, has no failed test. */
function isBroken(file) {
  return file.status !== 'passed' && file.assertionResults.every((test) => test.status !== 'failed')
}

const files = RUNS.flatMap(filesOf)
for (const file of files.filter(isBroken)) fail('FAILED', `${nameOf(file)} (${file.run})`, file.message)

const tests = files.flatMap((file) =>
  file.assertionResults.map((test) => ({ ...test, run: file.run, name: `${nameOf(file)} > ${test.fullName}` })),
)
const ran = new Set(tests.filter((test) => test.status === 'passed' || test.status === 'failed').map(({ name }) => name))
const skipped = new Set()
for (const test of tests) {
  if (test.status === 'passed') passed++
  else if (test.status === 'failed') fail('FAILED', `${test.name} (${test.run})`, test.failureMessages?.join('\n'))
  else if (!ran.has(test.name)) skipped.add(test.name)
}
for (const name of skipped) fail('SKIPPED, which here is a failure', name)

if (status !== '0' && failed === 0) {
  fail('FAILED', 'formatting, lint, types, or a run whose tests all passed: see above')
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
