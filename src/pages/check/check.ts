import type { checkReportSchema } from '../../api/check/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { knownText, plural, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { COMMAND } from '../../platform/installation.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, Page, Viewer } from '../frame/page.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { buttonForm } from '../parts/button-form.ts'
import { codeLink } from '../parts/code-link.ts'
import { confirmed } from '../parts/confirm.ts'
import { decimalText } from '../parts/decimal.ts'
import { empty } from '../parts/empty.ts'
import { withoutFolders } from '../parts/file-name.ts'
import { type Html, html } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf, withTimes } from '../parts/time.ts'
import { stepOf } from './next-steps.ts'
import { linksFor } from './places.ts'
import { reportWords } from './values.ts'

const LEVELS: Readonly<Record<Finding['level'], Said>> = {
  problem: say`problem`,
  warning: say`warning`,
  good: say`good`,
}

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
  async render({ ask, t, formToken, viewer }) {
    const answer = await ask('runCheck', { query: { latest: true } })
    const report = answer.status === 404 ? null : jsonOf(answer)
    const body = html`<h1>${t`Check`}</h1>
<p>${t`The check looks for what keeps callbacks from being received or forwarded. It takes some seconds, and changes nothing. The operator does on the machine of the gateway what it advises.`}</p>
${buttonForm({ action: PATH, text: t`Run now`, formToken, t })}
${viewer.name === null && clockForm(t, formToken)}
${report === null ? empty(t`No check has run since the gateway started.`) : reportOf(report, { t, viewer })}`
    return { title: t`Check`, body }
  },
}

/** Runs another check. */
export const RUN_CHECK: FormAction = {
  path: '/check',
  isLong: true,
  submit: async ({ ask, t }) => resultOf(await ask('runCheck'), PATH, t`The check has run.`),
}

/** For the operator, as `portaria storage confirm-clock`. */
function clockForm(t: Speaker, formToken: Html): Html {
  const form = { action: `${PATH}/clock`, text: t`Confirm the clock`, formToken, t, reason: 'optional' } as const
  return html`<div id="clock">${confirmed({ ...form, isDangerous: true }, t`Only after you compared the clock of the gateway with a right one: retention and expiry go on by it.`)}</div>`
}

export const CONFIRM_CLOCK: FormAction = {
  path: '/check/clock',
  submit: async ({ ask, form, t }) =>
    resultOf(
      await ask('confirmClock', { query: { reason: form.get('reason')?.trim() } }),
      PATH,
      t`The clock is confirmed.`,
    ),
}

interface Reading {
  readonly t: Speaker
  readonly viewer: Viewer
}

function reportOf({ startedAt, durationMs, summary, findings }: Report, { t, viewer }: Reading): Html {
  const open = findings.filter(({ level, accepted }) => level !== 'good' && accepted === null).sort(bySeverity)
  const accepted = findings.filter((finding) => finding.accepted !== null)
  const good = findings.filter(({ level, accepted }) => level === 'good' && accepted === null)
  const common = columnsOf(t)
  return html`<p>${summaryBadge(summary, t)} ${t`Run at`} ${timeOf(startedAt)}, ${t`took ${{ seconds: decimalText(durationMs / 1000, t, 1) }} s`}</p>
<h2>${t`What needs attention`}</h2>
${open.length === 0 ? empty(t`Nothing needs attention.`) : listOf(t`What needs attention`, [...common, nextStepColumn(viewer, t)], open, t)}
${
  accepted.length > 0 &&
  html`<h2>${t`Accepted findings`}</h2><p>${t`check.accepted of the configuration names them: they do not count.`}</p>
${listOf(t`Accepted findings`, [...common, { title: t`Reason`, cell: (finding: Finding) => acceptedOf(finding, t) }], accepted, t)}`
}
${
  good.length > 0 &&
  html`<details><summary>${t`What is good (${{ count: good.length }})`}</summary>
${listOf(t`What is good (${{ count: good.length }})`, common, good, t)}</details>`
}`
}

/** What people wrote stays as it is; the reason of `config/development.yaml` has its words. */
function acceptedOf({ accepted }: Finding, t: Speaker): Html | string | null {
  return accepted === null ? null : (reportWords(accepted, t.language, FOUND_CHARACTERS) ?? accepted)
}

function summaryBadge({ ok, warnings, problems }: Report['summary'], t: Speaker): Html {
  if (!ok) return badge(t.of(plural(problems, say`1 problem`, say`{count} problems`)), 'bad')
  return warnings > 0
    ? badge(t.of(plural(warnings, say`Good, with 1 warning`, say`Good, with {count} warnings`)), 'warn')
    : badge(t`All is well`, 'good')
}

function listOf(caption: string, columns: readonly Column<Finding>[], findings: readonly Finding[], t: Speaker) {
  const rest = findings.length - LISTED
  return html`${table(caption, columns, findings.slice(0, LISTED))}${rest > 0 && html`<p>${t`There are ${{ count: rest }} more. The operator sees all with "${{ command: COMMAND }} check" on the machine of the gateway.`}</p>`}`
}

function columnsOf(t: Speaker): Column<Finding>[] {
  return [
    { title: t.in('check')`Subject`, cell: ({ what }) => itemOf(what, t) },
    { title: t`Severity`, cell: (finding) => severityOf(finding, t) },
    { title: t`Area`, cell: ({ area }) => t.template(area) },
    { title: t`Found`, cell: (finding) => foundOf(onPage(finding), t) },
  ]
}

/** `callbacks: dates` has a name and an item. The configuration names it as the report does. */
export function itemOf(what: string, t: Speaker): Html {
  const at = what.lastIndexOf(': ')
  const [name, said] = at < 0 ? ['', what] : [what.slice(0, at + 2), what.slice(at + 2)]
  const item = said.replace(/(?<=^|of |\/)production$/, t`production`)
  return html`${name}${reportWords(item, t.language, FOUND_CHARACTERS) ?? item}`
}

/** The report is in English: in another language its own words, or what its code means with the report's words as a quotation. */
function foundOf({ code, level, found }: Finding, t: Speaker): Html {
  if (t.language === 'en') return withTimes(cut(found))
  const whole = reportWords(found, t.language, FOUND_CHARACTERS)
  if (whole !== null) return whole
  const words = knownText(code, t.language, 'finding') ?? (level === 'good' ? t`It is good.` : null)
  const quotation = html`<q lang="en">${cut(found)}</q>`
  return words === null ? quotation : html`${words}<details><summary>${t`Detail`}</summary>${quotation}</details>`
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

function severityOf({ level, accepted }: Finding, t: Speaker): Html {
  return accepted === null ? badge(t.of(LEVELS[level]), TONES[level]) : badge(t`accepted`)
}

/** What the report advises itself is for a person with a shell. */
function nextStepColumn(viewer: Viewer, t: Speaker): Column<Finding> {
  return {
    title: t`What to do`,
    cell: (finding) => html`${stepOf(finding.code, t)}${linksFor(finding, viewer, t)} ${codeLink(finding.code)}`,
  }
}

function cut(text: string): string {
  return text.length > FOUND_CHARACTERS ? `${text.slice(0, FOUND_CHARACTERS).toWellFormed()}…` : text
}

function bySeverity(one: Finding, two: Finding): number {
  return Number(two.level === 'problem') - Number(one.level === 'problem')
}
