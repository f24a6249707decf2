// The files of a report that failed, relative, in one line: node failed-files.js REPORT. Exit code 1 where a second run decides nothing: a campaign
// is among them, a test was skipped, or there is no report.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const report = process.argv[2]
if (!existsSync(report)) process.exit(1)
const failed = JSON.parse(readFileSync(report, 'utf8'))
  .testResults.filter(({ status }) => status !== 'passed')
  .map(({ name }) => relative(process.cwd(), name))
if (failed.length === 0 || failed.some((name) => name.startsWith('test/long/'))) process.exit(1)
console.log(failed.join(' '))
