import type { StoreReader } from '../../../domain/store-reader.ts'
import type { Steps } from '../../sql/asked.ts'
import { COMMON_READS, type CommonReadMethod, performing } from '../../sql/methods.ts'
import { ask } from '../database/ask.ts'
import type { Sql } from '../database/sql.ts'
import { countBacklog, countEventDeliveries, listAttempts, listDeliveries } from '../deliveries/delivery-queries.ts'
import { findReplayable } from '../deliveries/replay-queries.ts'
import { getEvent, getProof, latestPosition, listEvents, listEventTraits, positionAt } from '../events/event-queries.ts'
import { lastReceivedAt } from '../events/inactivity.ts'
import { listSubjectEvents } from '../events/subject-events.ts'
import { listNodes } from '../leases.ts'
import { findSubject } from '../redaction.ts'
import { findRemovable, listStoredKinds } from '../retention.ts'
import { searchEvents } from '../search/search-events.ts'
import { readSearchSettings, readSearchState } from '../search/search-index.ts'
import { takeSnapshot } from '../snapshot.ts'

export type PostgresReads = Omit<StoreReader, 'close' | 'reusableBytes'>

type OwnReads = {
  readonly [M in Exclude<keyof PostgresReads, CommonReadMethod>]: (
    sql: Sql,
    ...args: Parameters<PostgresReads[M]>
  ) => ReturnType<PostgresReads[M]>
}

/** The reading Store methods that have statements of their own here. The compiler refuses a missing one. */
const OWN: OwnReads = {
  listEvents: (sql, { search, ...filter }, limit) =>
    search === undefined ? listEvents(sql, filter, limit) : searchEvents(sql, { ...filter, search }, limit),
  listSubjectEvents,
  getEvent,
  getProof,
  listEventTraits,
  latestPosition,
  positionAt,
  lastReceivedAt,
  listDeliveries,
  listAttempts,
  countBacklog,
  countEventDeliveries,
  findReplayable,
  takeSnapshot,
  listStoredKinds,
  findRemovable,
  findSubject,
  listNodes,
  readSearchState,
  readSearchSettings,
}

type Read = (sql: Sql, ...args: never) => Promise<unknown>

export const READS: Readonly<Record<keyof PostgresReads, Read>> = {
  ...performing(
    COMMON_READS,
    (steps: Steps<never, unknown>): Read =>
      (sql, ...args) =>
        ask(sql, steps, ...args),
  ),
  ...OWN,
}
