import {
  type DestinationBacklog,
  type KeptBacklog,
  QUARANTINE,
  type StoreSnapshot,
} from '../../../domain/store-snapshot.ts'
import { listConsumerLags } from '../../sql/consumers.ts'
import { ask } from '../database/ask.ts'
import type { Connection } from '../database/connection.ts'
import { pendingDeliveries } from '../rows/delivery-rows.ts'

/** Beyond so many deliveries that wait, the oldest one is searched by its id, in at most so many rows a snapshot. */
const COUNTED = 1000
const SEARCHED = 20_000

/**
 * One committed state. Without kept sums, counts walk indexes only: a million waiting deliveries cost 0.1 s. With them it takes a time that depends on the
 * numbers of destinations, consumers and claims alone: sums are those of the commit that the main thread knows, claims and lags may be of a later one.
 */
export function takeSnapshot(db: Connection, kept?: readonly KeptBacklog[]): StoreSnapshot {
  const read = kept === undefined ? () => countSnapshot(db) : () => keptSnapshot(db, kept)
  return db.transaction(read)()
}

function countSnapshot(db: Connection): StoreSnapshot {
  const { waitingOf, behindOf, heldOf, sinceOf } = prepareCounts(db)
  const backlogs = presentDestinations(db).map(({ id, destination, owner }): DestinationBacklog => {
    const [now, replays, behind] = [waitingOf(id, 0), waitingOf(id, 1), behindOf(id)]
    return {
      destination,
      owner,
      waiting: now.count + replays.count,
      blocked: behind.count,
      heldSubjects: heldOf(id),
      oldestSince: sinceOf(Math.min(now.oldest, behind.oldest)),
    }
  })
  const quarantined = db.prepare(`select count(*) from quarantine where state = 'quarantined'`).pluck().get() as number
  return { backlogs, lags: ask(db, listConsumerLags), quarantined }
}

function keptSnapshot(db: Connection, all: readonly KeptBacklog[]): StoreSnapshot {
  const kept = new Map(all.map((one) => [one.destinationId, one]))
  const { waitingOf, behindOf, sinceOf } = prepareCounts(db)
  const claims = prepareClaims(db)
  const search = prepareSearch(db)
  const searchedTo: { destinationId: number; id: number }[] = []

  function oldestWaiting({ destinationId, waiting, blocked, held, from }: KeptBacklog): number {
    if (waiting + blocked + held <= COUNTED)
      return Math.min(waitingOf(destinationId, 0).oldest, behindOf(destinationId).oldest)
    const { oldest, next } = search(destinationId, from)
    searchedTo.push({ destinationId, id: next })
    return oldest
  }

  const backlogs = presentDestinations(db).map(({ id, destination, owner }): DestinationBacklog => {
    const sums = kept.get(id) ?? { destinationId: id, waiting: 0, blocked: 0, held: 0, from: Number.POSITIVE_INFINITY }
    const claimed = claims(id)
    return {
      destination,
      owner,
      waiting: sums.waiting + claimed.count,
      blocked: sums.blocked,
      heldSubjects: sums.held,
      oldestSince: sinceOf(Math.min(claimed.oldest, oldestWaiting(sums))),
    }
  })
  return { backlogs, lags: ask(db, listConsumerLags), quarantined: kept.get(QUARANTINE)?.waiting ?? 0, searchedTo }
}

interface Counted {
  readonly count: number
  /** The lowest id; Infinity: none. */
  readonly oldest: number
}

function counted(row: { count: number | null; oldest: number | null } | undefined): Counted {
  return { count: row?.count ?? 0, oldest: row?.oldest ?? Number.POSITIVE_INFINITY }
}

type CountRow = Parameters<typeof counted>[0] & {}

/** Each takes a time proportional to what it counts. */
function prepareCounts(db: Connection) {
  const waiting = db.prepare<{ id: number; isReplay: 0 | 1 }, CountRow>(`
    select sum(count) as count, min(oldest) as oldest
    from ${pendingDeliveries('count(*) as count, min(id) as oldest', 'and destination_id = :id and (replay_id is not null) = :isReplay')}`)
  // Each order key has one head and all others are blocked, so their states need not be read.
  const behind = db.prepare<[number], CountRow>(`
    select coalesce(sum(members - 1), 0) as count, min(oldest) as oldest from (
      select count(*) as members, min(id) as oldest from deliveries indexed by deliveries_order
      where destination_id = ? and order_key is not null group by order_key having count(*) > 1)`)
  const held = db
    .prepare<[number], number>(
      `select count(*) from deliveries indexed by deliveries_holding where destination_id = ? and state = 'exhausted' and order_key is not null`,
    )
    .pluck()
  const since = db
    .prepare<[number], number>('select max(created_at, coalesce(replayed_at, 0)) from deliveries where id = ?')
    .pluck()
  return {
    waitingOf: (id: number, isReplay: 0 | 1) => counted(waiting.get({ id, isReplay })),
    behindOf: (id: number) => counted(behind.get(id)),
    heldOf: (id: number) => held.get(id) ?? 0,
    sinceOf: (id: number) => (Number.isFinite(id) ? (since.get(id) ?? null) : null),
  }
}

/** A destination has as many claims as its worker has slots for. */
function prepareClaims(db: Connection): (destinationId: number) => Counted {
  const claims = db.prepare<[number], CountRow>(`
    select count(*) as count, min(case when replay_id is null then id end) as oldest
    from deliveries indexed by deliveries_claimed where destination_id = ? and claimed_by is not null and state = 'pending'`)
  return (destinationId) => counted(claims.get(destinationId))
}

interface Search {
  /** A delivery that waits, or one that is at least as old as the oldest that does. */
  readonly oldest: number
  /** No delivery with a lower id waits. */
  readonly next: number
}

/** The oldest delivery that waits, from an id on, in `SEARCHED` rows. */
function prepareSearch(db: Connection): (destinationId: number, from: number) => Search {
  const search = db
    .prepare<object, number>(`
      select id from deliveries d where id between :from and :to and destination_id = :destinationId
        and (state = 'pending' and replay_id is null or order_key is not null and exists (
          select 1 from deliveries o indexed by deliveries_order where o.destination_id = d.destination_id and o.order_key = d.order_key and o.id <> d.id))
      order by id limit 1`)
    .pluck()
  const last = db.prepare<object, number | null>('select max(id) from deliveries where id <= :to').pluck()
  return function searchOldest(destinationId, from) {
    if (!Number.isFinite(from)) return { oldest: from, next: from }
    const to = from + SEARCHED - 1
    const found = search.get({ destinationId, from, to })
    if (found !== undefined) return { oldest: found, next: found }
    return { oldest: last.get({ to }) ?? Number.POSITIVE_INFINITY, next: to + 1 }
  }
}

function presentDestinations(db: Connection) {
  return db
    .prepare<[], { id: number; destination: string; owner: string | null }>(
      `select id, name as destination, owner from destinations where state in ('active', 'paused') order by id`,
    )
    .all()
}
