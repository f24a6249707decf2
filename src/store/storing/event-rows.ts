import type { Fact, NewCallback, Peer } from '../../domain/event.ts'
import type { HashedCallback, HashedEvent } from '../../domain/event-hash.ts'
import type { Realm } from '../../domain/realm.ts'

/** A received callback, or the gateway's own one, which has no caller. */
export type CallbackValues = Omit<NewCallback, CallerField> & Pick<HashedCallback, CallerField>
type CallerField = 'listener' | 'authentication' | 'remoteAddress' | 'target'

/** The hashes of the events, in the order of their positions. Inside the transaction. */
export interface EventChain {
  /** The position of the next event. */
  nextPosition(): number
  /** Of the event that is stored at the next position. Returns its hash. */
  append(event: HashedEvent, callback: HashedCallback): Buffer
  /** After a rollback: forgets what was appended. */
  rolledBack(): void
}

/** Finds the event of an equal fact inside the deduplication window. */
export interface Deduplication {
  /** Position of the event of an equal fact; null: none, or the hash is null, which equals nothing. */
  find(hash: Uint8Array | null): number | null
  /** Inside the transaction. Positions rise. */
  add(hash: Uint8Array | null, position: number, receivedAt: number): void
  /** After the commit. */
  committed(): void
  /** After a rollback: undoes the additions. */
  rolledBack(): void
}

export interface NewEventRow {
  readonly position: number
  readonly nonce: string
  readonly callbackId: number
  readonly environment: Realm
  readonly receivedAt: number
  readonly fact: Fact
  /** The only event of its callback, now and later. */
  readonly isSingle: boolean
  readonly hashes: { readonly payload: Uint8Array; readonly event: Uint8Array }
  /** The first and the last id. */
  readonly deliveries: { readonly first: number | null; readonly last: number | null }
}

/** The rows of callbacks, events and their deliveries. Inside the transaction. Values of deliveries are arguments, because an object costs more. */
export interface EventRows {
  peerId(peer: Peer, environment: Realm, seenAt: number): number
  /** @param eventId the position of its one event; null: it has none yet, or has several, or may get more. @returns its number */
  insertCallback(callback: CallbackValues, peerId: number | null, eventId: number | null): number
  getCallback(callbackId: number): { readonly callback: HashedCallback; readonly body: Uint8Array }
  insertEvent(row: NewEventRow): void
  /** A delivery that can be claimed at `dueAt`. @returns its number */
  insertDue(position: number, destinationId: number, at: number, dueAt: number, orderKey: number | null): number
  insertBlocked(position: number, destinationId: number, at: number, orderKey: number): number
  /** A delivery that is claimed already, for its first attempt. */
  insertHanded(position: number, destinationId: number, at: number, leaseUntil: number, orderKey: number | null): number
  /** Counts the same fact again. */
  countDuplicate(position: number, seenAt: number): void
  countDuplicates(position: number, times: number, lastSeenAt: number): void
  /** A redaction must find the bytes of a fact that a stored callback repeats. */
  insertRepeat(repeat: Repeat): void
  committed(): void
  rolledBack(): void
}

export interface Repeat {
  readonly callbackId: number
  readonly itemStart: number
  readonly itemEnd: number
  readonly environment: Realm
  readonly subject: string
}
