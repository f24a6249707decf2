import type { Authentication, Environment } from '../../domain/event.ts'
import { bytesOfFact } from '../../domain/event.ts'
import { eventId } from '../../domain/public-id.ts'
import type {
  AttemptOutcome,
  Claim,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryState,
  ReleasedClaim,
} from '../../domain/store.ts'
import type { Connection } from './connection.ts'
import type { Destinations } from './destinations.ts'
import { type SpanRow, spanOfRow } from './rows.ts'
import type { SubjectLines } from './subject-lines.ts'

export interface Claims {
  claim(request: ClaimRequest): Claim
  record(outcomes: readonly AttemptOutcome[]): number
  release(claims: readonly ReleasedClaim[]): void
}

interface ClaimRow extends SpanRow {
  delivery_id: number
  attempts: number
  steps_used: number
  next_attempt_at: number
  claimed_by: number | null
  order_key: number | null
  created_at: number
  replayed_at: number | null
  position: number
  nonce: string
  kind: string
  environment: Environment
  authentication: Authentication | 'none'
  subject: string | null
  status: string | null
  received_at: number
  part: number
  parts: number
  callback_id: number
  content_type: string | null
}

/** A claimed delivery whose attempt has ended. */
interface HeldRow {
  state: DeliveryState
  destination_id: number
  order_key: number | null
  /** An operator retried or replayed it during the attempt. */
  is_restarted: 0 | 1
}

/** Bodies of one claim, as they are sent; whoever has room for more claims again. */
const CLAIM_BYTES = 4 * 1024 * 1024

/** Only where even giving the claim back failed: whoever has an attempt under way keeps its claim. */
const LOST = 'interrupted: nothing was recorded before its lease ended'

/**
 * A claim says that the delivery's latest attempt is not on record yet, also while an operator skips it or retries it meanwhile. Every write
 * after a claim repeats the owner and the attempt: what lost its claim changes nothing (fencing).
 */
export function createClaims(
  db: Connection,
  parts: { owner: number; lines: SubjectLines; destinations: Destinations },
): Claims {
  const { owner, lines, destinations } = parts
  const statements = prepareStatements(db)

  /** Several facts of one callback are often due one after the other: its body is read once for them. */
  function bodyReader(): (row: ClaimRow) => Uint8Array {
    let last: { readonly id: number; readonly body: Buffer } | undefined
    return function bodyOf(row) {
      if (last?.id !== row.callback_id) last = statements.body.get(row.callback_id) as { id: number; body: Buffer }
      return bytesOfFact(last.body, spanOfRow(row))
    }
  }

  /** As many as the memory for their bodies allows, but one at least. */
  function claimRows(request: ClaimRequest, rows: readonly ClaimRow[]): ClaimedDelivery[] {
    const bodyOf = bodyReader()
    const claimed: ClaimedDelivery[] = []
    for (let bytes = 0; claimed.length < rows.length && bytes < CLAIM_BYTES; ) {
      const row = rows[claimed.length] as ClaimRow
      const body = bodyOf(row)
      claimed.push(claimRow(request, row, body))
      bytes += body.length
    }
    return claimed
  }

  function claimRow(request: ClaimRequest, row: ClaimRow, body: Uint8Array): ClaimedDelivery {
    if (row.claimed_by !== null) statements.loseAttempt.run({ id: row.delivery_id, now: request.now, error: LOST })
    const attempt = row.attempts + 1
    statements.claim.run({ id: row.delivery_id, attempt, owner, now: request.now, leaseUntil: request.leaseUntil })
    return {
      deliveryId: row.delivery_id,
      destinationId: request.destinationId,
      attempt,
      stepsUsed: row.steps_used,
      dueAt: row.next_attempt_at,
      agesFrom: row.replayed_at ?? row.created_at,
      isInLine: row.order_key !== null,
      event: {
        id: eventId(row.position, row.nonce),
        kind: row.kind,
        environment: row.environment,
        authentication: row.authentication,
        subject: row.subject,
        status: row.status,
        receivedAt: row.received_at,
        part: row.part,
        parts: row.parts,
      },
      contentType: row.content_type,
      body,
    }
  }

  function holdsLine(destinationId: number): boolean {
    return destinations.current().find((d) => d.id === destinationId)?.onExhausted === 'hold'
  }

  /** Fresh ones first, but for the places that are the backlog's. */
  function dueRows({ destinationId, now, limit, backlogLimit, backlogShare = 0 }: ClaimRequest, freshSince: number) {
    const fresh = statements.due.all({ destinationId, from: freshSince, to: now, limit })
    const room = Math.max(limit - fresh.length, Math.min(backlogShare, limit))
    const backlog = statements.due.all({
      destinationId,
      from: 0,
      to: Math.min(now, freshSince - 1),
      // SQLite takes a negative limit for none.
      limit: Math.max(0, Math.min(room, backlogLimit)),
    })
    return [...fresh.slice(0, limit - backlog.length), ...backlog]
  }

  function finish({ result, ...outcome }: AttemptOutcome, row: HeldRow): void {
    const endedAt = outcome.startedAt + outcome.durationMs
    statements.finish.run({
      id: outcome.deliveryId,
      state: result.state,
      stepsUsed: result.state === 'pending' ? result.stepsUsed : null,
      nextAttemptAt: result.state === 'pending' ? result.at : null,
      endedAt: result.state === 'pending' ? null : endedAt,
      reason: result.state === 'exhausted' ? result.reason : null,
      status: outcome.status,
      error: outcome.error,
    })
    if (row.order_key === null || result.state === 'pending') return
    if (result.state === 'exhausted' && holdsLine(row.destination_id)) return
    const line = { id: outcome.deliveryId, destinationId: row.destination_id, orderKey: row.order_key }
    lines.leave({ ...line, isHead: row.state === 'pending' }, endedAt)
  }

  return {
    claim(request) {
      const { destinationId, now, leaseUntil, held = [] } = request
      // A clock that was set back leaves nothing between the two lanes.
      const freshSince = Math.min(request.freshSince, now + 1)
      const renewed =
        held.length === 0 ? 0 : statements.renew.run({ held: JSON.stringify(held), owner, now, leaseUntil }).changes
      return {
        deliveries: claimRows(request, dueRows(request, freshSince)),
        nextDueAt: statements.nextDue.get(destinationId, freshSince)?.at ?? null,
        hasBacklog: (statements.nextDue.get(destinationId, 0)?.at ?? freshSince) < freshSince,
        isHeldDue: renewed > 0,
      }
    },

    record(outcomes) {
      let recorded = 0
      for (const outcome of outcomes) {
        const { deliveryId: id, attempt, status, error } = outcome
        const row = statements.held.get({ id, attempt, owner })
        if (row === undefined) continue
        recorded++
        statements.insertAttempt.run(outcome)
        const isDecided = row.state !== 'pending' || row.is_restarted === 1
        if (isDecided && outcome.result.state !== 'delivered') statements.settle.run({ id, status, error })
        else finish(outcome, row)
      }
      return recorded
    },

    release(claims) {
      for (const { deliveryId, attempt, dueAt } of claims)
        statements.release.run({ id: deliveryId, attempt, owner, dueAt })
    },
  }
}

