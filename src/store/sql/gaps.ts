import type { GapDay, Gaps, GapsQuery } from '../../domain/reconcile/gaps.ts'
import type { SubjectType } from '../../domain/reconcile/subjects.ts'
import { type Asked, all, one } from './asked.ts'
import type { Dialect } from './dialect.ts'

interface CountedDay extends Omit<GapDay, 'settledBy'> {
  /** The first type, by its name, of the day's subjects that are still asked for; null: none is. */
  readonly openType: SubjectType | null
}

/** They tell the state of a subject. */
const ENDPOINTS: Readonly<Record<SubjectType, string>> = {
  payment: 'GET /v1/:idPagamento',
  opening: 'GET /v1/conta-simplificada/:idContaSimplificada/credenciais',
  charge: 'GET /v1/charge/:id',
  subscription: 'GET /v1/subscription/:id',
  carnet: 'GET /v1/carnet/:id',
}

function gapDayOf({ openType, ...day }: CountedDay): GapDay {
  const endpoint = openType === null ? null : ENDPOINTS[openType]
  return { ...day, settledBy: day.unknown > 0 ? 'question to the service' : endpoint }
}

type Counted = 'given_up' | 'repeated' | 'open' | 'met'

/** What is counted from other tables since a time, each row of a kind, an environment and a day. */
function countedOf(d: Dialect, isMeant: string): Readonly<Record<Counted, string>> {
  const isSince = (column: string) => `${column} >= ${d.time(':from')} and ${isMeant}`
  // An index of subjects begins with these two. A day without events of its kind has nothing but subjects that are given up.
  const ofPairs = `(select distinct kind, environment from event_days) as pairs ${d.joinInOrder} known_subjects using (kind, environment)`
  return {
    given_up: `select kind, environment, ${d.day('first_at')} as day, count(*) as given_up from known_subjects
      where gap = 'unknown' and ${isSince('first_at')}`,
    repeated: `select kind, environment, ${d.day('received_at')} as day, sum(duplicates) as duplicates from events ${d.using('events_repeated')}
      where duplicates > 0 and ${isSince('received_at')}`,
    open: `select kind, environment, ${d.day('first_at')} as day, min(type) as open_type from ${ofPairs}
      where next_ask_at is not null and ${isSince('first_at')}`,
    met: `select kind, environment, day, min(delay) as delay from (
      select kind, environment, day, delay, cume_dist() over (partition by kind, environment, day order by delay) as share from (
        select kind, environment, ${d.day('event_at')} as day,
          case when event_at > expected_at then ${d.msBetween('expected_at', 'event_at')} / 1000.0 else 0.0 end as delay
        from ${ofPairs} where expected_at is not null and event_at is not null and ${isSince('event_at')}) as met_at) as shares
      where share >= 0.95`,
  }
}

export function* listGaps(d: Dialect, { since, environments, limit }: GapsQuery): Asked<Gaps> {
  const isMeant =
    environments === undefined ? 'true' : `environment in (select value from ${d.texts(':environments')} as wanted)`
  const counted = countedOf(d, isMeant)
  const withCounted = (...names: readonly Counted[]) =>
    `with ${names.map((name) => `${name} as (${counted[name]} group by 1, 2, 3)`).join(', ')}`
  const listed = `(select * from event_days where ${isMeant}) as days full join given_up using (kind, environment, day)`
  const inOrder = `where ${since === undefined ? 'true' : 'day >= :since'} order by day desc, kind ${d.byBytes}, environment ${d.byBytes} limit :limit`
  const values = { since, environments, limit }
  // The days first: nothing older has to be counted, and on SQLite other reads wait for this one.
  const { oldest } = yield* one<{ oldest: string | null }>(
    `${withCounted('given_up')} select min(day) as oldest from (select day from ${listed} ${inOrder}) as shown`,
    { ...values, from: since === undefined ? 0 : Date.parse(since) },
  )
  const data = yield* all<CountedDay>(
    `${withCounted('given_up', 'repeated', 'met', 'open')}
    select kind, environment, day, coalesce(received, 0) as received, coalesce(reconciled, 0) as reconciled,
      coalesce(unknown, 0) + coalesce(given_up, 0) as unknown, coalesce(duplicates, 0) as duplicates, delay, open_type as "openType"
    from ${listed} left join repeated using (kind, environment, day) left join met using (kind, environment, day) left join open using (kind, environment, day)
    ${inOrder}`,
    { ...values, from: Date.parse(oldest ?? '9999-12-31') },
  )
  const openings = yield* all<{ subject: string }>(
    `select subject from known_subjects where gap = 'undecided' and ${isMeant} order by first_at desc, subject desc`,
    values,
  )
  return { data: data.map(gapDayOf), openings: openings.map(({ subject }) => subject) }
}
