/** How an action came: from a page, over the API listener, or over the control socket. */
export const ACTION_CHANNELS = ['page', 'api', 'control'] as const
export type ActionChannel = (typeof ACTION_CHANNELS)[number]

/** The longest reason, in UTF-16 code units. */
export const LONGEST_REASON = 200
/** The longest target on record; a longer one is cut. */
export const LONGEST_TARGET = 200

/** The longest text of a detail; a longer one is cut. All scopes of a client are shorter. */
export const LONGEST_DETAIL = 500

/** What was created, for whom and with which rights, in words by their names. */
export type ActionDetails = Readonly<Record<string, string>>

/** Something that a person or an app changed, or saw of masked data. */
export interface NewAction {
  readonly at: number
  /** Id of a client, or `operator`. */
  readonly actor: string
  readonly channel: ActionChannel
  /** Id of the endpoint. */
  readonly action: string
  /** The object as the path names it; null: the path names none. */
  readonly target: string | null
  readonly reason: string | null
  /** null: the action has none. */
  readonly details: ActionDetails | null
  /** The action that this entry says has failed; null: this entry is the action itself, recorded before it was performed. */
  readonly refersTo: number | null
}

export interface ActionRecord extends NewAction {
  readonly id: number
  /** SHA-256 over the entry and the hash of the one before it, in lower-case hexadecimal. */
  readonly hash: string
}

export interface ActionFilter {
  /** Only entries after this number. */
  readonly after?: number
  /** Only entries before this number. */
  readonly before?: number
  readonly newestFirst?: boolean
  readonly actor?: string
  readonly action?: string
  readonly target?: string
  readonly from?: number
  /** Exclusive. */
  readonly to?: number
}

export interface ActionPage {
  readonly actions: readonly ActionRecord[]
  /** Where the next page starts: after this number (newest first: before it). */
  readonly next: number
  readonly more: boolean
}

/** Reads of the log of actions. */
export interface ActionReads {
  listActions(filter: ActionFilter, limit: number): Promise<ActionPage>
  /** Number of the newest entry; 0: none. */
  latestAction(): Promise<number>
}

/** Writes of the log of actions, which is a chain of hashes: `storage verify` reports an entry that was changed, removed or added by hand. */
export interface ActionWrites {
  /** Returns the number of the entry. Numbers rise by one and are never used again. */
  recordAction(action: NewAction): Promise<number>
  /** Removes up to `limit` of the oldest entries, as far as they are older than `before`; returns their number. */
  removeActions(before: number, limit: number): Promise<number>
}
