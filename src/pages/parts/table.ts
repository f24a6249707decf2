import { type Html, type HtmlValue, html } from './html.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => HtmlValue
  /** Right-aligned. */
  readonly isNumber?: boolean
  /** It names the row, in place of the first column. */
  readonly isName?: boolean
  /** On a card it shares a line with others of this kind, without its title: it says by itself what it is. */
  readonly isBare?: boolean
  /** A checkbox: its title is only read out, and a card begins with it. */
  readonly isChoice?: boolean
}

/**
 * The first column names the row. Where there is little room each row becomes a card: its name, then titles and values. A table that is wider than a
 * wide page scrolls in its own box.
 * @param caption read out by screen readers
 */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${column.isNumber && html` class="number"`}>${headOf(column)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${rowOf(columns, row)}</tr>\n`)}</tbody>
</table></div>`
}

function headOf<Row>({ title, isChoice }: Column<Row>): HtmlValue {
  return isChoice ? html`<span class="visually-hidden">${title}</span>` : title
}

/** A number needs its title on a card, too; another name says by itself what it is. */
function rowOf<Row>(columns: readonly Column<Row>[], row: Row): HtmlValue {
  const titled = ({ title }: Column<Row>) => html` data-title="${title}"`
  const name = columns.find(({ isName }) => isName) ?? columns[0]
  return columns.map((column) =>
    column === name
      ? html`<th scope="row"${classOf(column)}${column.isNumber && titled(column)}>${column.cell(row)}</th>`
      : html`<td${classOf(column)}${titled(column)}>${column.cell(row)}</td>`,
  )
}

function classOf<Row>({ isNumber, isBare, isChoice }: Column<Row>): Html | null {
  const names = [isNumber && 'number', (isBare || isChoice) && 'bare', isChoice && 'choice'].filter(Boolean)
  return names.length === 0 ? null : html` class="${names.join(' ')}"`
}
