import type { ForeignListener } from './foreign-changes.ts'

/** A gateway process, one of several on one database. */
export interface NodeIdentity {
  readonly name: string
  readonly version: string
  /** What should be the same on every node, by what it is of: a fingerprint each. */
  readonly facts: Readonly<Record<string, string>>
  /** Names of the destinations of its configuration file. */
  readonly configured: readonly string[]
}

/** In place of a destination: the lease of what only one node does for all, such as retention and replays. */
export const JOBS = 0

export interface Lease {
  /** Of a destination, or `JOBS`. */
  readonly destinationId: number
  /** Rises with each change of holders. It marks the claims that the holder makes. */
  readonly fence: number
}

/** The answer to a sign of life. */
export interface SignedOn {
  /** The leases of this node, renewed and new ones. */
  readonly held: readonly Lease[]
  /** How many of them are more than its share. */
  readonly surplus: number
  /** How many nodes live, this one included. */
  readonly living: number
  /** By the clock of the database, while it answered. */
  readonly time: number
  /** Another node that lives has the same name. */
  readonly isNameShared: boolean
}

export interface NodeRecord extends NodeIdentity {
  readonly id: number
  readonly startedAt: number
  /** Its last sign of life, by the clock of the database. */
  readonly seenAt: number
  /** Its last sign of life is recent enough for its leases. */
  readonly isLiving: boolean
  /** Destinations whose leases it holds, and `JOBS`. */
  readonly leases: readonly number[]
}

/** What a store has that several nodes may use at once. Times are those of the database's clock. */
export interface NodeWrites {
  /**
   * Records that this node lives, renews its leases, and takes free or ended ones up to its share. Taking the lease of a destination voids all claims of
   * its deliveries: their attempts are recorded as interrupted.
   * @param mayTakeOver false: it takes free leases only, because the others could not renew theirs either, or had no time to since the database is back
   */
  signOn(identity: NodeIdentity, now: number, mayTakeOver: boolean): Promise<SignedOn>
  /** Gives up leases, once nothing of them is under way any more. */
  freeLeases(destinationIds: readonly number[]): Promise<void>
  /** Gives up all of them, and the place among the nodes. */
  signOff(): Promise<void>
}

export interface NodeStore extends NodeWrites {
  /** Tells what other nodes commit; first, that anything may have changed since this store was opened. Returns what ends it. */
  watch(listener: ForeignListener): () => Promise<void>
}
