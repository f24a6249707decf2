export interface VerifyStep {
  /** Completed steps. */
  readonly done: number
  readonly of: number
  /** The current step. */
  readonly words: string
}

export interface Verification {
  /** Texts; none: the database is sound. */
  readonly problems: readonly string[]
  /** Rows per table; empty if they cannot be read. */
  readonly counts: Readonly<Record<string, number>>
  /** false: an older Portaria wrote it, so only SQLite's own checks were made. */
  readonly isCurrent: boolean
}
