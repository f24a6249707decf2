import type { checkReportSchema } from '../../api/check/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { CHECK_STEPS } from '../../messages/en/check-steps.ts'
import type { Language } from '../../messages/languages.ts'
import { knownText, tableText } from '../../messages/say.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, Page, Viewer } from '../frame/page.ts'
import { codeLink } from '../parts/code-link.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { buttonForm } from '../parts/button-form.ts'
import { confirmed } from '../parts/confirm.ts'
import { decimalText } from '../parts/decimal.ts'
import { empty } from '../parts/empty.ts'
import { withoutFolders } from '../parts/file-name.ts'
import { type Html, html } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf, withTimes } from '../parts/time.ts'
import { linksFor } from './places.ts'
import { reportWords } from './values.ts'

type Report = View<typeof checkReportSchema>
type Finding = Report['findings'][number]

/** Of a table, so that a page stays small whatever the check finds. */
const LISTED = 100
const FOUND_CHARACTERS = 600

const TONES: Readonly<Record<Finding['level'], Tone>> = { good: 'good', warning: 'warn', problem: 'bad' }

const PATH = '/ui/check'

/** The last report. */
export const CHECK: Page = {
  path: '/check',
  scopes: ['operations.read'],
  async render({ ask, words, language, formToken, viewer }) {
    const answer = await ask('runCheck', { query: { latest: true } })
    const report = answer.status === 404 ? null : jsonOf(answer)
    const body = html`<h1>${words.check.title}</h1>
<p>${words.check.text}</p>
${buttonForm({ action: PATH, text: words.check.runNow, formToken, words })}
${viewer.name === null && clockForm(words, formToken)}
${report === null ? empty(words.check.none) : reportOf(report, { words, language, viewer })}`
    return { title: words.check.title, body }
  },
}

/** Runs another check. */
export const RUN_CHECK: FormAction = {
  path: '/check',
  isLong: true,
  submit: async ({ ask, words }) => resultOf(await ask('runCheck'), PATH, words.check.hasRun),
}

/** For the operator, as `portaria storage confirm-clock`. */
function clockForm(words: Catalogue, formToken: Html): Html {
  const { confirmClock, confirmClockHint } = words.check
  const form = { action: `${PATH}/clock`, text: confirmClock, formToken, words, reason: 'optional' } as const
  return html`<div id="clock">${confirmed({ ...form, isDangerous: true }, confirmClockHint)}</div>`
}

export const CONFIRM_CLOCK: FormAction = {
  path: '/check/clock',
  submit: async ({ ask, form, words }) =>
    resultOf(
      await ask('confirmClock', { query: { reason: form.get('reason')?.trim() } }),
      PATH,
      words.check.clockConfirmed,
    ),
}

interface Reading {
  readonly words: Catalogue
  readonly language: Language
  readonly viewer: Viewer
}

function reportOf({ startedAt, durationMs, summary, findings }: Report, { words, language, viewer }: Reading): Html {
  const { check } = words
  const open = findings.filter(({ level, accepted }) => level !== 'good' && accepted === null).sort(bySeverity)
  const accepted = findings.filter((finding) => finding.accepted !== null)
  const good = findings.filter(({ level, accepted }) => level === 'good' && accepted === null)
  const common = columnsOf(words, language)
  return html`<p>${summaryBadge(summary, words)} ${check.ranAt} ${timeOf(startedAt)}, ${check.took(decimalText(durationMs / 1000, words, 1))}</p>
<h2>${check.attention}</h2>
${open.length === 0 ? empty(check.nothing) : listOf(check.attention, [...common, nextStepColumn(viewer, words, language)], open, words)}
${
  accepted.length > 0 &&
  html`<h2>${check.accepted}</h2><p>${check.acceptedText}</p>
${listOf(check.accepted, [...common, { title: check.reason, cell: (finding: Finding) => acceptedOf(finding, language) }], accepted, words)}`
}
${
  good.length > 0 &&
  html`<details><summary>${check.passed(good.length)}</summary>
${listOf(check.passed(good.length), common, good, words)}</details>`
}`
}

