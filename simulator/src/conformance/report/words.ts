import { SERVERS, serverName } from '../fixes/fix.ts'
import type { Verdict } from '../scenario.ts'
import { sourceLine } from '../sources.ts'
import { type Language, type Text, text } from '../text.ts'
import type { JsonReport, JsonScenario } from './json.ts'

export const WORDS = {
  title: text('Conformance of'),
  why: text('Why'),
  source: text('Source'),
  tried: text('Tried at'),
  rules: text('rules'),
  fix: text('What to do'),
} as const

export const VERDICTS: Readonly<Record<Verdict, Text>> = {
  pass: text('pass'),
  fail: text('fail'),
  warn: text('warning'),
  skip: text('skipped'),
}

const COUNTED: Readonly<Record<Verdict, Text>> = {
  pass: text('passed'),
  fail: text('failed'),
  warn: text('warnings'),
  skip: { en: 'skipped', pt: 'pulados' },
}

const MARKS: Readonly<Record<Verdict, string>> = { pass: '✓', fail: '✗', warn: '!', skip: '-' }

/** @param report in this language */
export function wordsOf(report: JsonReport, language: Language): string {
  // What has to be mended is the last that a terminal shows.
  const scenarios = inOrder(report.scenarios, ['pass', 'skip', 'warn', 'fail'])
  const lines = scenarios.flatMap(({ id, title, verdict, reason, why, source, fix }) => {
    const lines = [
      `${MARKS[verdict]} ${id}: ${title}`,
      `    ${reason}`,
      `    ${WORDS.why[language]}: ${why}`,
      `    ${WORDS.source[language]}: ${sourceLine(source)}`,
    ]
    if (verdict === 'pass' || verdict === 'skip') return lines
    return [
      ...lines,
      `    ${WORDS.fix[language]}:`,
      ...SERVERS.map((server) => `    ${serverName(server)}: ${fix[server]}`),
    ]
  })
  return `${WORDS.title[language]} ${report.url}\n\n${lines.join('\n')}\n\n${summaryOf(report, language)}\n`
}

/** By verdict, and as they were tried within one. */
export function inOrder(scenarios: readonly JsonScenario[], verdicts: readonly Verdict[]): JsonScenario[] {
  return verdicts.flatMap((verdict) => scenarios.filter((one) => one.verdict === verdict))
}

/** How many of each verdict there are. */
export function summaryOf({ ok, scenarios }: JsonReport, language: Language): string {
  const count = (verdict: Verdict) => scenarios.filter((one) => one.verdict === verdict).length
  const counts = (['pass', 'fail', 'warn', 'skip'] as const).map((one) => `${count(one)} ${COUNTED[one][language]}`)
  return `${ok ? '✓' : '✗'} ${counts.join(', ')}`
}
