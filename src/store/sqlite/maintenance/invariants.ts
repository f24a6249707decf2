import { LAST_GIVEN } from '../audit/last-position.ts'
import type { Connection } from '../database/connection.ts'
import { existsEvent } from '../events/rows.ts'
import { FIRST_OPEN } from '../retention/callback-blocks.ts'

/** A rule that holds between any two transactions. */
export interface Invariant {
  /** Names the rows that the query finds. */
  readonly violation: string
  /** One column, `id`, of the rows that break the rule. */
  readonly sql: string
}

const ENDED = `('delivered', 'exhausted', 'canceled')`

const EVENTS: readonly Invariant[] = [
  {
    violation: 'event without a callback',
    sql: 'select e.id from events e left join callbacks c on c.id = e.callback_id where c.id is null',
  },
  {
    violation: 'callback without an event, without anything in quarantine, and not of a token',
    sql: `
      select c.id from callbacks c where c.event_id is null
        and not exists (select 1 from events e where e.callback_id = c.id and e.is_single is null)
        and not exists (select 1 from quarantine q where q.callback_id = c.id)
        and not exists (select 1 from notification_tokens t where t.callback_id = c.id)`,
  },
  {
    violation: 'callback that names an event of another callback, or one that is not there',
    sql: `
      select c.id from callbacks c left join events e on e.id = c.event_id
      where c.event_id is not null and (e.id is null or e.callback_id <> c.id or e.is_single is not 1)`,
  },
  {
    violation: 'event that is the only one of its callback, which does not name it',
    sql: `
      select e.id from events e left join callbacks c on c.id = e.callback_id
      where e.is_single is not null and (e.is_single <> 1 or c.event_id is not e.id)`,
  },
  {
    violation: 'event whose span is incomplete or not inside its body',
    sql: `
      select e.id from events e join callbacks c on c.id = e.callback_id
      where (array_start is null) + (array_end is null) + (item_start is null) + (item_end is null) not in (0, 4)
        or array_start < 1 or array_start > item_start or item_start >= item_end or item_end > array_end
        or (array_end >= length(c.body) and c.payload_removed_at is null)`,
  },
  {
    violation: 'event whose span is not that of an array',
    sql: `
      select e.id from events e join callbacks c on c.id = e.callback_id
      where array_start is not null and c.payload_removed_at is null
        and (substr(c.body, array_start, 1) <> cast('[' as blob) or substr(c.body, array_end + 1, 1) <> cast(']' as blob))`,
  },
  {
    violation: 'event with a part number that its callback does not have',
    sql: 'select id from events where part not between 1 and parts',
  },
  {
    // A release from quarantine creates late events, and so does a token that is resolved.
    violation: 'event whose position is behind that of a later callback',
    sql: `
      select id from (
        select id, callback_id, max(callback_id) over (order by id rows between unbounded preceding and 1 preceding) as highest from events e
        where not exists (select 1 from quarantine q where q.event_id = e.id and q.callback_id = e.callback_id)
          and not exists (select 1 from event_bodies b where b.event_id = e.id))
      where callback_id < highest`,
  },
  {
    violation: 'removed event whose position could be given again',
    sql: `select position as id from removed_events where position > ${LAST_GIVEN}`,
  },
]

const QUARANTINE: readonly Invariant[] = [
  {
    violation: 'incomplete decision about a fact in quarantine',
    sql: `
      select id from quarantine
      where (state = 'quarantined') <> (decided_at is null) or (decided_at is null) <> (decided_by is null) or (state <> 'released' and event_id is not null)
        or (state = 'released' and event_id is null and not exists (select 1 from removals))`,
  },
  {
    violation: 'released fact whose event is of another fact',
    sql: `
      select q.id from quarantine q join events e on e.id = q.event_id
      where q.fact_hash is not e.fact_hash or (q.fact_hash is null and q.callback_id <> e.callback_id)`,
  },
  {
    violation: 'fact in quarantine whose span is incomplete or not inside its body',
    sql: `
      select q.id from quarantine q join callbacks c on c.id = q.callback_id
      where (array_start is null) + (array_end is null) + (item_start is null) + (item_end is null) not in (0, 4)
        or array_start < 1 or array_start > item_start or item_start >= item_end or item_end > array_end
        or (array_end >= length(c.body) and c.payload_removed_at is null)`,
  },
]

