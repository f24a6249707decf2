import type { Invariant } from '../../../verification/invariants.ts'

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
    violation: 'claim of an owner that never was',
    sql: `select id from deliveries where claimed_by > (select cast(value as integer) from meta where key = 'writer_epoch')`,
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
]
