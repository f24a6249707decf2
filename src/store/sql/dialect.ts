import type { Column } from './tables.ts'

/** What differs between the databases in the text of a statement. The rest of the text must be SQL of both. */
export interface Dialect {
  /** A time in ms since 1970, a parameter for example, as a column of a time takes it. */
  time(ms: string): string
  /** Behind a select whose rows the transaction changes. */
  readonly forUpdate: string
  /** Behind a text that is ordered by its bytes. */
  readonly byBytes: string
  /** A parameter that is a list of numbers, as a table `value`, `place`. */
  numbers(parameter: string): string
  /** The same of texts. */
  texts(parameter: string): string
  /** A parameter that is a list of rows with the names of the program, as a table of these columns. */
  rows(parameter: string, columns: readonly Column[]): string
  /** Behind a table: SQLite reads it by this index alone. PostgreSQL chooses one. */
  using(index: string): string
  /** A boolean column is false. As the condition of a partial index has it. */
  isFalse(column: string): string
  /** The time so many ms before. */
  before(column: string, ms: string): string
  /** The column with the number of a callback. */
  readonly callbackId: string
  /** The UTC day of a time, such as `2026-03-04`. */
  day(column: string): string
  /** Ms from one time to the other. */
  msBetween(from: string, to: string): string
  /** SQLite reads the table on the left first. */
  readonly joinInOrder: string
  /** What is done behind the insert of a destination with the parameter `id`; null: nothing. */
  readonly behindNewDestination: string | null
  /** What a destination that comes back or leaves is set to, until no delivery of it waits any more. */
  readonly unsettled: string
  readonly isUnsettled: string
  /** The last assigned position, as an expression. */
  readonly lastPosition: string
}