/** At start all old claims are void: due at once, and an attempt that was under way is on record as interrupted. One transaction. */
export function voidOldClaims(db: Connection, now: number): void {
  const insert = db.prepare(`
    insert into attempts (delivery_id, attempt, started_at, duration_ms, error)
    select id, attempts, claimed_at, max(0, ? - claimed_at), 'interrupted: the gateway stopped during the attempt'
    from deliveries where claimed_by is not null`)
  const clear = db.prepare(`
    update deliveries set claimed_by = null, claimed_at = null, next_attempt_at = case state when 'pending' then ? end
    where claimed_by is not null`)
  const voidAll = db.transaction(() => {
    insert.run(now)
    clear.run(now)
  })
  voidAll.immediate()
}

function prepareStatements(db: Connection) {
  return {
    due: db.prepare<[{ destinationId: number; from: number; to: number; limit: number }], ClaimRow>(`
      select d.id as delivery_id, d.attempts, d.steps_used, d.next_attempt_at, d.claimed_by, d.order_key, d.created_at, d.replayed_at, e.id as position, e.nonce, e.kind, e.environment, e.subject, e.status, e.received_at, e.part, e.parts,
        e.array_start, e.array_end, e.item_start, e.item_end, c.id as callback_id, c.authentication, c.content_type
      from deliveries d indexed by deliveries_due
      join events e on e.id = d.event_id
      join callbacks c on c.id = e.callback_id
      where d.destination_id = :destinationId and d.state = 'pending' and d.next_attempt_at between :from and :to
      order by d.next_attempt_at
      limit :limit`),
    body: db.prepare<[number], { id: number; body: Buffer }>('select id, body from callbacks where id = ?'),
    nextDue: db.prepare<[number, number], { at: number | null }>(`
      select min(next_attempt_at) as at from deliveries indexed by deliveries_due
      where destination_id = ? and state = 'pending' and next_attempt_at >= ?`),
    // By their ids: the index of what is due would lead through all of the backlog.
    renew: db.prepare(`
      update deliveries not indexed set next_attempt_at = :leaseUntil
      where id in (select value from json_each(:held)) and claimed_by = :owner and state = 'pending' and next_attempt_at <= :now`),
    // Never before a retry, whatever the clock does: a retry that is later than the claim came during the attempt.
    claim: db.prepare(`
      update deliveries set claimed_by = :owner, claimed_at = max(:now, coalesce(replayed_at, 0)), attempts = :attempt,
        next_attempt_at = :leaseUntil
      where id = :id`),
    loseAttempt: db.prepare(`
      insert into attempts (delivery_id, attempt, started_at, duration_ms, error)
      select id, attempts, claimed_at, max(0, :now - claimed_at), :error from deliveries where id = :id`),
    held: db.prepare<[{ id: number; attempt: number; owner: number }], HeldRow>(`
      select state, destination_id, order_key, coalesce(replayed_at > claimed_at, 0) as is_restarted from deliveries
      where id = :id and attempts = :attempt and claimed_by = :owner`),
    finish: db.prepare(`
      update deliveries set state = :state, claimed_by = null, claimed_at = null, steps_used = coalesce(:stepsUsed, steps_used + 1),
        next_attempt_at = :nextAttemptAt, ended_at = :endedAt, reason = :reason, last_status = :status, last_error = :error
      where id = :id`),
    // An operator has decided meanwhile: a failure changes nothing of it, and what was retried is due.
    settle: db.prepare(`
      update deliveries set claimed_by = null, claimed_at = null, next_attempt_at = case state when 'pending' then replayed_at end,
        last_status = :status, last_error = :error
      where id = :id`),
    release: db.prepare(`
      update deliveries set claimed_by = null, claimed_at = null, attempts = attempts - 1,
        next_attempt_at = case state when 'pending' then :dueAt end
      where id = :id and claimed_by = :owner and attempts = :attempt`),
    insertAttempt: db.prepare(`
      insert into attempts (delivery_id, attempt, started_at, duration_ms, status, error, answer)
      values (:deliveryId, :attempt, :startedAt, :durationMs, :status, :error, :answer)`),
  }
}
