import type { Redacted, RedactionStep } from '../../../domain/retention.ts'
import type { SearchBounds, SearchTask } from '../../../domain/search/search-work.ts'
import type { StoreReader } from '../../../domain/store-reader.ts'
import type { KeptBacklog, StoreSnapshot } from '../../../domain/store-snapshot.ts'
import type { StoreCall, WriteCall, Writes } from '../../storing/store-calls.ts'
import type { SearchChange, SearchRemoval } from '../search/search-change.ts'

/** What the reader thread computes of the search index, between its other reads. */
export interface SearchReads {
  /** Computes the next change of the index; null: nothing is to be done of this task. */
  prepareSearchChange(task: SearchTask, bounds: SearchBounds): Promise<SearchChange | null>
  /**
   * Computes a change that cuts runs of the index around the events of these callbacks into small ones, so that removing some of these events is quick;
   * null: they are small enough.
   */
  prepareSearchSplit(callbackIds: readonly number[]): Promise<SearchChange | null>
  /** Computes the pages of the index without the terms of these events, for `redact`. */
  prepareSearchRemoval(positions: readonly number[]): Promise<SearchRemoval>
}

/** What the reader thread performs. */
export interface SqliteReader extends StoreReader, SearchReads {
  /** @param kept sums of all destinations that have waiting deliveries; a store with a writer has its own */
  takeSnapshot(kept?: readonly KeptBacklog[]): Promise<StoreSnapshot>
  reusableBytes(): Promise<number>
}

/** What the writer thread performs. */
export interface SqliteWrites extends Omit<Writes, 'redact'> {
  redact(step: RedactionStep, now: number, prepared?: SearchRemoval): Promise<Redacted>
  /** Performs a change. False: the index or the events have changed since it was computed, so it must be computed again. */
  applySearchChange(change: SearchChange): Promise<boolean>
  checkpointWal(): Promise<boolean>
}

export type SqliteCall = StoreCall<SqliteWrites>
export type SqliteWriteCall = WriteCall<SqliteWrites>
