import { type Invariant, sharedInvariants } from '../../verification/invariants.ts'
import { BLOCK } from '../events/event-blocks.ts'

const OWN: readonly Invariant[] = [
  {
    violation: 'number that two callbacks have',
    sql: 'select callback_id as id from callbacks group by callback_id having count(*) > 1',
  },
  {
    violation: 'position that two events have',
    sql: 'select id from events group by id having count(*) > 1',
  },
  {
    violation: 'callback and event in one row although it has another event, or more than the event',
    sql: `
      select id from single_callbacks s where part <> 1 or parts <> 1 or source is not null or redacted_at is not null
        or exists (select from only events e where e.callback_id = s.callback_id)`,
  },
  {
    violation: 'event of which its block says nothing',
    sql: `
      select e.id from events e left join event_blocks b on b.block = e.${BLOCK} and b.kind = e.kind
      where (e.received_at between b.earliest and b.latest) is not true order by e.id`,
  },
  {
    violation: 'callback without an event, without anything in quarantine, and not of a token',
    sql: `
      select c.callback_id as id from callbacks c
      where not exists (select from events e where e.callback_id = c.callback_id) and not exists (select from quarantine q where q.callback_id = c.callback_id)
        and not exists (select from notification_tokens t where t.callback_id = c.callback_id)`,
  },
  {
    // In UTF-16 the byte beside the span may be the other half of the bracket. PostgreSQL unpacks a whole body for a byte of it: once for each array, not for
    // each of its events.
    violation: 'event whose span is not that of an array',
    sql: `
      with arrays as materialized (select distinct callback_id, array_start, array_end from events where array_start is not null),
        broken as materialized (
          select a.* from arrays a join callbacks c on c.callback_id = a.callback_id
          where c.payload_removed_at is null
            and (substr(c.body, a.array_start::integer, 1) not in ('[', '\\x00') or substr(c.body, a.array_end::integer + 1, 1) not in (']', '\\x00')))
      select e.id from broken b join events e using (callback_id, array_start, array_end) order by e.id`,
  },
  {
    // A release from quarantine creates late events, and so does a token that is resolved.
    violation: 'event whose position is behind that of a later callback',
    sql: `
      select id from (
        select id, callback_id, max(callback_id) over (order by id rows between unbounded preceding and 1 preceding) as highest from events e
        where source is null and not exists (select from quarantine q where q.event_id = e.id and q.callback_id = e.callback_id)) first
      where callback_id < highest`,
  },
  {
    violation: 'number that could be given again',
    sql: `
      select id from (
        select max(id) as id, (select position from head) as given from events union all select max(position), (select position from head) from removed_events
        union all select max(id), (select peer from head) from peers union all select max(callback_id), (select callback from head) from callbacks
        union all select max(id), (select delivery from head) from deliveries
        union all select max(id), (select quarantined from head) from quarantine
        union all select max(id), (select token from head) from notification_tokens) numbers
      where id > given`,
  },
  {
    violation: 'token with entries beyond a gap that are no gap, or come twice',
    sql: `
      select id from notification_tokens t where exists (
        select from (
          select e.value::bigint as entry, lag(e.value::bigint) over (order by e.place) as before
          from jsonb_array_elements_text(t.entries_beyond::jsonb) with ordinality as e (value, place)) entries
        where entry <= t.entries_through + 1 or entry <= before)`,
  },
  {
    violation: 'body of an event that is only a part of its callback',
    sql: 'select id from events where source is not null and (array_start is not null or part <> 1 or parts <> 1)',
  },
  {
    violation: 'resolved event whose body is empty, or is not although its data was removed',
    sql: `select id from events where source = 'resolved' and (payload_removed_at is not null) <> (length(body) = 0)`,
  },
  {
    violation: 'second delivery of an event to its destination',
    sql: 'select max(id) as id from deliveries group by event_id, destination_id having count(*) > 1',
  },
  {
    violation: 'delivered delivery without an attempt that succeeded',
    sql: `
      select id from deliveries d where state = 'delivered'
        and not exists (select from attempts a where a.delivery_id = d.id and a.status between 200 and 299 and a.error is null)`,
  },
  {
    // An attempt under way has no row yet.
    violation: 'delivery whose attempts are not each on record once',
    sql: `
      select d.id from deliveries d left join attempts a on a.delivery_id = d.id group by d.id
      having count(a.id) <> d.attempts - (d.claimed_by is not null)::integer or count(distinct a.attempt) <> count(a.id)
        or min(a.attempt) < 1 or max(a.attempt) > d.attempts - (d.claimed_by is not null)::integer`,
  },
  {
    violation: 'callback without its payload of which something is left, or nothing says so',
    sql: `
      select c.callback_id as id from callbacks c where payload_removed_at is not null and (length(body) > 0
        or exists (select from events e where e.callback_id = c.callback_id and e.payload_removed_at is null)
        or exists (select from quarantine q where q.callback_id = c.callback_id and q.payload_removed_at is null)
        or exists (select from repeats r where r.callback_id = c.callback_id)
        or exists (select from notification_tokens t where t.callback_id = c.callback_id and t.next_attempt_at is not null))`,
  },
  {
    violation: 'redacted fact whose callback says nothing of it',
    sql: `
      select e.id from events e join callbacks c on c.callback_id = e.callback_id
      where e.payload_removed_at is not null and c.payload_removed_at is null and c.redacted_at is null and e.source is distinct from 'resolved'`,
  },
  {
    violation: 'removal announced beyond the last position',
    sql: 'select through as id from removals where through > (select position from head)',
  },
]

/** An event may be in the row of its callback: both numbers have a name. */
export const INVARIANTS: readonly Invariant[] = [...sharedInvariants('callback_id'), ...OWN]
