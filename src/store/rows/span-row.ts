import type { FactSpan } from '../../domain/event.ts'

export interface SpanRow {
  array_start: number | null
  array_end: number | null
  item_start: number | null
  item_end: number | null
}

export function spanOfRow(row: SpanRow): FactSpan | null {
  if (row.array_start === null || row.array_end === null || row.item_start === null || row.item_end === null)
    return null
  return { arrayStart: row.array_start, arrayEnd: row.array_end, itemStart: row.item_start, itemEnd: row.item_end }
}
