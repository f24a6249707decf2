import { LAST_GIVEN } from '../../database/last-position.ts'
import type { Invariant } from './invariant.ts'

export const EVENT_INVARIANTS: readonly Invariant[] = [
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

export const QUARANTINE_INVARIANTS: readonly Invariant[] = [
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

export const TOKEN_INVARIANTS: readonly Invariant[] = [
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
