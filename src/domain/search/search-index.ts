/** How far the search index is behind the events. */
export interface SearchState {
  /** Events up to this position are in the index; 0: none. */
  readonly indexedThrough: number
  /** Position of the newest event; 0: none. */
  readonly latest: number
  /** Events after `indexedThrough`. */
  readonly lagEvents: number
  /** Age of the oldest event after `indexedThrough`; 0: there is none. */
  readonly lagSeconds: number
  /** The index is being made again from the first event on. */
  readonly isRebuilding: boolean
  /** How far that is: a position up to `indexedThrough`; null: the index is not being made again. */
  readonly rebuiltThrough: number | null
  /** Bytes of the index in the database. */
  readonly indexBytes: number
}

/** The same, as the job that fills the index knows it. */
export interface SearchIndexState extends SearchState {
  /** Why nothing can be added now, to be tried again; null: nothing is in the way. */
  readonly problem: string | null
}

/** The search index of this process: a job fills it, and endpoints ask how far it is. */
export interface SearchIndex {
  state(): Promise<SearchIndexState>
  /**
   * Makes the index again from all events, in the background. Searches use what is there meanwhile. After a restart the work continues where it was.
   * One that is under way begins again.
   */
  rebuild(): Promise<void>
}