const TOKENS: readonly Invariant[] = [
  {
    violation: 'waiting token without its callback',
    sql: `
      select t.id from notification_tokens t left join callbacks c on c.id = t.callback_id
      where t.next_attempt_at is not null and (c.id is null or c.environment <> t.environment)`,
  },
  {
    violation: 'token with entries beyond a gap that are no gap, or come twice',
    sql: `
      select id from notification_tokens t
      where not json_valid(entries_beyond) or exists (
        select 1 from json_each(entries_beyond) j
        where j.value <= t.entries_through + 1 or j.value <= (select p.value from json_each(t.entries_beyond) p where p.key = j.key - 1))`,
  },
  {
    violation: 'body of an event that is only a part of its callback',
    sql: `
      select b.event_id as id from event_bodies b join events e on e.id = b.event_id
      where e.array_start is not null or e.part <> 1 or e.parts <> 1`,
  },
  {
    violation: 'resolved event whose body is empty, or is not although its data was removed',
    sql: `
      select e.id from event_bodies b join events e on e.id = b.event_id
      where b.source = 'resolved' and (e.payload_removed_at is not null) <> (length(b.body) = 0)`,
  },
  {
    violation: 'charge route to a destination that is not there, or is of another owner or no route',
    sql: `
      select r.destination_id as id from charge_routes r left join destinations d on d.id = r.destination_id
      where d.id is null or d.origin <> 'route' or d.state not in ('active', 'paused') or d.owner is not r.owner`,
  },
]

