import type { Invariant } from '../../../verification/invariants.ts'
import { FIRST_OPEN } from '../../blocks/callback-blocks.ts'
import { LAST_GIVEN } from '../../database/last-position.ts'
import { existsEvent } from '../../rows/rows.ts'

export const RETENTION_INVARIANTS: readonly Invariant[] = [
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
    violation: 'removal announced beyond the last position',
    sql: `select through as id from removals where through > ${LAST_GIVEN}`,
  },
]
