import type { Gaps, GapsQuery } from '../../../domain/reconcile/gaps.ts'
import { type CountedDay, gapDayOf } from '../../rules/gap-days.ts'
import type { Sql } from '../database/sql.ts'

const IS_MEANT = '(:environments::text[] is null or environment = any(:environments))'

/** The UTC day of a time. */
const DAY = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD') as day`

/** What is counted from other tables, each row of a kind, an environment and a day. */
const COUNTED = {
  given_up: `select kind, environment, ${DAY('first_at')}, count(*) as given_up from known_subjects where gap = 'unknown' and ${IS_MEANT}`,
  repeated: `select kind, environment, ${DAY('received_at')}, sum(duplicates) as duplicates from events where duplicates > 0 and ${IS_MEANT}`,
  met: `select kind, environment, ${DAY('event_at')},
      percentile_disc(0.95) within group (order by greatest(0, extract(epoch from event_at - expected_at))) as delay
    from known_subjects where expected_at is not null and event_at is not null and ${IS_MEANT}`,
  open: `select kind, environment, ${DAY('first_at')}, min(type) as open_type from known_subjects where next_ask_at is not null and ${IS_MEANT}`,
}

export async function listGaps(sql: Sql, { since, environments, limit }: GapsQuery): Promise<Gaps> {
  const values = { since, environments, limit }
  const counted = Object.entries(COUNTED).map(([name, text]) => `${name} as (${text} group by 1, 2, 3)`)
  const rows = await sql.all<CountedDay>(
    `with ${counted.join(', ')}
    select kind, environment, day, coalesce(received, 0) as received, coalesce(reconciled, 0) as reconciled,
      coalesce(unknown, 0) + coalesce(given_up, 0) as unknown, coalesce(duplicates, 0) as duplicates, delay, open_type as "openType"
    from (select * from event_days where ${IS_MEANT}) days full join given_up using (kind, environment, day)
      left join repeated using (kind, environment, day) left join met using (kind, environment, day) left join open using (kind, environment, day)
    where :since::text is null or day >= :since
    order by day desc, kind collate "C", environment collate "C" limit :limit`,
    values,
  )
  const openings = await sql.all<{ subject: string }>(
    `select subject from known_subjects where gap = 'undecided' and ${IS_MEANT} order by first_at desc, subject desc`,
    values,
  )
  return { data: rows.map(gapDayOf), openings: openings.map(({ subject }) => subject) }
}