const DELIVERIES: readonly Invariant[] = [
  {
    violation: 'second delivery of an event to its destination',
    // In the order of the table: a sort of all deliveries would need a temporary file.
    sql: `
      select d.id from deliveries d cross join events e on e.id = d.event_id where exists (
        select 1 from deliveries o where o.id between e.first_delivery and e.last_delivery and o.id < d.id and o.destination_id = d.destination_id)
      or exists (
        select 1 from deliveries o indexed by deliveries_event
        where o.event_id = d.event_id and o.is_first is null and o.id < d.id and o.destination_id = d.destination_id)`,
  },
  {
    violation: 'delivery made with its event that the event does not name',
    sql: `
      select d.id from deliveries d left join events e on e.id = d.event_id
      where d.is_first is not null and (d.is_first <> 1 or (d.id between e.first_delivery and e.last_delivery) is not 1)`,
  },
  {
    violation: 'event that names deliveries of another event, or ones that are not there',
    sql: `
      select e.id from events e
      where (e.first_delivery is null) <> (e.last_delivery is null) or e.last_delivery - e.first_delivery + 1 <> (
        select count(*) from deliveries d where d.id between e.first_delivery and e.last_delivery and d.event_id = e.id and d.is_first = 1)`,
  },
  {
    violation: 'pending delivery without a next attempt',
    sql: `select id from deliveries where state = 'pending' and next_attempt_at is null`,
  },
  {
    violation: 'waiting delivery with the marks of an ended one',
    sql: `select id from deliveries where state in ('pending', 'blocked') and (ended_at is not null or reason is not null)`,
  },
  {
    violation: 'ended delivery without its end, or with a next attempt',
    sql: `select id from deliveries where state in ${ENDED} and (ended_at is null or next_attempt_at is not null)`,
  },
  {
    violation: 'exhausted or canceled delivery without a reason',
    sql: `select id from deliveries where state in ('exhausted', 'canceled') and reason is null`,
  },
  {
    // A skipped delivery may still have an attempt under way.
    violation: 'claim on a delivery that an attempt has ended',
    sql: `select id from deliveries where state in ('delivered', 'exhausted') and (claimed_by is not null or claimed_at is not null)`,
  },
  {
    violation: 'claim without its time or its attempt',
    sql: 'select id from deliveries where (claimed_by is null) <> (claimed_at is null) or (claimed_by is not null and attempts < 1)',
  },
  {
    violation: 'claim of an owner that never was',
    sql: `select id from deliveries where claimed_by > (select cast(value as integer) from meta where key = 'writer_epoch')`,
  },
  {
    violation: 'delivery with more retries used than attempts made',
    sql: 'select id from deliveries where retries_used > attempts - (claimed_by is not null)',
  },
  {
    violation: 'delivered delivery without an attempt that succeeded',
    sql: `
      select id from deliveries d where state = 'delivered' and (first_started_at is null or last_status not between 200 and 299)
        and not exists (select 1 from attempts a where a.delivery_id = d.id and a.status between 200 and 299 and a.error is null)`,
  },
  {
    // An attempt under way has no row yet.
    violation: 'delivery whose attempts are not each on record once',
    sql: `
      select d.id from deliveries d left join attempts a on a.delivery_id = d.id group by d.id
      having count(a.id) + (d.first_started_at is not null) <> d.attempts - (d.claimed_by is not null) or count(distinct a.attempt) <> count(a.id)
        or min(a.attempt) < 1 or max(a.attempt) > d.attempts - (d.claimed_by is not null)`,
  },
  {
    violation: 'first attempt in the row of a delivery that has others, or never succeeded',
    sql: `
      select id from deliveries where first_started_at is not null
        and (attempts <> 1 or claimed_by is not null or delivered_at is null or delivered_at < first_started_at)
      union all select id from deliveries where first_answer is not null and first_started_at is null`,
  },
  {
    violation: 'waiting delivery of a removed destination',
    sql: `
      select d.id from deliveries d join destinations t on t.id = d.destination_id
      where d.state in ('pending', 'blocked') and t.state not in ('active', 'paused')`,
  },
]

const REPLAYS: readonly Invariant[] = [
  {
    violation: 'delivered delivery without the time of its success',
    sql: `select id from deliveries where state = 'delivered' and delivered_at is null`,
  },
  {
    violation: 'pending delivery of a canceled replay',
    sql: `
      select d.id from deliveries d join replays r on r.id = d.replay_id
      where r.state = 'canceled' and d.state in ('pending', 'blocked')`,
  },
  {
    violation: 'replay that goes beyond its last event, or is done before it',
    sql: `select id from replays where position > up_to or (state = 'done' and position < up_to)`,
  },
  {
    violation: 'ended replay without its end, or running one with an end',
    sql: `select id from replays where (state = 'running') <> (ended_at is null)`,
  },
]

const LINES: readonly Invariant[] = [
  {
    violation: 'blocked delivery without an order key, or with a due time',
    sql: `select id from deliveries where state = 'blocked' and (order_key is null or next_attempt_at is not null)`,
  },
  {
    violation: 'ended delivery that still has an order key',
    sql: `select id from deliveries where order_key is not null and state in ('delivered', 'canceled')`,
  },
  {
    violation: 'order key without a head: all its deliveries are blocked',
    sql: `
      select min(id) as id from deliveries where order_key is not null group by destination_id, order_key
      having sum(state = 'blocked') > 0 and sum(state in ('pending', 'exhausted')) = 0`,
  },
  {
    violation: 'order key with more than one head',
    sql: `
      select max(id) as id from deliveries where order_key is not null and state in ('pending', 'exhausted')
      group by destination_id, order_key having count(*) > 1`,
  },
  {
    violation: 'order key that an exhausted delivery blocks although its destination continues',
    sql: `
      select h.id from deliveries h join destinations t on t.id = h.destination_id
      where h.order_key is not null and h.state = 'exhausted' and t.on_exhausted = 'continue' and exists (
        select 1 from deliveries b where b.destination_id = h.destination_id and b.order_key = h.order_key and b.state = 'blocked')`,
  },
]

