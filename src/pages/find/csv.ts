import { amountIn } from '../../domain/search/event-amount.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import type { Language } from '../../messages/languages.ts'
import { printable } from '../../platform/control-characters.ts'
import { type ZoneClock, zoneClock } from '../../platform/local-time.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Download } from '../frame/download.ts'
import type { PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { filterOf, pagePath, type Typed, typedIn } from '../frame/search-query.ts'
import { kindWord } from '../parts/kind-word.ts'
import { type Found, type FoundEvent, stateOf } from './results.ts'

/** Events of a file, the newest ones. */
export const MOST_ROWS = 10_000
const ROWS_AT_ONCE = 500
/** Questions to the API for one file: a page of a search may be short. */
const MOST_PAGES = 200

/** All events of the filter that the page has, as the page shows them. The parameter `zone` names the zone of the browser, in which the page shows times. */
export const EVENTS_CSV: Download = {
  path: '/events.csv',
  scopes: ['events.read', 'support.read'],
  async open(request) {
    const typed = typedIn(request.query)
    const { filter } = filterOf(typed)
    if (filter === undefined) return pagePath(typed)
    const ask = (after: string | null, limit: number) =>
      request.ask('listEvents', { query: { ...filter, after, limit } })
    const first = await ask(null, ROWS_AT_ONCE)
    if (first.status === 400) return pagePath(typed)
    const parts = rows(request, jsonOf(first), async (after, limit) => jsonOf(await ask(after, limit)))
    return { name: 'events.csv', type: 'text/csv; charset=utf-8; header=present', parts }
  },
}

export function csvPath(typed: Typed): string {
  return withQuery('/ui/events.csv', typed)
}

/** A Brazilian spreadsheet takes the comma for that of a number. */
const SEPARATORS: Readonly<Record<Language, string>> = { en: ',', pt: ';' }

type Page = Pick<Found, 'data' | 'next' | 'more'>

async function* rows(
  { query, words, language }: PageRequest,
  first: Page,
  read: (after: string, limit: number) => Promise<Page>,
): AsyncGenerator<string> {
  const { find, common } = words
  const clock = zoneClock(query.get('zone'))
  const line = (cells: readonly (string | null)[]) => lineOf(cells, SEPARATORS[language])
  // The mark of the byte order: spreadsheets read UTF-8 by it.
  yield `\ufeff${line([find.delivered, `${find.time} (${clock.zone})`, find.id, find.kind, common.institution, find.environment, find.subject, find.status, find.amount])}`
  let left = MOST_ROWS
  for (let page = first, pages = 1; ; pages++) {
    yield page.data.map((event) => line(cellsOf(event, { words, language, clock }))).join('')
    left -= page.data.length
    if (!page.more) return
    if (left === 0 || pages === MOST_PAGES) return yield line([find.csvCut(MOST_ROWS - left)])
    page = await read(page.next, Math.min(ROWS_AT_ONCE, left))
  }
}

interface Shown {
  readonly words: Catalogue
  readonly language: Language
  readonly clock: ZoneClock
}

function cellsOf(event: FoundEvent, { words, language, clock }: Shown): readonly (string | null)[] {
  const { id, kind, institution, environment, subject, status, receivedAt, deliveries } = event
  const state = deliveries === undefined ? null : (stateOf(deliveries, words)?.[0] ?? null)
  return [
    state,
    clock.textOf(Date.parse(receivedAt)),
    id,
    textCell(kindWord(kind, words) ?? kind),
    institution && textCell(institution),
    words.frame.environments[environment],
    subject && textCell(subject),
    status && textCell(status),
    language === 'pt' ? (amountIn(event)?.replace('.', ',') ?? null) : amountIn(event),
  ]
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
