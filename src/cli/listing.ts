import { setTimeout as wait } from 'node:timers/promises'
import { type Cell, print, printable, printLine } from './output.ts'

/** A page of what the store lists, by position. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: number
  readonly more: boolean
}

const PAGE = 500
const TAIL_WAIT_MS = 300

/** At most `limit` items, the newest first. */
export async function* newestFirst<T>(
  read: (before: number, limit: number) => Promise<Page<T>>,
  limit: number,
): AsyncGenerator<T> {
  let left = limit
  let before = Number.MAX_SAFE_INTEGER
  while (left > 0) {
    const page = await read(before, Math.min(left, PAGE))
    yield* page.items
    left -= page.items.length
    before = page.next
    if (!page.more) return
  }
}

export interface Tail<T> {
  /** The position behind which it begins. */
  readonly after: number
  readonly read: (after: number, limit: number) => Promise<Page<T>>
  readonly header: readonly string[]
  /** Of each column, for what comes later is not known yet. */
  readonly widths: readonly number[]
  readonly rowOf: (item: T) => readonly Cell[]
  readonly viewOf: (item: T) => unknown
  readonly isJson: boolean
}

/** Prints what comes, until SIGINT or SIGTERM. */
export async function follow<T>(tail: Tail<T>): Promise<void> {
  let isEnded = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isEnded = true))
  let { after } = tail
  if (!tail.isJson) await print(lineOf(tail.header, tail.widths))
  while (!isEnded) {
    const page = await tail.read(after, PAGE)
    for (const item of page.items) {
      if (tail.isJson) await printLine(tail.viewOf(item))
      else await print(lineOf(tail.rowOf(item), tail.widths))
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