const RETENTION: readonly Invariant[] = [
  {
    violation: 'callback without its payload of which something is left, or nothing says so',
    sql: `
      select c.id from callbacks c where payload_removed_at is not null and (length(body) > 0
        or ${existsEvent('e.payload_removed_at is null')}
        or exists (select 1 from quarantine q where q.callback_id = c.id and q.payload_removed_at is null)
        or exists (select 1 from repeats r where r.callback_id = c.id)
        or exists (select 1 from notification_tokens t where t.callback_id = c.id and t.next_attempt_at is not null))`,
  },
  {
    violation: 'block of callbacks with a wrong summary',
    sql: `
      select b.block as id from callback_blocks b where (b.with_payload, b.without_payload, true) is not (
        select coalesce(sum(c.payload_removed_at is null), 0), coalesce(sum(c.payload_removed_at is not null), 0),
          coalesce(min(c.received_at) >= b.earliest, false)
        from callbacks c not indexed where c.id between b.block << 10 and (b.block << 10) + 1023 and c.kind = b.kind)`,
  },
  {
    violation: 'old callback in no block',
    sql: `
      select id from callbacks c where id < ${FIRST_OPEN}
        and not exists (select 1 from callback_blocks b where b.kind = c.kind and b.block = c.id >> 10)`,
  },
  {
    violation: 'redacted fact whose callback says nothing of it',
    sql: `
      select e.id from events e join callbacks c on c.id = e.callback_id
      where e.payload_removed_at is not null and c.payload_removed_at is null and c.redacted_at is null
        and not exists (select 1 from event_bodies b where b.event_id = e.id and b.source = 'resolved')`,
  },
  {
    violation: 'waiting delivery of an event without its data',
    sql: `
      select d.id from deliveries d join events e on e.id = d.event_id
      where d.state in ('pending', 'blocked') and e.payload_removed_at is not null`,
  },
  {
    violation: 'undecided fact in quarantine without its data',
    sql: `select id from quarantine where state = 'quarantined' and payload_removed_at is not null`,
  },
  {
    violation: 'removal announced beyond the last position',
    sql: `
      select through as id from removals where through > ${LAST_GIVEN}`,
  },
]

/** A breach affects searches only, so `verifySearch` reports it and a backup with it can be restored. */
export const SEARCH_INVARIANTS: readonly Invariant[] = [
  {
    violation: 'run of the search index that overlaps another, or has more events than positions',
    sql: `
      select id from (select id, first, last, events, lag(last, 1, 0) over (order by last) as before from search_runs)
      where first <= before or events not between 1 and last - first + 1`,
  },
  {
    violation: 'run of the search index behind the last indexed event',
    sql: `
      select id from search_runs where last > coalesce((select json_extract(value, '$.through') from meta where key = 'search_index'), 0)`,
  },
  {
    violation: 'run of the search index without the pages that it says it has',
    sql: `
      select r.id from search_runs r
      where r.bytes <> coalesce((select sum(length(p.data) + 4) from search_pages p where p.run = r.id), 0)`,
  },
]

/** A destination that is being removed breaks these rules until its deliveries are canceled. */
export const INVARIANTS: readonly Invariant[] = [
  ...EVENTS,
  ...QUARANTINE,
  ...TOKENS,
  ...DELIVERIES,
  ...REPLAYS,
  ...LINES,
  ...RETENTION,
]

const NAMED = 5

/** The violation with the first ids that break the rule; null: none. */
export function breachOf(db: Connection, { violation, sql }: Invariant, values: object = {}): string | null {
  const ids = db.prepare<object, number>(sql).pluck().all(values)
  if (ids.length === 0) return null
  return `${violation}: ${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''}`
}
