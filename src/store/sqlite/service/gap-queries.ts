import type { Gaps, GapsQuery } from '../../../domain/reconcile/gaps.ts'
import { type CountedDay, gapDayOf } from '../../rules/gap-days.ts'
import type { Connection } from '../database/connection.ts'

const IS_MEANT = '(:environments is null or environment in (select value from json_each(:environments)))'

/** The UTC day of a time. */
const DAY = (column: string) => `strftime('%Y-%m-%d', ${column} / 1000.0, 'unixepoch') as day`

/** An index of subjects begins with these two. A day without events of its kind has nothing but subjects that are given up. */
const OF_PAIRS =
  '(select distinct kind, environment from event_days) cross join known_subjects using (kind, environment)'
const isSince = (column: string) => `${column} >= :from and ${IS_MEANT}`

/** What is counted from other tables since a time, each row of a kind, an environment and a day. */
const COUNTED = {
  given_up: `select kind, environment, ${DAY('first_at')}, count(*) as given_up from known_subjects where gap = 'unknown' and ${isSince('first_at')}`,
  repeated: `select kind, environment, ${DAY('received_at')}, sum(duplicates) as duplicates
    from events indexed by events_repeated where duplicates > 0 and ${isSince('received_at')}`,
  open: `select kind, environment, ${DAY('first_at')}, min(type) as open_type
    from ${OF_PAIRS} where next_ask_at is not null and ${isSince('first_at')}`,
  met: `select kind, environment, day, min(delay) as delay from (
    select kind, environment, ${DAY('event_at')}, max(0, event_at - expected_at) / 1000.0 as delay,
      cume_dist() over (partition by kind, environment, event_at / 86400000 order by max(0, event_at - expected_at)) as share
    from ${OF_PAIRS} where expected_at is not null and event_at is not null and ${isSince('event_at')}) where share >= 0.95`,
}

const LISTED = `(select * from event_days where ${IS_MEANT}) full join given_up using (kind, environment, day)`
const IN_ORDER = 'where :since is null or day >= :since order by day desc, kind, environment limit :limit'

function withCounted(...names: readonly (keyof typeof COUNTED)[]): string {
  return `with ${names.map((name) => `${name} as (${COUNTED[name]} group by 1, 2, 3)`).join(', ')}`
}

export function listGaps(db: Connection, { since, environments, limit }: GapsQuery): Gaps {
  const values = { since: since ?? null, environments: environments ? JSON.stringify(environments) : null, limit }
  // The days first: nothing older has to be counted, and other reads wait for this one.
  const oldest = db
    .prepare<[object], string | null>(
      `${withCounted('given_up')} select min(day) from (select day from ${LISTED} ${IN_ORDER})`,
    )
    .pluck()
    .get({ ...values, from: since === undefined ? 0 : Date.parse(since) })
  const data = db
    .prepare<[object], CountedDay>(`
      ${withCounted('given_up', 'repeated', 'met', 'open')}
      select kind, environment, day, coalesce(received, 0) as received, coalesce(reconciled, 0) as reconciled,
        coalesce(unknown, 0) + coalesce(given_up, 0) as unknown, coalesce(duplicates, 0) as duplicates, delay, open_type as openType
      from ${LISTED}
        left join repeated using (kind, environment, day) left join met using (kind, environment, day) left join open using (kind, environment, day)
      ${IN_ORDER}`)
    .all({ ...values, from: Date.parse(oldest ?? '9999-12-31') })
  const openings = db
    .prepare<[object], string>(
      `select subject from known_subjects where gap = 'undecided' and ${IS_MEANT} order by first_at desc, subject desc`,
    )
    .pluck()
    .all({ environments: values.environments })
  return { data: data.map(gapDayOf), openings }
}
