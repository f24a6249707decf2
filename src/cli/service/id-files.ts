import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { wrongUsage } from '../output.ts'
import { csvRows } from './csv-rows.ts'

/** The digits of a charge or subscription. */
const ID = /^[0-9]{1,19}$/
const MISTAKES_SHOWN = 5

/**
 * The ids of a CSV (RFC 4180; also with `;` or tabs): the column with the given name, else the first one. Each id once, in the order of the file.
 * @throws PortariaError `request_invalid` with the lines that are wrong
 */
export function idsOf(text: string, column: string, file: string): readonly string[] {
  const rows = csvRows(text)
  const cells = rows.map((row) => row.cells)
  const named = (cells[0] ?? []).findIndex((cell) => cell.toLowerCase() === column)
  const at = Math.max(0, named)
  const first = cells[0]?.[at] ?? ''
  // A name that is not the expected one is a header too, unless it could be an id with a mistake.
  const hasHeader = named >= 0 || /^[^\d]+$/.test(first)
  const ids = cells.map((row) => row[at] ?? '').map((id, index) => ({ id, line: index + 1 }))
  const given = ids.slice(hasHeader ? 1 : 0).filter(({ id, line }) => id !== '' || rows[line - 1]?.isEmpty === false)
  const wrong = given.filter(({ id }) => !ID.test(id))
  if (wrong.length > 0) throw wrongLines(wrong, file)
  if (given.length === 0) throw wrongUsage(say`${{ file }} has no id: write one per line`)
  return [...new Set(given.map(({ id }) => id))]
}

/** @throws PortariaError `request_invalid` */
export function checkId(id: string): string {
  if (ID.test(id)) return id
  throw wrongUsage(say`${{ id }} is not an id: give the digits that the service uses`)
}

function wrongLines(wrong: readonly { id: string; line: number }[], file: string): PortariaError {
  const shown = wrong.slice(0, MISTAKES_SHOWN).map(({ id, line }) => `line ${line}: "${id}" is not an id`)
  const more = wrong.length > shown.length ? [`and ${wrong.length - shown.length} more`] : []
  return new PortariaError('request_invalid', say`${{ file }} has lines without a numeric id; nothing was changed`, {
    details: [...shown, ...more],
  })
}