/** What people wrote stays as it is; the reason of `config/development.yaml` has its words. */
function acceptedOf({ accepted }: Finding, language: Language): Html | string | null {
  return accepted === null ? null : (reportWords(accepted, language, FOUND_CHARACTERS) ?? accepted)
}

function summaryBadge({ ok, warnings, problems }: Report['summary'], { check }: Catalogue): Html {
  if (!ok) return badge(check.bad(problems), 'bad')
  return warnings > 0 ? badge(check.goodWithWarnings(warnings), 'warn') : badge(check.good, 'good')
}

function listOf(
  caption: string,
  columns: readonly Column<Finding>[],
  findings: readonly Finding[],
  { check }: Catalogue,
) {
  const rest = findings.length - LISTED
  return html`${table(caption, columns, findings.slice(0, LISTED))}${rest > 0 && html`<p>${check.more(rest)}</p>`}`
}

function columnsOf(words: Catalogue, language: Language): Column<Finding>[] {
  const { check } = words
  return [
    { title: check.what, cell: ({ what }) => itemOf(what, words, language) },
    { title: check.severity, cell: (finding) => severityOf(finding, check.levels) },
    { title: check.area, cell: ({ area }) => tableText(area, language) },
    { title: check.found, cell: (finding) => foundOf(onPage(finding), check, language) },
  ]
}

/** `callbacks: dates` has a name and an item. The configuration names it as the report does. */
export function itemOf(what: string, { frame }: Catalogue, language: Language): Html {
  const at = what.lastIndexOf(': ')
  const [name, said] = at < 0 ? ['', what] : [what.slice(0, at + 2), what.slice(at + 2)]
  const item = said.replace(/(?<=^|of |\/)production$/, frame.environments.production)
  return html`${name}${reportWords(item, language, FOUND_CHARACTERS) ?? item}`
}

/** The report is in English: in another language its own words, or what its code means with the report's words as a quotation. */
function foundOf({ code, level, found }: Finding, check: Catalogue['check'], language: Language): Html {
  if (language === 'en') return withTimes(cut(found))
  const whole = reportWords(found, language, FOUND_CHARACTERS)
  if (whole !== null) return whole
  const words = knownText(code, language, 'finding') ?? (level === 'good' ? check.well : null)
  const quotation = html`<q lang="en">${cut(found)}</q>`
  return words === null ? quotation : html`${words}<details><summary>${check.detail}</summary>${quotation}</details>`
}

/** In these areas a path is one of the machine; elsewhere it may be that of a URL. */
const OF_THE_MACHINE: readonly Finding['area'][] = [
  'configuration',
  'files',
  'certificates',
  'trust',
  'storage',
  'listeners',
  'alarms',
]

function onPage(finding: Finding): Finding {
  const { area, code, found } = finding
  if (!OF_THE_MACHINE.includes(area) || code === 'callbacks_refused') return finding
  return { ...finding, found: withoutFolders(found) }
}

function severityOf({ level, accepted }: Finding, levels: Catalogue['check']['levels']): Html {
  return accepted === null ? badge(levels[level], TONES[level]) : badge(levels.accepted)
}

/** What the report advises itself is for a person with a shell. */
function nextStepColumn(viewer: Viewer, words: Catalogue, language: Language): Column<Finding> {
  return {
    title: words.check.nextStep,
    cell: (finding) =>
      html`${stepOf(finding.code, language)}${linksFor(finding, viewer, words)} ${codeLink(finding.code)}`,
  }
}

/** What a person without a shell can do; null: the code is of another version. */
function stepOf(code: string, language: Language): string | null {
  const step = Object.hasOwn(CHECK_STEPS, code) ? CHECK_STEPS[code] : undefined
  return step === undefined ? null : tableText(step, language, code)
}

function cut(text: string): string {
  return text.length > FOUND_CHARACTERS ? `${text.slice(0, FOUND_CHARACTERS).toWellFormed()}…` : text
}

function bySeverity(one: Finding, two: Finding): number {
  return Number(two.level === 'problem') - Number(one.level === 'problem')
}
