import { setTimeout as wait } from 'node:timers/promises'
import { translated } from '../language/language.ts'
import { print, printLine } from '../output.ts'
import { type Column, headOf, type Layout, layoutFor, leftOutText, lineOf, type Row, screenWidth } from './table.ts'

/** How items are shown: a row of a table, or with `--json` one JSON object a line. */
export interface Listing<T> {
  readonly header: readonly (string | Column)[]
  readonly rowOf: (item: T) => Row
  /** Left out: the item itself. */
  readonly viewOf?: (item: T) => unknown
  /** Printed where there are no items. */
  readonly none: string
}

interface Format {
  readonly json?: boolean | undefined
}

/** A page of what the store lists, by position; of what the API lists, by its cursors. */
export interface Page<T, Place = number> {
  readonly items: readonly T[]
  readonly next: Place
  readonly more: boolean
}

const PAGE = 500
const TAIL_WAIT_MS = 300

/** Rows that set the widths of the columns; a table is printed from its first rows on, in constant memory. */
const FIRST_ROWS = 500

/** Prints items as they come. */
export async function printList<T>(
  items: Iterable<T> | AsyncIterable<T>,
  listing: Listing<T>,
  { json = false }: Format,
): Promise<void> {
  if (!json) return printTable(rowsOf(items, listing), listing)
  for await (const item of items) await printLine(listing.viewOf?.(item) ?? item)
}

async function printTable<T>(rows: AsyncGenerator<Row>, { header, none }: Listing<T>): Promise<void> {
  const first = await take(rows, FIRST_ROWS)
  if (first.length === 0) return print(`${translated(none)}\n`)
  const layout = layoutFor(header, first, screenWidth())
  await print([headOf(layout), ...first.map((row) => lineOf(layout, row))].join(''))
  for await (const row of rows) await print(lineOf(layout, row))
  sayLeftOut(layout)
}

async function* rowsOf<T>(items: Iterable<T> | AsyncIterable<T>, { rowOf }: Listing<T>): AsyncGenerator<Row> {
  for await (const item of items) yield rowOf(item)
}

/** The next rows; the generator continues after them. */
async function take(rows: AsyncGenerator<Row>, count: number): Promise<Row[]> {
  const taken: Row[] = []
  while (taken.length < count) {
    const next = await rows.next()
    if (next.done === true) break
    taken.push(next.value)
  }
  return taken
}

function sayLeftOut(layout: Layout): void {
  process.stderr.write(leftOutText(layout))
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

export interface Tail<T, Place> {
  /** Behind which it begins. */
  readonly after: Place
  /** @param ended aborts a read that waits; what it throws then is left out */
  readonly read: (after: Place, limit: number, ended: AbortSignal) => Promise<Page<T, Place>>
  /** A row as wide as usual: the rows are not known yet. */
  readonly usual: Row
  /** Between two reads, in ms. */
  readonly waitMs?: number
}

/** Prints items as they come, until SIGINT or SIGTERM. */
export async function follow<T, Place>(
  tail: Tail<T, Place>,
  listing: Listing<T>,
  { json = false }: Format,
): Promise<void> {
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
  const { waitMs = TAIL_WAIT_MS } = tail
  let { after } = tail
  const layout = layoutFor(listing.header, [tail.usual], screenWidth())
  if (!json) await print(headOf(layout))
  while (!end.signal.aborted) {
    const page = await tail.read(after, PAGE, end.signal).catch(unlessAborted(end.signal))
    if (page === null) break
    for (const item of page.items) {
      if (json) await printLine(listing.viewOf?.(item) ?? item)
      else await print(lineOf(layout, listing.rowOf(item)))
    }
    after = page.next
    if (!page.more) await wait(waitMs, undefined, { signal: end.signal }).catch(unlessAborted(end.signal))
  }
  if (!json) sayLeftOut(layout)
}

function unlessAborted(signal: AbortSignal): (error: unknown) => null {
  return function ofAborted(error) {
    if (signal.aborted) return null
    throw error
  }
}
