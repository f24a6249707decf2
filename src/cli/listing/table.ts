import { printable } from '../../platform/control-characters.ts'
import { localText } from '../../platform/local-time.ts'
import { say } from '../../platform/said.ts'
import { type Style, styled } from '../colors.ts'
import { translated } from '../language/language.ts'

export type Cell = string | number | null
export type Row = readonly Cell[]

export interface Column {
  readonly name: string
  /** Where a cell may be shortened for the width of the terminal: the end that is cut. Ids and numbers are never shortened. */
  readonly cut?: 'left' | 'right'
  /** Left out where the terminal is too narrow even for shortened cells: the column with 1 first. */
  readonly leftOut?: number
  /** Cells are ISO 8601, and shown as local time. */
  readonly isTime?: boolean
}

/** Which columns are shown, and how wide each is. Of a column that is not shown the width is null. */
export interface Layout {
  readonly columns: readonly Column[]
  readonly widths: (number | null)[]
  /** Whether cells that are too wide are shortened: in a terminal only. */
  readonly isCut: boolean
}

/** Columns with these names have states. */
const STATE_COLUMNS = ['state', 'circuit']
/** The others are neither good nor bad. */
const STATE_STYLES: Readonly<Record<string, Style>> = {
  ...colored('green', ['active', 'valid', 'accepted', 'delivered', 'done', 'released']),
  ...colored('yellow', ['blocked', 'paused', 'quarantined', 'expiring', 'failing']),
  ...colored('red', ['exhausted', 'failed', 'open', 'expired', 'unreadable', 'refused']),
}

function colored(style: Style, states: readonly string[]): Record<string, Style> {
  return Object.fromEntries(states.map((state) => [state, style]))
}

const LEAST_WIDTH = 12
const GAP = 2

/** Lines in columns, the header first; last the names of columns that do not fit, if any. @param screen width of the terminal; null: nothing is shortened */
export function tableOf(
  header: readonly (string | Column)[],
  rows: readonly Row[],
  screen: number | null = screenWidth(),
): string {
  const layout = layoutFor(header, rows, screen)
  return [headOf(layout), ...rows.map((row) => lineOf(layout, row)), leftOutText(layout)].join('')
}

/** Wide enough for these rows; of rows that come later, cells may be wider. */
export function layoutFor(header: readonly (string | Column)[], rows: readonly Row[], screen: number | null): Layout {
  const columns = header.map((one) => (typeof one === 'string' ? { name: one } : one))
  const texts = rows.map((row) => columns.map((column, index) => textOf(column, row[index] ?? null)))
  // Not by spreading: a call takes some 100,000 arguments at most.
  const widths = columns.map(({ name }, index) =>
    texts.reduce((most, row) => Math.max(most, row[index]?.length ?? 0), name.length),
  )
  return { columns, widths: screen === null ? widths : fitWidths(columns, widths, screen), isCut: screen !== null }
}

/** Shortens cells first; where that is not enough, leaves out columns. */
function fitWidths(columns: readonly Column[], widths: readonly number[], screen: number): (number | null)[] {
  const last = Math.max(0, ...columns.map(({ leftOut = 0 }) => leftOut))
  for (let out = 0; ; out++) {
    const shown = columns.map(({ leftOut = last + 1 }, index) => (leftOut > out ? (widths[index] ?? null) : null))
    const narrowed = narrow(columns, shown, screen)
    if (totalOf(narrowed) <= screen) return narrowed
    if (out === last) return leaveOutMore(columns, shown, screen)
  }
}

/** In a very narrow terminal: from the right, down to the first two, which name the row. What is left takes the width that becomes free. */
function leaveOutMore(
  columns: readonly Column[],
  widths: readonly (number | null)[],
  screen: number,
): (number | null)[] {
  const narrowed = narrow(columns, widths, screen)
  const shown = widths.flatMap((width, index) => (width === null ? [] : [index]))
  const isTooWide = totalOf(narrowed) > screen && shown.length > 2
  return isTooWide ? leaveOutMore(columns, widths.with(shown.at(-1) ?? 0, null), screen) : narrowed
}

