import type { Gaps, GapsQuery } from '../../../domain/reconcile/gaps.ts'
import { type CountedDay, gapDayOf } from '../../rules/gap-days.ts'
import type { Connection } from '../database/connection.ts'

const IS_MEANT = '(:environments is null or environment in (select value from json_each(:environments)))'

/** The UTC day of a time. */
const DAY = (column: string) => `strftime('%Y-%m-%d', ${column} / 1000.0, 'unixepoch') as day`

/** What is counted from other tables, each row of a kind, an environment and a day. */
const COUNTED = {
  given_up: `select kind, environment, ${DAY('first_at')}, count(*) as given_up from known_subjects where gap = 'unknown' and ${IS_MEANT}`,
  repeated: `select kind, environment, ${DAY('received_at')}, sum(duplicates) as duplicates
    from events indexed by events_repeated where duplicates > 0 and ${IS_MEANT}`,
  open: `select kind, environment, ${DAY('first_at')}, min(type) as open_type from known_subjects where next_ask_at is not null and ${IS_MEANT}`,
  met: `select kind, environment, day, min(delay) as delay from (
    select kind, environment, ${DAY('event_at')}, max(0, event_at - expected_at) / 1000.0 as delay,
      cume_dist() over (partition by kind, environment, event_at / 86400000 order by max(0, event_at - expected_at)) as share
    from known_subjects where expected_at is not null and event_at is not null and ${IS_MEANT}) where share >= 0.95`,
}

export function listGaps(db: Connection, { since, environments, limit }: GapsQuery): Gaps {
  const values = { since: since ?? null, environments: environments ? JSON.stringify(environments) : null, limit }
  const counted = Object.entries(COUNTED).map(([name, text]) => `${name} as (${text} group by 1, 2, 3)`)
  const data = db
    .prepare<[object], CountedDay>(`
      with ${counted.join(', ')}
      select kind, environment, day, coalesce(received, 0) as received, coalesce(reconciled, 0) as reconciled,
        coalesce(unknown, 0) + coalesce(given_up, 0) as unknown, coalesce(duplicates, 0) as duplicates, delay, open_type as openType
      from (select * from event_days where ${IS_MEANT}) full join given_up using (kind, environment, day)
        left join repeated using (kind, environment, day) left join met using (kind, environment, day) left join open using (kind, environment, day)
      where :since is null or day >= :since
      order by day desc, kind, environment limit :limit`)
    .all(values)
  const openings = db
    .prepare<[object], string>(
      `select subject from known_subjects where gap = 'undecided' and ${IS_MEANT} order by first_at desc, subject desc`,
    )
    .pluck()
    .all({ environments: values.environments })
  return { data: data.map(gapDayOf), openings }
}
