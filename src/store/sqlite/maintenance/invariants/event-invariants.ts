import type { Invariant } from '../../../verification/invariants.ts'
import { LAST_GIVEN } from '../../database/last-position.ts'

export const EVENT_INVARIANTS: readonly Invariant[] = [
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
    // In UTF-16 the byte beside the span may be the other half of the bracket.
    violation: 'event whose span is not that of an array',
    sql: `
      select e.id from events e join callbacks c on c.id = e.callback_id
      where array_start is not null and c.payload_removed_at is null
        and (substr(c.body, array_start, 1) not in (cast('[' as blob), x'00') or substr(c.body, array_end + 1, 1) not in (cast(']' as blob), x'00'))`,
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

export const TOKEN_INVARIANTS: readonly Invariant[] = [
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
]
