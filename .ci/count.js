// What failed, by name, and the counts as the last line: node count.js FOLDER-OF-REPORTS STATUS-OF-THE-RUNS
import { existsSync, readFileSync } from 'node:fs'

const [folder, status] = process.argv.slice(2)
let passed = 0
let failed = 0

function read(name) {
  const file = `${folder}/${name}.json`
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : undefined
}

function tell(what, name, text = '') {
  console.log([`${what}: ${name}`, ...text.split('\n').slice(0, 40)].join('\n'))
}

function testName(file, test) {
  return `${file.name} > ${test.fullName}`
}

function tellOfFirstRun(file) {
  if (file.assertionResults.length === 0) tell('FAILED AT FIRST', file.name, file.message)
  for (const test of file.assertionResults) {
    if (test.status === 'failed') tell('FAILED AT FIRST', testName(file, test), test.failureMessages.join('\n'))
  }
}

function count(file) {
  // A file that could not be loaded, or whose preparation failed, has no test that says so.
  if (file.status !== 'passed' && file.assertionResults.every((test) => test.status !== 'failed')) {
    failed++
    tell('FAILED', file.name, file.message)
  }
  for (const test of file.assertionResults) {
    if (test.status === 'passed') {
      passed++
      continue
    }
    failed++
    const what = test.status === 'failed' ? 'FAILED' : 'SKIPPED, which here is a failure'
    tell(what, testName(file, test), test.failureMessages?.join('\n'))
  }
}

for (const name of ['test', 'test:process', 'test:long']) {
  const first = read(name)
  const again = read(`${name}-again`) ?? []
  const repeated = new Set(again.map((file) => file.name))
  if (first === undefined) {
    failed++
    tell('FAILED', `npm run ${name}`, 'It ended before it wrote a report: see above.')
  }
  for (const file of first ?? []) {
    if (repeated.has(file.name)) tellOfFirstRun(file)
    else count(file)
  }
  again.forEach(count)
}
if (status !== '0' && failed === 0) {
  failed++
  tell('FAILED', 'formatting, lint, types, or a run whose tests all passed: see above')
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