/** Takes from the widest column that may be shortened, until the row fits or none can be narrower. */
function narrow(columns: readonly Column[], widths: readonly (number | null)[], screen: number): (number | null)[] {
  const narrowed = [...widths]
  for (let excess = totalOf(narrowed) - screen; excess > 0; excess--) {
    let widest: number | null = null
    for (const [index, { cut, name }] of columns.entries()) {
      const width = narrowed[index] ?? 0
      const isWider = widest === null || width > (narrowed[widest] ?? 0)
      if (cut !== undefined && width > Math.max(name.length, LEAST_WIDTH) && isWider) widest = index
    }
    if (widest === null) break
    narrowed[widest] = (narrowed[widest] ?? 0) - 1
  }
  return narrowed
}

function totalOf(widths: readonly (number | null)[]): number {
  const shown = widths.filter((width) => width !== null)
  return shown.reduce((sum, width) => sum + width + GAP, -GAP)
}

/** Empty where every column is shown. */
export function leftOutText(layout: Layout): string {
  const names = namesLeftOut(layout)
  return names.length === 0
    ? ''
    : `${translated(say`(too narrow for: ${{ names: names.join(', ') }}; --json shows all)`)}\n`
}

/** Names of the columns that are left out. */
export function namesLeftOut({ columns, widths }: Layout): string[] {
  return columns.filter((_, index) => widths[index] === null).map(({ name }) => name)
}

export function headOf(layout: Layout): string {
  return joined(
    layout,
    layout.columns.map(({ name }) => name),
    () => 'bold',
  )
}

/** A wider cell widens its column for the rows after it, unless it is shortened. */
export function lineOf(layout: Layout, row: Row): string {
  const texts = layout.columns.map((column, index) => {
    const text = textOf(column, row[index] ?? null)
    const width = layout.widths[index] ?? 0
    return layout.isCut && column.cut !== undefined ? shortened(text, width, column.cut) : text
  })
  for (const [index, width] of layout.widths.entries())
    if (width !== null) layout.widths[index] = Math.max(width, texts[index]?.length ?? 0)
  return joined(layout, texts, styleOfCell)
}

function styleOfCell({ name }: Column, text: string): Style | null {
  return STATE_COLUMNS.includes(name) ? (STATE_STYLES[text] ?? null) : null
}

type StyleOf = (column: Column, text: string) => Style | null

function joined({ columns, widths }: Layout, texts: readonly string[], styleOf: StyleOf): string {
  const cells = columns.flatMap((column, index) => {
    const width = widths[index] ?? null
    const text = texts[index] ?? ''
    // The escapes of a style have no width.
    return width === null ? [] : [styled(styleOf(column, text), text) + ' '.repeat(Math.max(0, width - text.length))]
  })
  return `${cells.join(' '.repeat(GAP)).trimEnd()}\n`
}

function textOf({ isTime = false }: Column, cell: Cell): string {
  if (cell === null) return '-'
  return printable(isTime ? localText(Date.parse(String(cell))) : String(cell))
}

function shortened(text: string, width: number, cut: 'left' | 'right'): string {
  if (text.length <= width) return text
  return cut === 'left' ? `…${text.slice(text.length - width + 1)}` : `${text.slice(0, width - 1)}…`
}

/** Columns of the terminal, as COLUMNS or the terminal itself says; null: the output is not a terminal, or does not say. */
export function screenWidth(
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> = process.stdout,
  { COLUMNS }: Readonly<Record<string, string | undefined>> = process.env,
): number | null {
  if (!isTTY) return null
  return (/^[1-9][0-9]{0,4}$/.test(COLUMNS ?? '') ? Number(COLUMNS) : columns) || null
}
