/** A line of a CSV file. */
export interface CsvRow {
  readonly cells: readonly string[]
  readonly isEmpty: boolean
}

/** The lines of a CSV (RFC 4180; also with `;` or tabs, and with a byte order mark), the first one's separator holds for all. */
export function csvRows(text: string): readonly CsvRow[] {
  const rows = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const separator = separatorOf(rows[0] ?? '')
  return rows.map((row) => ({ cells: cellsOf(row, separator), isEmpty: row.trim() === '' }))
}

function separatorOf(line: string): string {
  return ['\t', ';', ','].find((one) => line.includes(one)) ?? ','
}

/** A separator within quotes is text. A cell with a line break is none that holds an id. */
function cellsOf(row: string, separator: string): string[] {
  const cells = ['']
  let isQuoted = false
  for (const character of row) {
    if (character === '"') isQuoted = !isQuoted
    if (character === separator && !isQuoted) cells.push('')
    else cells[cells.length - 1] += character
  }
  return cells.map(unquoted)
}

function unquoted(cell: string): string {
  const trimmed = cell.trim()
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"').trim() : trimmed
}
