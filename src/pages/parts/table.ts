import { type Html, type HtmlValue, html } from './html.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => HtmlValue
  /** Right-aligned. */
  readonly isNumber?: boolean
}

/**
 * The first column names the row. Wider tables scroll in their own box.
 * @param caption read out by screen readers
 * @param isStacked on a narrow screen each row is a block, with the titles before its values
 */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { isStacked = false } = {},
): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table${isStacked && html` class="stack"`}>
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map(({ title, isNumber }) => html`<th scope="col"${isNumber && html` class="number"`}>${title}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${rowOf(columns, row, isStacked)}</tr>\n`)}</tbody>
</table></div>`
}

function rowOf<Row>([first, ...others]: readonly Column<Row>[], row: Row, isStacked: boolean): HtmlValue {
  const kind = ({ isNumber }: Column<Row>) => isNumber && html` class="number"`
  return [
    first && html`<th scope="row"${kind(first)}>${first.cell(row)}</th>`,
    others.map((column) => {
      const title = isStacked && html` data-title="${column.title}"`
      return html`<td${kind(column)}${title}>${column.cell(row)}</td>`
    }),
  ]
}
