import type { Invariant } from './invariant.ts'

const ENDED = `('delivered', 'exhausted', 'canceled')`

export const DELIVERY_INVARIANTS: readonly Invariant[] = [
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

export const REPLAY_INVARIANTS: readonly Invariant[] = [
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

export const ORDER_INVARIANTS: readonly Invariant[] = [
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
