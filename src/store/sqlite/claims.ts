import type { Environment, Authentication } from '../../domain/event.ts'
import { bytesOfFact } from '../../domain/event.ts'
import { eventId } from '../../domain/public-id.ts'
import type { AttemptOutcome, Claim, ClaimedDelivery, ClaimRequest, ReleasedClaim } from '../../domain/store.ts'
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
  replayed_at: number | null
  position: number
  nonce: string
  kind: string
  environment: Environment
  authentication: Authentication
  received_at: number
  part: number
  parts: number
  content_type: string | null
  body: Buffer
}

/** Every write after a claim repeats the owner and the attempt: what lost its claim changes nothing (fencing). */
export function createClaims(
  db: Connection,
  parts: { owner: number; lines: SubjectLines; destinations: Destinations },
): Claims {
  const { owner, lines, destinations } = parts
  const statements = prepareStatements(db)

  function claimRow(request: ClaimRequest, row: ClaimRow): ClaimedDelivery {
    const attempt = row.attempts + 1
    statements.claim.run({ id: row.delivery_id, attempt, owner, now: request.now, leaseUntil: request.leaseUntil })
    return {
      deliveryId: row.delivery_id,
      destinationId: request.destinationId,
      attempt,
      stepsUsed: row.steps_used,
      dueAt: row.next_attempt_at,
      agesFrom: row.replayed_at ?? row.received_at,
      event: {
        id: eventId(row.position, row.nonce),
        kind: row.kind,
        environment: row.environment,
        authentication: row.authentication,
        receivedAt: row.received_at,
        part: row.part,
        parts: row.parts,
      },
      contentType: row.content_type,
      body: bytesOfFact(row.body, spanOfRow(row)),
    }
  }

  function holdsLine(destinationId: number): boolean {
    return destinations.current().find((d) => d.id === destinationId)?.onExhausted === 'hold'
  }

  return {
    claim(request) {
      const { destinationId, now, limit } = request
      // A clock that was set back leaves nothing between the two lanes.
      const freshSince = Math.min(request.freshSince, now + 1)
      const fresh = statements.due.all({ destinationId, from: freshSince, to: now, limit })
      // SQLite takes a negative limit for none.
      const backlogLimit = Math.max(0, Math.min(limit - fresh.length, request.backlogLimit))
      const backlog = statements.due.all({
        destinationId,
        from: 0,
        to: Math.min(now, freshSince - 1),
        limit: backlogLimit,
      })
      return {
        deliveries: [...fresh, ...backlog].map((row) => claimRow(request, row)),
        nextDueAt: statements.nextDue.get(destinationId, freshSince)?.at ?? null,
        hasBacklog: (statements.nextDue.get(destinationId, 0)?.at ?? freshSince) < freshSince,
      }
    },

    record(outcomes) {
      let recorded = 0
      for (const { result, ...outcome } of outcomes) {
        if (statements.insertAttempt.run({ ...outcome, owner }).changes === 0) continue
        recorded++
        const row = statements.finish.get({
          id: outcome.deliveryId,
          attempt: outcome.attempt,
          owner,
          state: result.state,
          stepsUsed: result.state === 'pending' ? result.stepsUsed : null,
          nextAttemptAt: result.state === 'pending' ? result.at : null,
          endedAt: result.state === 'pending' ? null : outcome.startedAt + outcome.durationMs,
          reason: result.state === 'exhausted' ? result.reason : null,
          status: outcome.status,
          error: outcome.error,
        })
        if (row?.order_key === null || row?.order_key === undefined || result.state === 'pending') continue
        if (result.state === 'exhausted' && holdsLine(row.destination_id)) continue
        const line = {
          id: outcome.deliveryId,
          destinationId: row.destination_id,
          orderKey: row.order_key,
          isHead: true,
        }
        lines.leave(line, outcome.startedAt + outcome.durationMs)
      }
      return recorded
    },

    release(claims) {
      for (const { deliveryId, attempt, dueAt } of claims)
        statements.release.run({ id: deliveryId, attempt, owner, dueAt })
    },
  }
}

/** At start all old claims are void: due at once, and an attempt that was under way is on record as interrupted. */
export function voidOldClaims(db: Connection, now: number): number {
  db.prepare(`
    insert into attempts (delivery_id, attempt, started_at, duration_ms, error)
    select id, attempts, claimed_at, max(0, ? - claimed_at), 'interrupted: the gateway stopped during the attempt'
    from deliveries where claimed_by is not null`).run(now)
  return db
    .prepare(
      'update deliveries set claimed_by = null, claimed_at = null, next_attempt_at = ? where claimed_by is not null',
    )
    .run(now).changes
}

function prepareStatements(db: Connection) {
  return {
    due: db.prepare<[{ destinationId: number; from: number; to: number; limit: number }], ClaimRow>(`
      select d.id as delivery_id, d.attempts, d.steps_used, d.next_attempt_at, d.replayed_at, e.id as position, e.nonce, e.kind, e.environment, e.received_at, e.part, e.parts,
        e.array_start, e.array_end, e.item_start, e.item_end, c.authentication, c.content_type, c.body
      from deliveries d indexed by deliveries_due
      join events e on e.id = d.event_id
      join callbacks c on c.id = e.callback_id
      where d.destination_id = :destinationId and d.state = 'pending' and d.next_attempt_at between :from and :to
      order by d.next_attempt_at
      limit :limit`),
    nextDue: db.prepare<[number, number], { at: number | null }>(`
      select min(next_attempt_at) as at from deliveries indexed by deliveries_due
      where destination_id = ? and state = 'pending' and next_attempt_at >= ?`),
    claim: db.prepare(`
      update deliveries set claimed_by = :owner, claimed_at = :now, attempts = :attempt, next_attempt_at = :leaseUntil where id = :id`),
    finish: db.prepare<[Record<string, unknown>], { destination_id: number; order_key: number | null }>(`
      update deliveries set state = :state, claimed_by = null, claimed_at = null, steps_used = coalesce(:stepsUsed, steps_used + 1),
        next_attempt_at = :nextAttemptAt, ended_at = :endedAt, reason = :reason, last_status = :status, last_error = :error
      where id = :id and attempts = :attempt
        and ((state = 'pending' and claimed_by = :owner) or (state = 'canceled' and :state = 'delivered'))
      returning destination_id, order_key`),
    release: db.prepare(`
      update deliveries set claimed_by = null, next_attempt_at = :dueAt, claimed_at = null, attempts = attempts - 1
      where id = :id and claimed_by = :owner and attempts = :attempt and state = 'pending'`),
    insertAttempt: db.prepare(`
      insert into attempts (delivery_id, attempt, started_at, duration_ms, status, error, answer)
      select :deliveryId, :attempt, :startedAt, :durationMs, :status, :error, :answer from deliveries
      where id = :deliveryId and attempts = :attempt and (claimed_by = :owner or state = 'canceled')`),
  }
}
