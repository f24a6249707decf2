import type { ConsumerLag, DestinationBacklog, StoreSnapshot } from '../../../domain/store-snapshot.ts'
import { lastGiven } from '../audit/last-position.ts'
import type { Connection } from '../database/connection.ts'
import { pendingDeliveries } from '../deliveries/delivery-rows.ts'

/** One committed state. Counts walk indexes only: a million waiting deliveries cost 0.1 s. */
export function takeSnapshot(db: Connection): StoreSnapshot {
  return db.transaction(() => ({
    backlogs: listBacklogs(db),
    lags: listLags(db),
    quarantined: db.prepare(`select count(*) from quarantine where state = 'quarantined'`).pluck().get() as number,
  }))()
}

function listBacklogs(db: Connection): DestinationBacklog[] {
  const due = db.prepare<{ id: number; isReplay: 0 | 1 }, { waiting: number; oldest: number | null }>(`
    select sum(count) as waiting, min(oldest) as oldest
    from ${pendingDeliveries('count(*) as count, min(id) as oldest', 'and destination_id = :id and (replay_id is not null) = :isReplay')}`)
  // Each order key has one head and all others are blocked, so their states need not be read.
  const orderKeys = db.prepare<[number], { count: number; oldest: number | null }>(`
    select coalesce(sum(members - 1), 0) as count, min(oldest) as oldest from (
      select count(*) as members, min(id) as oldest from deliveries indexed by deliveries_line
      where destination_id = ? and order_key is not null group by order_key having count(*) > 1)`)
  const holding = db
    .prepare<[number], number>(
      `select count(*) from deliveries indexed by deliveries_holding where destination_id = ? and state = 'exhausted' and order_key is not null`,
    )
    .pluck()
  const since = db
    .prepare<[number], number>('select max(created_at, coalesce(replayed_at, 0)) from deliveries where id = ?')
    .pluck()
  return db
    .prepare<[], { id: number; name: string; owner: string | null }>(
      `select id, name, owner from destinations where state in ('active', 'paused') order by id`,
    )
    .all()
    .map(({ id, name, owner }) => {
      const [now, replays, behind] = [due.get({ id, isReplay: 0 }), due.get({ id, isReplay: 1 }), orderKeys.get(id)]
      const oldest = Math.min(now?.oldest ?? Number.POSITIVE_INFINITY, behind?.oldest ?? Number.POSITIVE_INFINITY)
      return {
        destination: name,
        owner,
        waiting: (now?.waiting ?? 0) + (replays?.waiting ?? 0),
        blocked: behind?.count ?? 0,
        heldSubjects: holding.get(id) ?? 0,
        oldestSince: Number.isFinite(oldest) ? (since.get(oldest) ?? null) : null,
      }
    })
}

function listLags(db: Connection): ConsumerLag[] {
  return db
    .prepare<[number], ConsumerLag>(`
      select owner, name, max(? - position, 0) as events,
        (select e.received_at from events e where e.id > consumers.position order by e.id limit 1) as oldestAt
      from consumers order by coalesce(owner, ''), name`)
    .all(lastGiven(db))
}
