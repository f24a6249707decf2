import { printable } from '../output.ts'
import { AREAS, type Area, type Finding, type Level } from './finding.ts'

const SIGNS: Readonly<Record<Level, string>> = { good: '✓', warning: '!', problem: '✗' }

export interface Summary {
  readonly ok: boolean
  readonly good: number
  readonly warnings: number
  readonly problems: number
}

export function summaryOf(findings: readonly Finding[]): Summary {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const problems = count('problem')
  return { ok: problems === 0, good: count('good'), warnings: count('warning'), problems }
}

/** One block per area and a summary line. */
export function findingsTable(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length))
  const blocks = AREAS.map((area) => blockOf(area, findings, width)).filter((block) => block !== '')
  return `${blocks.join('\n')}\n${lastLine(summaryOf(findings))}\n`
}

function blockOf(area: Area, findings: readonly Finding[], width: number): string {
  const inArea = findings.filter((finding) => finding.area === area)
  if (inArea.length === 0) return ''
  const lines = inArea.flatMap(({ level, what, found, nextStep }) => [
    `  ${SIGNS[level]} ${printable(what).padEnd(width)}  ${printable(found)}`,
    ...(nextStep === null ? [] : [`    ${' '.repeat(width)}  → ${printable(nextStep)}`]),
  ])
  return `${[area, ...lines].join('\n')}\n`
}

function lastLine({ ok, warnings, problems }: Summary): string {
  const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
  if (!ok) return `✗ Not good: ${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`
  return warnings === 0 ? '✓ All good.' : `! Good, with ${counted(warnings, 'warning')}.`
}
