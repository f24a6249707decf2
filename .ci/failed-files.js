// The files of a report that failed, relative, in one line: node failed-files.js REPORT. Exit code 1 where a second run decides nothing: a campaign
// is among them, a test was skipped, or there is no report.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

// Its rounds differ, so a second run may miss what the first one found. Tests of the pages are long, but each run does the same.
const isCampaign = (name) => name.startsWith('test/long/') && !name.startsWith('test/long/pages-')

const report = process.argv[2]
if (!existsSync(report)) process.exit(1)
const failed = JSON.parse(readFileSync(report, 'utf8'))
  .testResults.filter(({ status }) => status !== 'passed')
  .map(({ name }) => relative(process.cwd(), name))
if (failed.length === 0 || failed.some(isCampaign)) process.exit(1)
console.log(failed.join(' '))
