import { FORWARDING_TEXTS } from '../../../domain/forwarding/forwarding-texts.ts'
import type { ClaimRow, HeldDelivery } from '../../rows/claim-row.ts'
import type { Connection } from '../database/connection.ts'
import { AUTHENTICATION, CONTENT_TYPE } from '../rows/rows.ts'
import { FIRST_ATTEMPT } from './first-attempt.ts'

/** With the attempt that is in the delivery's own row. */
export type DueRow = ClaimRow & { readonly first_started_at: number | null }

const CLAIMED = `
  select d.id as delivery_id, d.attempts, d.retries_used, d.next_attempt_at, d.claimed_by, d.order_key, d.created_at,
    d.replayed_at, d.replay_id, d.delivered_at, d.first_started_at,
    e.id as position, e.nonce, e.kind, e.environment, e.subject, e.status, e.received_at, e.part, e.parts,
    e.array_start, e.array_end, e.item_start, e.item_end, c.id as callback_id, ${AUTHENTICATION} as authentication,
    ${CONTENT_TYPE} as content_type, b.source,
    case when instr(c.headers, '["cdn-loop",') > 0 then c.headers end as loop_headers`
const ITS_EVENT =
  'join events e on e.id = d.event_id join callbacks c on c.id = e.callback_id left join event_bodies b on b.event_id = e.id'

/** A delivery that was delivered before its replay, which was canceled while the delivery was claimed. */
const IS_RESTORED = `state = 'canceled' and delivered_at is not null and reason = '${FORWARDING_TEXTS.replay_canceled}'`

