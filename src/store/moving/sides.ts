import type { AuditVerification } from '../verification/audit-verification.ts'
import type { VerifyStep } from '../verification/verification.ts'
import type { MovedKey, MovedNumbers, MovedRow, MovedTable } from './tables.ts'

/** A database that a move reads. */
export interface Readable {
  /** For people. */
  readonly name: string
  count(table: MovedTable): Promise<number>
  /** In the order of the key, some rows at a time. @param after of a row; null: from the first one */
  rows(table: MovedTable, after: MovedKey | null): AsyncIterable<readonly MovedRow[]>
  close(): Promise<void>
}

/** It stays as it is until `close`. */
export interface Source extends Readable {
  meta(): Promise<Readonly<Record<string, string>>>
  numbers(): Promise<MovedNumbers>
}

/** How far a move has come. A target that has it is no complete database. */
export interface Progress {
  /** Of the source: `stateOf`. */
  readonly source: string
  /** Index of the table that is being copied. */
  readonly table: number
  /** The key of the last row that was copied; null: none of this table. */
  readonly after: MovedKey | null
}

/** Each call is one transaction. */
export interface Target extends Readable {
  /** null: it is empty. @throws PortariaError `conflict` when it holds something else */
  progress(): Promise<Progress | null>
  begin(progress: Progress): Promise<void>
  write(table: MovedTable, rows: readonly MovedRow[], progress: Progress): Promise<void>
  /** Once all rows are there; may be repeated. */
  finish(meta: Readonly<Record<string, string>>, numbers: MovedNumbers): Promise<void>
  verifyChain(show: (step: VerifyStep) => void): Promise<AuditVerification>
  /** From now on it is a complete database. */
  complete(): Promise<void>
}
