import type { Steps } from '../../sql/asked.ts'
import { COMMON_READS, type CommonReadMethod, performing } from '../../sql/methods.ts'
import { listEventTraits, positionAt } from '../blocks/event-blocks.ts'
import { askInOneState } from '../database/ask.ts'
import type { Connection } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'
import { countEventDeliveries } from '../deliveries/delivery-counts.ts'
import { countBacklog, listAttempts, listDeliveries } from '../deliveries/delivery-queries.ts'
import { findReplayable } from '../deliveries/replay-queries.ts'
import { getProof } from '../events/event-proof.ts'
import { getEvent, listEvents } from '../events/event-queries.ts'
import { lastReceivedAt } from '../events/inactivity.ts'
import { listSubjectEvents } from '../events/subject-events.ts'
import { takeSnapshot } from '../maintenance/store-snapshot.ts'
import { reusableBytes } from '../retention/reclaim.ts'
import { findRemovable, findSubject, listStoredKinds } from '../retention/removal-queries.ts'
import { buildAgain, buildNew } from '../search/build-run.ts'
import type { InParts } from '../search/in-parts.ts'
import { mergeNext, prepareSearchSplit } from '../search/merge-runs.ts'
import { searchEvents } from '../search/search-events.ts'
import { prepareSearchRemoval } from '../search/search-removal.ts'
import { readIndexState, readSearchState } from '../search/search-state.ts'
import type { SearchReads, SqliteReader } from './sqlite-calls.ts'

export type ReadMethod = Exclude<keyof SqliteReader, 'close'>

/** A call of a reading Store method, in the form that is sent to the reader thread. */
export type ReadCall = {
  [M in ReadMethod]: { readonly method: M; readonly args: Parameters<SqliteReader[M]> }
}[ReadMethod]

type OwnReads = {
  readonly [M in Exclude<ReadMethod, CommonReadMethod | keyof SearchReads>]: (
    db: Connection,
    ...args: Parameters<SqliteReader[M]>
  ) => Awaited<ReturnType<SqliteReader[M]>>
}

/** The reading Store methods that have statements of their own here. The compiler refuses a missing one. */
const OWN: OwnReads = {
  listEvents: (db, { search, ...filter }, limit) =>
    search === undefined
      ? listEvents(db, filter, limit)
      : searchEvents(db, { ...filter, search, newestFirst: true }, limit),
  listSubjectEvents,
  getEvent,
  getProof,
  listEventTraits,
  latestPosition: lastGiven,
  listDeliveries,
  countEventDeliveries,
  listAttempts,
  countBacklog,
  takeSnapshot,
  reusableBytes,
  lastReceivedAt,
  positionAt,
  findReplayable,
  listStoredKinds,
  findRemovable,
  findSubject,
  listNodes: () => [],
  readSearchState,
  readSearchSettings: (db) => readIndexState(db).settings,
}

type Indexing = {
  readonly [M in keyof SearchReads]: (
    db: Connection,
    ...args: Parameters<SearchReads[M]>
  ) => InParts<Awaited<ReturnType<SearchReads[M]>>>
}

/** What computes parts of the search index, while other reads are answered. */
const INDEXING: Indexing = {
  prepareSearchChange: (db, task, bounds) => SEARCH_WORK[task](db, bounds),
  prepareSearchSplit,
  prepareSearchRemoval,
}

type Read = (db: Connection, ...args: never) => unknown

/** The other reading Store methods: each is a query on the reader thread's connection. */
const READS: Readonly<Record<Exclude<ReadMethod, keyof SearchReads>, Read>> = {
  ...performing(
    COMMON_READS,
    (steps: Steps<never, unknown>): Read =>
      (db, ...args) =>
        askInOneState(db, steps, ...args),
  ),
  ...OWN,
}

const SEARCH_WORK = { index: buildNew, rebuild: buildAgain, merge: mergeNext }

export const READ_METHODS = [...Object.keys(READS), ...Object.keys(INDEXING)] as readonly ReadMethod[]

type IndexingCall = Extract<ReadCall, { method: keyof SearchReads }>

export function isIndexing(call: ReadCall): call is IndexingCall {
  return Object.hasOwn(INDEXING, call.method)
}

export function performRead(db: Connection, { method, args }: Exclude<ReadCall, IndexingCall>): unknown {
  return READS[method](db, ...(args as never))
}

/** Nothing is computed yet. */
export function beginIndexing(db: Connection, { method, args }: IndexingCall): InParts<unknown> {
  const begin: (db: Connection, ...args: never) => InParts<unknown> = INDEXING[method]
  return begin(db, ...(args as never))
}
