import type { Realm } from '../../../domain/realm.ts'
import type { Connection } from '../database/connection.ts'

/** Repeats count for this many newest events. For older ones only the first receipt counts, also where the service was asked for the event. */
const LOOKED_AT = 20_000

/** Of an event `e`: the service was asked for it. */
const IS_RECONCILED = 'exists (select 1 from reconciled_facts f where f.event_id = e.id)'

/** When the latest callback of the kind was received, also if it was a duplicate, is in quarantine, or its token waits; null: never. */
export function lastReceivedAt(db: Connection, kind: string, environment: Realm): number | null {
  return db
    .prepare<[Record<string, unknown>], number | null>(`
      select max(heard_at) from (
        select kind, environment, case when ${IS_RECONCILED} then last_seen_at else max(received_at, coalesce(last_seen_at, 0)) end as heard_at
        from (select * from events order by id desc limit :limit) e
        union all
        select kind, environment, latest from block_contents
        where first < (select min(id) from (select id from events order by id desc limit :limit))
        union all
        select kind, environment, last_seen_at from (select * from quarantine order by id desc limit :limit)
        union all
        select c.kind, t.environment, t.last_seen_at from (
          select * from notification_tokens indexed by notification_tokens_waiting where next_attempt_at is not null
          union all
          select * from (
            select * from notification_tokens indexed by notification_tokens_done
            where next_attempt_at is null order by last_seen_at desc limit :limit)
        ) t join callbacks c on c.id = t.callback_id
      ) where kind = :kind and environment = :environment`)
    .pluck()
    .get({ kind, environment, limit: LOOKED_AT }) as number | null
}
