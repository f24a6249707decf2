import type { ConsumerKey } from '../consumer.ts'
import type { PublishedEvent } from '../event-bus.ts'

/** What nodes keep in memory of the database, beside events and deliveries. */
export const CHANGE_SORTS = ['destinations', 'clients', 'replays', 'tokens', 'sessions', 'leases'] as const

export type ChangeSort = (typeof CHANGE_SORTS)[number]

/** `all`: any of them may be meant. */
export type SomeOf<T> = readonly T[] | 'all'

/** What a commit changed that other nodes on the same database must know. */
export interface Changes {
  /** Destinations with deliveries that are due. */
  readonly destinationIds: SomeOf<number>
  /** Deliveries that are not to be sent any more. */
  readonly droppedIds: SomeOf<number>
  /** Consumers whose batch has ended. */
  readonly consumers: SomeOf<ConsumerKey>
  readonly sorts: readonly ChangeSort[]
}

export interface ForeignChanges extends Changes {
  /** In the order of their positions. */
  readonly events: readonly PublishedEvent[]
}

/** Commits of other nodes are not heard, but found by looking. */
export interface Unheard {
  readonly since: number
  readonly reason: string
}

/** Hears what other nodes commit. */
export interface ForeignListener {
  onChanges(changes: ForeignChanges): void
  /** Why nothing is heard at the moment: `onChanges` is called at intervals then. null: commits are heard again, and those of the meantime were. */
  onTrouble(reason: string | null): void
}
