import { say } from '../../platform/said.ts'
import { type Style, styled } from '../colors.ts'
import { translated } from '../language/language.ts'
import type { SeverityPrefix } from '../log/journal.ts'
import { printable } from '../output.ts'
import { AREAS, type Finding, type Level } from './finding.ts'

const SIGNS: Readonly<Record<Level, string>> = { good: '✓', warning: '!', problem: '✗' }
const STYLES: Readonly<Record<Level, Style>> = { good: 'green', warning: 'yellow', problem: 'red' }
const ACCEPTED_SIGN = '~'

export interface Summary {
  readonly ok: boolean
  readonly good: number
  /** Warnings and problems without those that the configuration accepts. */
  readonly warnings: number
  readonly problems: number
  readonly accepted: number
}

export function summaryOf(findings: readonly Finding[]): Summary {
  const open = findings.filter(({ accepted }) => accepted === null)
  const count = (level: Level) => open.filter((finding) => finding.level === level).length
  const problems = count('problem')
  const accepted = findings.length - open.length
  return { ok: problems === 0, good: count('good'), warnings: count('warning'), problems, accepted }
}

/** Whether `--quiet` prints it. */
export function isOpen({ level, accepted }: Finding): boolean {
  return level !== 'good' && accepted === null
}

/**
 * One block per area and a summary line.
 * @param isQuiet without good and accepted findings
 * @param prefixOf for the journal: each line begins with its severity
 */
export function findingsTable(findings: readonly Finding[], isQuiet = false, prefixOf: SeverityPrefix = null): string {
  const shown = (isQuiet ? findings.filter(isOpen) : findings).map(inLanguage)
  const width = Math.max(...shown.map(({ what }) => what.length))
  const marked = (level: Level, text: string) => `${prefixOf?.(SEVERITIES[level]) ?? ''}${text}\n`
  const blocks = AREAS.flatMap((area) => {
    const inArea = shown.filter((finding) => finding.area === area)
    const lines = inArea.flatMap((finding) => linesOf(finding, width).map((line) => marked(severityOf(finding), line)))
    return lines.length === 0 ? [] : [`${marked('good', styled('bold', translated(area)))}${lines.join('')}\n`]
  })
  const summary = summaryOf(findings)
  const level = levelOf(summary)
  return `${blocks.join('')}${marked(level, styled(STYLES[level], translated(lastLine(summary))))}`
}

/** For a person: check.accepted names the subject as --json does. */
function inLanguage(finding: Finding): Finding {
  const { found, nextStep } = finding
  return {
    ...finding,
    what: subjectOf(finding),
    found: translated(found),
    nextStep: nextStep === null ? null : translated(nextStep),
  }
}

/** Of these areas a subject is a name, which may be a word. */
const NAMING: readonly Finding['area'][] = ['destinations', 'nodes', 'alarms']

function subjectOf({ what, area, code }: Finding): string {
  const at = what.lastIndexOf(': ') + 1
  const isName = NAMING.includes(area) && at === 0 && code !== 'forwarding.none'
  return isName ? what : `${what.slice(0, at)}${at === 0 ? '' : ' '}${translated(what.slice(at).trim())}`
}

/** The levels of the log. */
const SEVERITIES: Readonly<Record<Level, string>> = { good: 'info', warning: 'warn', problem: 'error' }

function severityOf({ level, accepted }: Finding): Level {
  return accepted === null ? level : 'good'
}

function levelOf({ ok, warnings }: Summary): Level {
  if (!ok) return 'problem'
  return warnings > 0 ? 'warning' : 'good'
}

function linesOf(finding: Finding, width: number): string[] {
  const { level, what, found } = finding
  const sign = finding.accepted === null ? styled(STYLES[level], SIGNS[level]) : ACCEPTED_SIGN
  const note = noteOf(finding)
  return [
    `  ${sign} ${printable(what).padEnd(width)}  ${printable(found)}`,
    ...(note === null ? [] : [`    ${' '.repeat(width)}  → ${printable(note)}`]),
  ]
}

function noteOf({ level, code, nextStep, accepted }: Finding): string | null {
  if (accepted !== null) return translated(say`accepted (${{ code }}): ${{ reason: accepted }}`)
  return level === 'good' || nextStep === null ? nextStep : `${nextStep} (${code})`
}

function lastLine({ ok, warnings, problems, accepted }: Summary): string {
  const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
  const rest = accepted === 0 ? '' : `; ${counted(accepted, 'finding')} accepted`
  if (!ok) return `✗ Not good: ${counted(problems, 'problem')}, ${counted(warnings, 'warning')}${rest}.`
  return warnings === 0 ? `✓ All good${rest}.` : `! Good, with ${counted(warnings, 'warning')}${rest}.`
}