/** Of a destination, due between two times; `limit` of them, the earliest first. */
export interface DueRange {
  readonly destinationId: number
  readonly isReplay: 0 | 1
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** The search for an untried delivery visits at most this many. */
const UNTRIED_LOOKED_AT = 1000

/**
 * `+ 0`: SQLite plans a statement again for each new value of a plain `limit ?`, or of a comparison with a column of a partial index. That costs more
 * than the statement itself.
 */
export type ClaimStatements = ReturnType<typeof prepareClaimStatements>

export function prepareClaimStatements(db: Connection) {
  return {
    due: db.prepare<[DueRange], DueRow>(`
      ${CLAIMED} from deliveries d indexed by deliveries_due ${ITS_EVENT}
      where d.destination_id = :destinationId + 0 and d.state = 'pending' and d.claimed_by is null and (d.replay_id is not null) = :isReplay + 0
        and d.next_attempt_at between :from and :to
      order by d.next_attempt_at
      limit :limit + 0`),
    // Their leases have ended, or an operator retried them during the attempt.
    expired: db.prepare<[DueRange], DueRow>(`
      ${CLAIMED} from deliveries d indexed by deliveries_claimed ${ITS_EVENT}
      where d.destination_id = :destinationId + 0 and d.claimed_by is not null and d.state = 'pending' and (d.replay_id is not null) = :isReplay + 0
        and d.next_attempt_at between :from and :to
      order by d.next_attempt_at
      limit :limit + 0`),
    untried: db.prepare<[{ destinationId: number; now: number }], DueRow>(`
      ${CLAIMED} from (
        select id from deliveries indexed by deliveries_due
        where destination_id = :destinationId + 0 and state = 'pending' and claimed_by is null and (replay_id is not null) = 0
          and next_attempt_at <= :now
        order by next_attempt_at desc limit ${UNTRIED_LOOKED_AT}
      ) latest cross join deliveries d on d.id = latest.id ${ITS_EVENT}
      where d.attempts = 0 order by d.next_attempt_at desc limit 1`),
    later: db.prepare<[number, number, number]>(`
      select 1 from deliveries indexed by deliveries_in_order where destination_id = ? + 0 and delivered_key = ? + 0 and event_id > ? limit 1`),
    body: db.prepare<[number], Buffer>('select body from callbacks where id = ?').pluck(),
    ownBody: db.prepare<[number], Buffer>('select body from event_bodies where event_id = ?').pluck(),
    // With the ends of leases.
    nextDue: db.prepare<[{ destinationId: number; isReplay: 0 | 1; from: number }], { at: number | null }>(`
      select min(at) as at from (
        select min(next_attempt_at) as at from deliveries indexed by deliveries_due
        where destination_id = :destinationId + 0 and state = 'pending' and claimed_by is null and (replay_id is not null) = :isReplay + 0
          and next_attempt_at >= :from
        union all
        select * from (
          select next_attempt_at as at from deliveries indexed by deliveries_claimed
          where destination_id = :destinationId + 0 and claimed_by is not null and state = 'pending' and (replay_id is not null) = :isReplay + 0
            and next_attempt_at >= :from
          order by next_attempt_at limit 1))`),
    // By id: the index of due deliveries would visit the whole backlog.
    renew: db.prepare(`
      update deliveries not indexed set next_attempt_at = :leaseUntil
      where id in (select value from json_each(:held)) and claimed_by = :writerEpoch and state = 'pending' and next_attempt_at <= :now`),
    // Never before a retry, even if the clock is set back: a retry later than the claim was requested during the attempt.
    claim: db.prepare<[number, number, number, number, number]>(`
      update deliveries set claimed_by = ?, claimed_at = max(?, coalesce(replayed_at, 0)), attempts = ?, next_attempt_at = ? where id = ?`),
    copyFirst: db.prepare<[number]>(`
      insert into attempts (delivery_id, attempt, started_at, duration_ms, status, error, answer) ${FIRST_ATTEMPT} where d.id = ?`),
    clearFirst: db.prepare<[number]>('update deliveries set first_started_at = null, first_answer = null where id = ?'),
    loseAttempt: db.prepare(`
      insert into attempts (delivery_id, attempt, started_at, duration_ms, error)
      select id, attempts, claimed_at, max(0, :now - claimed_at), :error from deliveries where id = :id`),
    held: db.prepare<[number], HeldDelivery>(`
      select claimed_by, attempts, state, destination_id, order_key, coalesce(replayed_at > claimed_at, 0) as is_restarted,
        (select payload_removed_at is not null from events where id = event_id) as is_redacted
      from deliveries where id = ?`),
    // The common case in one statement: a first attempt has succeeded, and no other delivery waits for this one.
    deliverFirst: db.prepare<[number, number | null, number, number, Uint8Array, Uint8Array, number, number]>(`
      update deliveries set state = 'delivered', claimed_by = null, claimed_at = null, retries_used = retries_used + 1, next_attempt_at = null,
        ended_at = ?, last_status = ?, delivered_at = ?, first_started_at = ?,
        first_answer = case when length(?) = 0 or (select payload_removed_at from events where id = event_id) is null then ? end
      where id = ? and claimed_by = ? and attempts = 1 and state = 'pending' and order_key is null`),
    deliver: db.prepare<[number, number | null, number, number | null, Uint8Array | null, number]>(`
      update deliveries set state = 'delivered', claimed_by = null, claimed_at = null, retries_used = retries_used + 1, next_attempt_at = null,
        ended_at = ?, reason = null, last_status = ?, last_error = null, delivered_at = ?, delivered_key = order_key,
        first_started_at = ?, first_answer = ?
      where id = ?`),
    fail: db.prepare(`
      update deliveries set state = :state, claimed_by = null, claimed_at = null, retries_used = coalesce(:retriesUsed, retries_used + 1),
        next_attempt_at = :nextAttemptAt, ended_at = :endedAt, reason = :reason, last_status = :status, last_error = :error
      where id = :id`),
    // An operator skipped or retried it during the attempt: a failure changes nothing, and a retried delivery is due.
    settle: db.prepare(`
      update deliveries set claimed_by = null, claimed_at = null, next_attempt_at = case state when 'pending' then replayed_at end,
        last_status = :status, last_error = :error
      where id = :id`),
    release: db.prepare(`
      update deliveries set claimed_by = null, claimed_at = null, attempts = attempts - 1,
        next_attempt_at = case state when 'pending' then :dueAt end,
        state = iif(${IS_RESTORED}, 'delivered', state), reason = iif(${IS_RESTORED}, null, reason),
        ended_at = iif(${IS_RESTORED}, delivered_at, ended_at)
      where id = :id and claimed_by = :writerEpoch and attempts = :attempt`),
    insertAttempt: db.prepare<[number, number, number, number, number | null, string | null, Uint8Array | null]>(`
      insert into attempts (delivery_id, attempt, started_at, duration_ms, status, error, answer) values (?, ?, ?, ?, ?, ?, ?)`),
  }
}
