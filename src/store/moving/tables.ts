import { TABLES as COMMON, type Column, type Table } from '../sql/tables.ts'

/*
 * What a move copies: every table with its columns. Not copied is what a database makes of them for itself: summaries, indexes, terms of the search, claims,
 * nodes and leases; and sessions of the pages.
 */

export interface MovedTable extends Table {
  readonly name: string
}

/** The values of a row in the order of the columns; a boolean is 0 or 1. */
export type MovedRow = readonly (string | number | Uint8Array | null)[]

/** The values of the key of a row. */
export type MovedKey = readonly (string | number)[]

export const TABLES: readonly MovedTable[] = Object.entries(COMMON).map(([name, table]) => ({ name, ...table }))

/** Rows of `meta` that are about the data. The others are about the database. */
export const MOVED_META = [
  'token_key',
  'event_anchor',
  'action_anchor',
  'skipped_positions',
  'clock_heartbeat',
  'clock_distrusted_since',
  'subjects_through',
]

/** The last numbers that were given, none of which is given again, and the hash of the last event in hexadecimal. */
export interface MovedNumbers {
  readonly position: number
  readonly hash: string
  readonly peer: number
  readonly callback: number
  readonly delivery: number
  readonly token: number
  /** Of the tables that have a sequence. */
  readonly sequences: Readonly<Record<Sequenced, number>>
}

export const SEQUENCED = ['quarantine', 'actions', 'destinations', 'replays', 'refusals', 'consumers'] as const
export type Sequenced = (typeof SEQUENCED)[number]

/**
 * A claim names its owner in a way of each database: behind a move it is of no owner, and the attempt counts as interrupted when the destination's worker
 * starts.
 */
export function expressionOf({ name }: Column): string {
  return name === 'claimed_by' ? 'claimed_by * 0 as claimed_by' : name
}

export function keyOf({ columns, key }: MovedTable, row: MovedRow): MovedKey {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] as string | number)
}
