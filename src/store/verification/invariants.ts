/*
 * Rules that hold between any two transactions, in SQL that both databases read. A store has further ones, of its own tables.
 */

export interface Invariant {
  /** Names the rows that the query finds. */
  readonly violation: string
  /** One column, `id`, of the rows that break the rule. */
  readonly sql: string
}

const NAMED = 5

/** The violation with the first ids that break the rule; null: none. */
export function breachText({ violation }: Invariant, ids: readonly number[]): string | null {
  if (ids.length === 0) return null
  return `${violation}: ${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''}`
}

const ENDED = `('delivered', 'exhausted', 'canceled')`
/** Attempts that have ended, of which each is on record. */
const ENDED_ATTEMPTS = 'attempts - case when claimed_by is null then 0 else 1 end'
const BROKEN_SPAN = `
  (case when array_start is null then 0 else 1 end + case when array_end is null then 0 else 1 end
    + case when item_start is null then 0 else 1 end + case when item_end is null then 0 else 1 end) not in (0, 4)
  or array_start < 1 or array_start > item_start or item_start >= item_end or item_end > array_end
  or (array_end >= length(c.body) and c.payload_removed_at is null)`

/** @param callbackNumber the column of `callbacks` with its number */
export function sharedInvariants(callbackNumber: 'id' | 'callback_id'): readonly Invariant[] {
  const ofCallbacks = [
    {
      violation: 'event without a callback',
      sql: `select e.id from events e left join callbacks c on c.${callbackNumber} = e.callback_id where c.${callbackNumber} is null`,
    },
    {
      violation: 'event whose span is incomplete or not inside its body',
      sql: `select e.id from events e join callbacks c on c.${callbackNumber} = e.callback_id where ${BROKEN_SPAN}`,
    },
    {
      violation: 'fact in quarantine whose span is incomplete or not inside its body',
      sql: `select q.id from quarantine q join callbacks c on c.${callbackNumber} = q.callback_id where ${BROKEN_SPAN}`,
    },
    {
      violation: 'waiting token without its callback',
      sql: `
      select t.id from notification_tokens t left join callbacks c on c.${callbackNumber} = t.callback_id
      where t.next_attempt_at is not null and (c.${callbackNumber} is null or c.environment <> t.environment)`,
    },
  ]
  return [...ofCallbacks, ...OTHERS]
}

const OTHERS: readonly Invariant[] = [
  {
    violation: 'event with a part number that its callback does not have',
    sql: 'select id from events where part not between 1 and parts',
  },
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
      where q.fact_hash <> e.fact_hash or (q.fact_hash is null) <> (e.fact_hash is null) or (q.fact_hash is null and q.callback_id <> e.callback_id)`,
  },
  {
    violation: 'charge route to a destination that is not there, or is of another owner or no route',
    sql: `
      select r.destination_id as id from charge_routes r left join destinations d on d.id = r.destination_id
      where d.id is null or d.origin <> 'route' or d.state not in ('active', 'paused') or coalesce(d.owner, '') <> coalesce(r.owner, '')`,
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
    violation: 'delivery with more retries used than attempts made',
    sql: `select id from deliveries where retries_used > ${ENDED_ATTEMPTS}`,
  },
  {
    violation: 'waiting delivery of a removed destination',
    sql: `
      select d.id from deliveries d join destinations t on t.id = d.destination_id
      where d.state in ('pending', 'blocked') and t.state not in ('active', 'paused')`,
  },
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
      having count(*) filter (where state = 'blocked') > 0 and count(*) filter (where state in ('pending', 'exhausted')) = 0`,
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
]
