import { setTimeout as wait } from 'node:timers/promises'
import { translated } from '../language/language.ts'
import { isTimeField, print, printLine } from '../output.ts'
import {
  type Cell,
  type Column,
  headOf,
  type Layout,
  layoutFor,
  leftOutText,
  lineOf,
  type Row,
  screenWidth,
} from './table.ts'

type Member<T> = { [Name in keyof T]-?: T[Name] extends Cell ? Name & string : never }[keyof T]

/** A column of a list: a member of its items by its name, under another name, or what is made of an item. A member with the name of a time is one. */
type ListColumn<T> =
  | Member<T>
  | (Column & { readonly name: Member<T>; readonly of?: undefined })
  | (Column & { readonly of: Member<T> | ((item: T) => Cell) })

/** How items are shown: a row of a table, or with `--json` one JSON object a line. */
export interface Listing<T> {
  readonly columns: readonly ListColumn<T>[]
  /** Printed where there are no items. */
  readonly none: string
}

interface Format {
  readonly json?: boolean | undefined
}

/** A page of a list, and the place behind it. */
export interface Page<T, Place> {
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
  for await (const item of items) await printLine(item)
}

async function printTable<T>(rows: AsyncGenerator<Row>, { columns, none }: Listing<T>): Promise<void> {
  const first = await take(rows, FIRST_ROWS)
  if (first.length === 0) return print(`${translated(none)}\n`)
  const layout = layoutFor(columns.map(columnOf), first, screenWidth())
  await print([headOf(layout), ...first.map((row) => lineOf(layout, row))].join(''))
  for await (const row of rows) await print(lineOf(layout, row))
  sayLeftOut(layout)
}

async function* rowsOf<T>(items: Iterable<T> | AsyncIterable<T>, listing: Listing<T>): AsyncGenerator<Row> {
  for await (const item of items) yield rowOf(item, listing)
}

function rowOf<T>(item: T, { columns }: Listing<T>): Row {
  return columns.map((column) => {
    const of = sourceOf(column)
    return typeof of === 'function' ? of(item) : (item[of] as Cell)
  })
}

function sourceOf<T>(column: ListColumn<T>): Member<T> | ((item: T) => Cell) {
  return typeof column === 'string' ? column : (column.of ?? (column.name as Member<T>))
}

function columnOf<T>(column: ListColumn<T>): Column {
  const of = sourceOf(column)
  const isTime = typeof of === 'string' && isTimeField(of)
  return typeof column === 'string' ? { name: column, isTime } : { isTime, ...column }
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
  const layout = layoutFor(listing.columns.map(columnOf), [tail.usual], screenWidth())
  if (!json) await print(headOf(layout))
  while (!end.signal.aborted) {
    const page = await tail.read(after, PAGE, end.signal).catch(unlessAborted(end.signal))
    if (page === null) break
    for (const item of page.items) {
      if (json) await printLine(item)
      else await print(lineOf(layout, rowOf(item, listing)))
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
