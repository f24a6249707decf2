import type { StepRange } from '../../rules/search-index.ts'

/** A part of the index as bytes, on its way to the database. */
export interface NewSearchRun {
  /** Positions that it covers, both inclusive. */
  readonly first: number
  readonly last: number
  /** Events in it. */
  readonly events: number
  readonly pages: Uint8Array
}

/** A run as a change has read it. `events` is different when events have been removed from it since. */
export interface SearchRunVersion {
  readonly id: number
  readonly events: number
}

/** A change of the index that was computed beside the writer. It is refused when the data that it was made from has changed since. */
export interface SearchChange {
  /** Runs that are replaced. */
  readonly inputs: readonly SearchRunVersion[]
  readonly runs: readonly NewSearchRun[]
  /** The events that were read for it; null: it was made from runs only. */
  readonly source: SearchSource | null
}

export interface SearchSource extends StepRange {
  /** How many of them had their data. */
  readonly events: number
}

/** Pages without the terms of some events, computed beside the writer. The writer computes them again where a run has changed since. */
export interface SearchRemoval {
  readonly runs: readonly PatchedRun[]
}

export interface PatchedRun extends SearchRunVersion {
  /** Those of the events that it covers. */
  readonly positions: readonly number[]
  /** How many of the events were in it. */
  readonly removed: number
  readonly pages: readonly PatchedPage[]
}

export interface PatchedPage {
  readonly id: number
  /** null: nothing of it is left. */
  readonly data: Uint8Array | null
  /** Its first term is another one now. */
  readonly beginsElsewhere: boolean
}
