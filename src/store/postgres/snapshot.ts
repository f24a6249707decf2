import type { DestinationBacklog, StoreSnapshot } from '../../domain/store-snapshot.ts'
import { listConsumerLags } from '../sql/consumers.ts'
import { ask } from './database/ask.ts'
import type { Sql } from './database/sql.ts'

/** Counts by the indexes of what waits. */
export async function takeSnapshot(sql: Sql): Promise<StoreSnapshot> {
  const backlogs = await sql.all<DestinationBacklog>(
    `select t.name as destination, t.owner, coalesce(w.waiting, 0) as waiting, coalesce(w.blocked, 0) as blocked,
      coalesce(w.held, 0) as "heldSubjects", greatest(o.created_at, o.replayed_at) as "oldestSince"
    from destinations t left join (
      select destination_id, count(*) filter (where state = 'pending') as waiting, count(*) filter (where state = 'blocked') as blocked,
        count(*) filter (where state = 'exhausted') as held,
        min(id) filter (where state = 'pending' and replay_id is null or order_key is not null and members > 1) as oldest
      from (
        select *, count(*) filter (where order_key is not null) over (partition by destination_id, order_key) as members
        from deliveries where state in ('pending', 'blocked') or state = 'exhausted' and order_key is not null
      ) unfinished group by destination_id
    ) w on w.destination_id = t.id left join deliveries o on o.id = w.oldest
    where t.state in ('active', 'paused') order by t.id`,
  )
  const lags = await ask(sql, listConsumerLags)
  const quarantined = await sql.get<{ n: number }>(`select count(*) as n from quarantine where state = 'quarantined'`)
  return {
    backlogs,
    lags,
    quarantined: quarantined?.n ?? 0,
  }
}
