// Says where the time went, names every test that failed, and ends with the counts of all runs:
// node count.js FOLDER-OF-REPORTS STATUS-OF-THE-RUNS NAME-OF-A-RUN...
// A test that is for root or for ordinary users alone is skipped in the other's run. One that every run skips is a failure.
import { existsSync, readFileSync } from 'node:fs'
import { nameOf } from './file-name.js'

const MAX_LINES = 40
const SLOWEST = 20

const [folder, status, ...runs] = process.argv.slice(2)
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

/** Of a stage: name, seconds by the clock, seconds of the processor. */
function stages() {
  const file = `${folder}/stages.tsv`
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => line.split('\t')).map(([name, ...seconds]) => [name, ...seconds.map(Number)])
}

function row(name, seconds, processor) {
  return `${name.padEnd(24)}${String(Math.round(seconds)).padStart(8)}${String(Math.round(processor)).padStart(12)}`
}

function printTimes(files) {
  const all = stages()
  if (all.length === 0) return
  const sum = (index) => all.reduce((total, stage) => total + stage[index], 0)
  console.log(`\n${'stage'.padEnd(24)}${'seconds'.padStart(8)}${'processor'.padStart(12)}`)
  for (const [name, seconds, processor] of all) console.log(row(name, seconds, processor))
  console.log(row('all', sum(1), sum(2)))
  const slowest = files
    .map((file) => ({ name: nameOf(file), run: file.run, seconds: (file.endTime - file.startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
  console.log('\nThe slowest files, in seconds:')
  for (const { name, run, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(8)}  ${name} (${run})`)
  console.log('')
}

const files = runs.flatMap(filesOf)
printTimes(files)
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
  fail('FAILED', 'a stage without tests, or a run whose tests all passed: see above')
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
