// What failed, by name, and the counts as the last line: node count.js FOLDER-OF-REPORTS STATUS-OF-THE-RUNS
const { readFileSync, existsSync } = require('node:fs')

const [folder, status] = process.argv.slice(2)
const read = (name) => (existsSync(`${folder}/${name}`) ? JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')).testResults : undefined)
const names = new Set()
let passed = 0
let failed = 0

function tell(what, file, text) {
  console.log(`${what}: ${file}${text === undefined ? '' : `\n${text.split('\n').slice(0, 40).join('\n')}`}`)
}

function count(files) {
  for (const file of files) {
    // A file that could not be loaded, or whose preparation failed, has no test that says so.
    if (file.status !== 'passed' && !file.assertionResults.some((test) => test.status === 'failed')) {
      failed++
      tell('FAILED', file.name, file.message)
    }
    for (const test of file.assertionResults) {
      if (test.status === 'passed') passed++
      else {
        failed++
        tell(test.status === 'failed' ? 'FAILED' : 'SKIPPED, which here is a failure', `${file.name} > ${test.fullName}`, test.failureMessages?.join('\n'))
      }
    }
  }
}

const again = read('again.json') ?? []
for (const file of again) names.add(file.name)
const first = read('test.json')
for (const file of first ?? []) {
  if (!names.has(file.name)) continue
  for (const test of file.assertionResults) {
    if (test.status === 'failed') tell('FAILED AT FIRST', `${file.name} > ${test.fullName}`, test.failureMessages?.join('\n'))
  }
}
count((first ?? []).filter((file) => !names.has(file.name)))
count(again)
const long = read('long.json')
count(long ?? [])
for (const [name, report] of Object.entries({ 'npm run check': first, 'npm run test:long': long })) {
  if (report !== undefined) continue
  failed++
  tell('FAILED', name, 'It ended before its tests wrote a report: see above.')
}
if (status !== '0' && failed === 0) {
  failed++
  tell('FAILED', 'a run ended with a failure that no test shows: see above')
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
