import { printable } from '../output.ts'
import { AREAS, type Area, type Finding, type Level } from './finding.ts'

const SIGNS: Readonly<Record<Level, string>> = { good: '✓', warning: '!', problem: '✗' }
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

/** One block per area and a summary line; quiet: without what is good or accepted. */
export function findingsTable(findings: readonly Finding[], isQuiet = false): string {
  const shown = isQuiet ? findings.filter(isOpen) : findings
  const width = Math.max(...shown.map(({ what }) => what.length))
  const blocks = AREAS.map((area) => blockOf(area, shown, width)).filter((block) => block !== '')
  const text = blocks.length === 0 ? '' : `${blocks.join('\n')}\n`
  return `${text}${lastLine(summaryOf(findings))}\n`
}

function blockOf(area: Area, findings: readonly Finding[], width: number): string {
  const inArea = findings.filter((finding) => finding.area === area)
  if (inArea.length === 0) return ''
  const lines = inArea.flatMap((finding) => {
    const { level, what, found } = finding
    const sign = finding.accepted === null ? SIGNS[level] : ACCEPTED_SIGN
    const note = noteOf(finding)
    return [
      `  ${sign} ${printable(what).padEnd(width)}  ${printable(found)}`,
      ...(note === null ? [] : [`    ${' '.repeat(width)}  → ${printable(note)}`]),
    ]
  })
  return `${[area, ...lines].join('\n')}\n`
}

function noteOf({ level, code, nextStep, accepted }: Finding): string | null {
  if (accepted !== null) return `accepted (${code}): ${accepted}`
  return level === 'good' || nextStep === null ? nextStep : `${nextStep} (${code})`
}

function lastLine({ ok, warnings, problems, accepted }: Summary): string {
  const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
  const rest = accepted === 0 ? '' : `; ${counted(accepted, 'finding')} accepted`
  if (!ok) return `✗ Not good: ${counted(problems, 'problem')}, ${counted(warnings, 'warning')}${rest}.`
  return warnings === 0 ? `✓ All good${rest}.` : `! Good, with ${counted(warnings, 'warning')}${rest}.`
}
