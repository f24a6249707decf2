import { setTimeout as wait } from 'node:timers/promises'
import { type Cell, print, printable, printLine, tableOf } from './output.ts'

/** How items are shown: a row of a table, or with `--json` one JSON object a line. */
export interface Listing<T> {
  readonly header: readonly string[]
  readonly rowOf: (item: T) => readonly Cell[]
  readonly viewOf: (item: T) => unknown
  /** Printed where there are no items. */
  readonly none: string
}

interface Format {
  readonly json?: boolean | undefined
}

/** A page of what the store lists, by position. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: number
  readonly more: boolean
}

const PAGE = 500
const TAIL_WAIT_MS = 300

/** Widths of columns are known once all rows are: the table is printed at the end, JSON as it comes. */
export async function printList<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { header, rowOf, viewOf, none }: Listing<T>,
  { json = false }: Format,
): Promise<void> {
  const rows: (readonly Cell[])[] = []
  for await (const item of items) {
    if (json) await printLine(viewOf(item))
    else rows.push(rowOf(item))
  }
  if (!json) await print(rows.length === 0 ? `${none}\n` : tableOf(header, rows))
}

/** The page of a query that answers with items alone. @param numberOf the position from which the next page continues */
export function pageWith<T>(items: readonly T[], limit: number, numberOf: (item: T) => number): Page<T> {
  const last = items.at(-1)
  return { items, next: last === undefined ? 0 : numberOf(last), more: items.length === limit }
}

/** At most `limit` items. @param from where the first page begins; newest first: `NEWEST` */
export async function* pageByPage<T>(
  read: (from: number, limit: number) => Promise<Page<T>>,
  { limit, from }: { readonly limit: number; readonly from: number },
): AsyncGenerator<T> {
  let left = limit
  let at = from
  while (left > 0) {
    const page = await read(at, Math.min(left, PAGE))
    yield* page.items
    left -= page.items.length
    at = page.next
    if (!page.more) return
  }
}

/** Before every item. */
export const OLDEST = 0
/** Behind every item. */
export const NEWEST = Number.MAX_SAFE_INTEGER

export interface Tail<T> {
  /** The position behind which it begins. */
  readonly after: number
  readonly read: (after: number, limit: number) => Promise<Page<T>>
  /** Of each column: later rows are not known yet. */
  readonly widths: readonly number[]
}

/** Prints items as they come, until SIGINT or SIGTERM. */
export async function follow<T>(tail: Tail<T>, listing: Listing<T>, { json = false }: Format): Promise<void> {
  let isEnded = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isEnded = true))
  let { after } = tail
  if (!json) await print(lineOf(listing.header, tail.widths))
  while (!isEnded) {
    const page = await tail.read(after, PAGE)
    for (const item of page.items) {
      if (json) await printLine(listing.viewOf(item))
      else await print(lineOf(listing.rowOf(item), tail.widths))
    }
    after = page.next
    if (!page.more) await wait(TAIL_WAIT_MS)
  }
}

function lineOf(cells: readonly Cell[], widths: readonly number[]): string {
  return `${cells
    .map((cell, column) => printable(String(cell ?? '-')).padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()}\n`
}
