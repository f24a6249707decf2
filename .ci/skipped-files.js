// The files of a report in which tests were skipped, relative, in one line: node skipped-files.js REPORT
import { readFileSync } from 'node:fs'
import { nameOf } from './file-name.js'

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const isSkipped = ({ status }) => status !== 'passed' && status !== 'failed'
console.log(
  testResults
    .filter(({ assertionResults }) => assertionResults.some(isSkipped))
    .map(nameOf)
    .join(' '),
)
