import type { Realm } from '../../../domain/realm.ts'
import type { Sql } from '../database/sql.ts'
import { blocksWith, IN_BLOCK } from './event-blocks.ts'

/** Repeats count for this many newest events. For older ones only the first receipt counts. */
const LOOKED_AT = 20_000

/** Of an event `e`: the service was asked for it. */
const IS_RECONCILED = 'exists (select from reconciled_facts f where f.event_id = e.id)'

/** When the latest callback of the kind was received, also if it was a duplicate, is in quarantine, or its token waits; null: never. */
export async function lastReceivedAt(sql: Sql, kind: string, environment: Realm): Promise<number | null> {
  const row = await sql.get<{ at: number | null }>(
    `select max(heard_at) as at from (
      (select case when ${IS_RECONCILED} then last_seen_at else greatest(received_at, last_seen_at) end as heard_at, kind, environment
        from events e order by id desc limit ${LOOKED_AT})
      union all
      (select last.* from ${blocksWith(['kind = :kind'], 'desc')} cross join lateral (
        select received_at, kind, environment from events e
        where ${IN_BLOCK} and kind = :kind and environment = :environment and not ${IS_RECONCILED} order by id desc limit 1) last
        order by b.block desc limit 1)
      union all
      (select last_seen_at, kind, environment from quarantine order by id desc limit ${LOOKED_AT})
      union all
      (select t.last_seen_at, c.kind, t.environment from notification_tokens t join callbacks c on c.callback_id = t.callback_id)
    ) heard where kind = :kind and environment = :environment`,
    { kind, environment, from: 0, to: Number.MAX_SAFE_INTEGER },
  )
  return row?.at ?? null
}
