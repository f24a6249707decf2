import { SERVERS, serverName } from '../fixes/fix.ts'
import { sourceLine } from '../sources.ts'
import { type JsonReport, type JsonScenario, JUNIT_MARK } from './json.ts'

/** A report of JUnit, as servers of continuous integration read it: a warning is a test that passed, with its words as output. */
export function junitOf({ url, at, scenarios }: JsonReport): string {
  const count = (verdict: string) => scenarios.filter((one) => one.verdict === verdict).length
  const counts = `tests="${scenarios.length}" failures="${count('fail')}" errors="0" skipped="${count('skip')}"`
  const cases = scenarios.map((one) => caseOf(one)).join('\n')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `${JUNIT_MARK} ${counts}>`,
    `<testsuite name="${xml(url)}" timestamp="${at}" ${counts}>`,
    cases,
    '</testsuite>',
    '</testsuites>\n',
  ].join('\n')
}

function caseOf({ id, title, verdict, reason, why, source, fix }: JsonScenario): string {
  const begin = `<testcase classname="conformance" name="${xml(`${id}: ${title}`)}">`
  const remedies = SERVERS.map((server) => `${serverName(server)}: ${fix[server]}`)
  const details = xml([reason, why, sourceLine(source), ...remedies].join('\n'))
  const inner = {
    pass: `<system-out>${xml(reason)}</system-out>`,
    fail: `<failure message="${xml(reason)}">${details}</failure>`,
    warn: `<system-out>${details}</system-out>`,
    skip: `<skipped message="${xml(reason)}"/>`,
  }
  return `${begin}${inner[verdict]}</testcase>`
}

/** Characters that XML 1.0 cannot have (section 2.2) become U+FFFD. */
function xml(words: string): string {
  return words
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
}
