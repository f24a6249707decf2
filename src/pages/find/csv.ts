import type { SubjectView } from '../../api/subjects/view.ts'
import { amountIn } from '../../domain/search/event-amount.ts'
import type { Language } from '../../messages/languages.ts'
import { whereText } from '../../messages/where.ts'
import { printable } from '../../platform/control-characters.ts'
import { type ZoneClock, zoneClock } from '../../platform/local-time.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Download } from '../frame/download.ts'
import type { PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { filterOf, pagePath, type Typed, typedIn } from '../frame/search-query.ts'
import { seesEveryDelivery } from '../frame/viewer-rights.ts'
import { kindWord } from '../parts/kind-word.ts'
import { environmentText } from '../parts/realm.ts'
import { type FoundEvent, SINGLE, stateOf } from './results.ts'

/** Events of a file, the newest ones. */
export const MOST_ROWS = 10_000
const ROWS_AT_ONCE = 500
/** Questions to the API for one file: a page of a search may be short. */
const MOST_PAGES = 200

/** All payments, or events, of the filter that the page has, as the page shows them. The parameter `zone` names the zone of the browser, in which the page shows times. */
export const EVENTS_CSV: Download = {
  path: '/events.csv',
  scopes: ['events.read', 'support.read'],
  async open(request) {
    const typed = typedIn(request.query)
    const { filter } = filterOf(typed)
    if (filter === undefined) return pagePath(typed)
    const ask = (after: string | null, limit: number) =>
      typed.view === 'events'
        ? request.ask('listEvents', { query: { ...filter, ...SINGLE, after, limit } })
        : request.ask('listSubjects', { query: { ...filter, after, limit } })
    const first = await ask(null, ROWS_AT_ONCE)
    if (first.status === 400) return pagePath(typed)
    const shown = { request, clock: zoneClock(request.query.get('zone')) }
    const sheet = (typed.view === 'events' ? eventSheet(shown) : subjectSheet(shown)) as Sheet<unknown>
    const parts = rows(request, sheet, jsonOf<Page>(first), async (after, limit) =>
      jsonOf<Page>(await ask(after, limit)),
    )
    return {
      name: typed.view === 'events' ? 'events.csv' : 'payments.csv',
      type: 'text/csv; charset=utf-8; header=present',
      parts,
    }
  },
}

export function csvPath(typed: Typed): string {
  return withQuery('/ui/events.csv', typed)
}

/** A Brazilian spreadsheet takes the comma for that of a number. */
const SEPARATORS: Readonly<Record<Language, string>> = { en: ',', pt: ';' }

interface Page {
  readonly data: readonly unknown[]
  readonly next: string
  readonly more: boolean
}

type Cells = readonly (string | null)[]

interface Sheet<Row> {
  readonly head: Cells
  readonly cellsOf: (row: Row) => Cells
}

async function* rows(
  { t, language }: PageRequest,
  { head, cellsOf }: Sheet<unknown>,
  first: Page,
  read: (after: string, limit: number) => Promise<Page>,
): AsyncGenerator<string> {
  const line = (cells: Cells) => lineOf(cells, SEPARATORS[language])
  // The mark of the byte order: spreadsheets read UTF-8 by it.
  yield `\ufeff${line(head)}`
  let left = MOST_ROWS
  for (let page = first, pages = 1; ; pages++) {
    yield page.data.map((row) => line(cellsOf(row))).join('')
    left -= page.data.length
    if (!page.more) return
    if (left === 0 || pages === MOST_PAGES)
      return yield line([t`cut: these are the newest ${{ count: MOST_ROWS - left }} events of more`])
    page = await read(page.next, Math.min(ROWS_AT_ONCE, left))
  }
}

interface Shown {
  readonly request: PageRequest
  readonly clock: ZoneClock
}

function eventSheet({ request: { t, language }, clock }: Shown): Sheet<FoundEvent> {
  return {
    head: [
      ...[t`Delivered`, `${t`Received`} (${clock.zone})`, t`Id`, t`Kind`, t`Institution`, t`Environment`],
      ...[t`Event`, t`Status`, t`Amount`],
    ],
    cellsOf: (event) => [
      event.deliveries === undefined ? null : (stateOf(event.deliveries, t)?.[0] ?? null),
      clock.textOf(Date.parse(event.receivedAt)),
      event.id,
      textCell(kindWord(event.kind, t) ?? event.kind),
      event.institution && textCell(event.institution),
      environmentText(event.environment, t),
      event.subject && textCell(event.subject),
      event.status && textCell(event.status),
      decimalCell(amountIn(event), language),
    ],
  }
}

function subjectSheet({ request: { t, language, viewer }, clock }: Shown): Sheet<SubjectView> {
  const timeOf = (iso: string) => clock.textOf(Date.parse(iso))
  const none = seesEveryDelivery(viewer) ? t`no destination asked for it` : t`none of your destinations asked for it`
  return {
    head: [
      ...[t`Where it is`, `${t`Changed`} (${clock.zone})`, t`Payer`, t`Kind`, t`Institution`, t`Environment`],
      ...[t`Id`, t`Status`, t`Amount`],
    ],
    cellsOf: (one) => [
      textCell(whereText(one.deliveries, t, { timeOf, none })),
      timeOf(one.changedAt),
      one.payer && textCell(one.payer),
      textCell(kindWord(one.kind, t) ?? one.kind),
      one.institution && textCell(one.institution),
      environmentText(one.environment, t),
      textCell(one.subject ?? one.event),
      one.status && textCell(one.status),
      decimalCell(one.amount, language),
    ],
  }
}

function decimalCell(amount: string | null, language: Language): string | null {
  return language === 'pt' ? (amount?.replace('.', ',') ?? null) : amount
}

/** What a spreadsheet takes for something else than text: `00012345`, `4512E10`, `R$ 10`, `1-2`, `12:30`, `1 pm`, `SET2026`, `true`. */
const CHANGED = [
  /^(?:r\$)?[\s.,($+-]{0,5}\d[\d\s.,:/()$%+tz-]*(?:e[+-]?\d+|[ap]m?)?$/i,
  /^(?=\D*\d)\d{0,4}[\s./-]{0,3}(?:jan|feb|fev|mar|apr|abr|may|mai|jun|jul|aug|ago|sep|set|oct|out|nov|dec|dez)[a-z]{0,6}[\s./-]{0,3}\d{0,4}$/i,
  /^(?:true|false|verdadeiro|falso)$/i,
]

/** A text that stays one: a spreadsheet would cut digits of a long id, and zeros at its beginning. The search leaves the apostrophe out. */
export function textCell(text: string): string {
  const trimmed = text.trim()
  return CHANGED.some((pattern) => pattern.test(trimmed)) ? `'${text}` : text
}

function lineOf(cells: readonly (string | null)[], separator: string): string {
  return `${cells.map((cell) => csvCell(cell ?? '', separator)).join(separator)}\r\n`
}

/**
 * As RFC 4180 has it. A spreadsheet would compute a cell that begins like a formula: an apostrophe before it makes it a text. The same within a cell, behind
 * each character that a spreadsheet in another language takes for the separator, since a quotation mark behind it begins a cell there.
 */
export function csvCell(text: string, separator = ','): string {
  const safe = printable(text).replaceAll(/(^|[,;])([\s"]*[=+\-@＝＋－＠])/g, "$1'$2")
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}
