import {
  type AttemptOutcome,
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  placesOfAll,
  type ReleasedClaim,
} from '../../../domain/delivery.ts'
import { bytesOfFact } from '../../../domain/event.ts'
import { loopIn } from '../../../domain/forwarding/forwarding-loop.ts'
import { forwardingText } from '../../../domain/forwarding/forwarding-texts.ts'
import { eventId } from '../../../domain/public-id.ts'
import type { Connection } from '../database/connection.ts'
import type { Destinations } from '../destinations/destinations.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import { spanOfRow } from '../rows/rows.ts'
import type { BacklogSums } from './backlog-sums.ts'
import { type ClaimRow, type DueRange, type HeldRow, prepareClaimStatements } from './claim-statements.ts'
import type { HandOver } from './hand-over.ts'

export interface Claims {
  claim(request: ClaimRequest): Claim
  record(outcomes: readonly AttemptOutcome[]): number
  release(claims: readonly ReleasedClaim[]): void
}

interface FirstAttempt {
  readonly startedAt: number
  readonly answer: Uint8Array | null
}

/** The most bytes of bodies in one claim. A destination worker with more room claims again. */
const CLAIM_BYTES = 4 * 1024 * 1024

/** Only if the claim could not even be given back: a process with an attempt under way renews its claim. */

/**
 * A claim means that the delivery's latest attempt is not recorded yet, also if an operator skips or retries the delivery meanwhile. Every write
 * after a claim repeats the writer epoch and the attempt, so an outcome whose claim was lost changes nothing (fencing).
 */
export function createClaims(
  db: Connection,
  parts: {
    writerEpoch: number
    orderKeys: OrderKeys
    destinations: Destinations
    backlogs: Pick<BacklogSums, 'claimed'>
    handOver: Pick<HandOver, 'offered' | 'claimed'>
  },
): Claims {
  const { writerEpoch, orderKeys, destinations, backlogs, handOver } = parts
  const statements = prepareClaimStatements(db)

  /** Facts of one callback are often due in a row: its body is read once for them. */
  function bodyReader(): (row: ClaimRow) => Uint8Array {
    let last: { readonly id: number; readonly body: Buffer } | undefined
    return function bodyOf(row) {
      if (row.source === 'resolved') return statements.ownBody.get(row.position) as Buffer
      if (last?.id !== row.callback_id) last = statements.body.get(row.callback_id) as { id: number; body: Buffer }
      return bytesOfFact(last.body, spanOfRow(row))
    }
  }

  /** As many as CLAIM_BYTES allows, but at least one. */
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
    if (row.first_started_at !== null) {
      statements.copyFirst.run(row.delivery_id)
      statements.clearFirst.run(row.delivery_id)
    }
    if (row.claimed_by === null) backlogs.claimed(request.destinationId, row.delivery_id, row.replay_id !== null)
    else
      statements.loseAttempt.run({
        id: row.delivery_id,
        now: request.now,
        error: forwardingText('interrupted_unrecorded'),
      })
    const attempt = row.attempts + 1
    const loop = row.loop_headers === null ? undefined : loopIn(row.loop_headers)
    statements.claim.run(writerEpoch, request.now, attempt, request.leaseUntil, row.delivery_id)
    return {
      deliveryId: row.delivery_id,
      destinationId: request.destinationId,
      attempt,
      retriesUsed: row.retries_used,
      dueAt: row.next_attempt_at,
      agesFrom: row.replayed_at ?? row.created_at,
      isInLine: row.order_key !== null,
      isBacklog: row.replay_id !== null || row.next_attempt_at < request.freshSince,
      isReplay: isReplay(request.destinationId, row),
      event: {
        id: eventId(row.position, row.nonce),
        kind: row.kind,
        environment: row.environment,
        authentication: row.authentication,
        source: row.source,
        subject: row.subject,
        status: row.status,
        receivedAt: row.received_at,
        part: row.part,
        parts: row.parts,
      },
      contentType: row.content_type,
      ...(loop !== undefined && { loop }),
      body,
    }
  }

  /** Whether the destination received this event before, or a later one with its order key. */
  function isReplay(destinationId: number, row: ClaimRow): boolean {
    if (row.replayed_at === null) return false
    if (row.delivered_at !== null) return true
    return row.order_key !== null && statements.later.get(destinationId, row.order_key, row.position) !== undefined
  }

  function holdsOrderKeys(destinationId: number): boolean {
    return destinations.current().find((d) => d.id === destinationId)?.onExhausted === 'hold'
  }

  function dueBetween(range: DueRange): ClaimRow[] {
    const due = statements.due.all(range)
    const expired = statements.expired.all(range)
    if (expired.length === 0) return due
    return [...due, ...expired].sort((a, b) => a.next_attempt_at - b.next_attempt_at).slice(0, range.limit)
  }

  /** Fresh deliveries first, except for the backlog's reserved places. Replays get the places that the rest of the backlog leaves. */
  function dueRows(request: ClaimRequest, freshSince: number): ClaimRow[] {
    const { destinationId, now, limit, backlogLimit, backlogShare = 0, isUntriedFirst = false } = request
    const untried = isUntriedFirst ? statements.untried.get({ destinationId, now }) : undefined
    if (untried !== undefined) return [untried]
    const fresh = dueBetween({ destinationId, isReplay: 0, from: freshSince, to: now, limit })
    const room = Math.max(limit - fresh.length, Math.min(backlogShare, limit))
    // SQLite treats a negative limit as none.
    const places = Math.max(0, Math.min(room, backlogLimit))
    const before = Math.min(now, freshSince - 1)
    const backlog = dueBetween({ destinationId, isReplay: 0, from: 0, to: before, limit: places })
    if (backlog.length < places)
      backlog.push(...dueBetween({ destinationId, isReplay: 1, from: 0, to: now, limit: places - backlog.length }))
    return [...fresh.slice(0, limit - backlog.length), ...backlog]
  }

  /** What this claim has left: when the next fresh delivery is due, and whether there is a backlog. */
  function leftBehind({ destinationId, now }: ClaimRequest, freshSince: number) {
    const next = (isReplay: 0 | 1, from: number) =>
      statements.nextDue.get({ destinationId, isReplay, from })?.at ?? null
    const nextFresh = next(0, freshSince)
    const nextReplay = next(1, 0)
    const isReplayDue = nextReplay !== null && nextReplay <= now
    const times = [nextFresh, isReplayDue ? null : nextReplay].filter((at) => at !== null)
    return {
      nextDueAt: times.length === 0 ? null : Math.min(...times),
      hasBacklog: isReplayDue || (next(0, 0) ?? freshSince) < freshSince,
    }
  }

  /** The common case of `record`. False: it is another case, and nothing has changed. */
  function recordAtOnce(outcome: AttemptOutcome): boolean {
    if (outcome.attempt !== 1 || outcome.result.state !== 'delivered') return false
    const { deliveryId, startedAt, durationMs, status, answer } = outcome
    const endedAt = startedAt + durationMs
    const { changes } = statements.deliverFirst.run(
      ...[endedAt, status, endedAt, startedAt, answer, answer, deliveryId, writerEpoch],
    )
    return changes > 0
  }

  /** @param first what the delivery's row keeps of its first attempt; null: `attempts` has a row of the attempt */
  function finish({ result, ...outcome }: AttemptOutcome, row: HeldRow, first: FirstAttempt | null): void {
    const endedAt = outcome.startedAt + outcome.durationMs
    if (result.state === 'delivered') {
      const { startedAt = null, answer = null } = first ?? {}
      statements.deliver.run(endedAt, outcome.status, endedAt, startedAt, answer, outcome.deliveryId)
    } else
      statements.fail.run({
        id: outcome.deliveryId,
        state: result.state,
        retriesUsed: result.state === 'pending' ? result.retriesUsed : null,
        nextAttemptAt: result.state === 'pending' ? result.at : null,
        endedAt: result.state === 'pending' ? null : endedAt,
        reason: result.state === 'exhausted' ? result.reason : null,
        status: outcome.status,
        error: outcome.error,
      })
    if (row.order_key === null || result.state === 'pending') return
    if (result.state === 'exhausted' && holdsOrderKeys(row.destination_id)) return
    const delivery = { id: outcome.deliveryId, destinationId: row.destination_id, orderKey: row.order_key }
    orderKeys.release({ ...delivery, isHead: row.state === 'pending' }, endedAt)
  }

  return {
    claim(request) {
      const { now, leaseUntil, held = [], room } = request
      // After the clock was set back, no delivery must fall between fresh and backlog.
      const freshSince = Math.min(request.freshSince, now + 1)
      const renewed =
        held.length === 0
          ? 0
          : statements.renew.run({ held: JSON.stringify(held), writerEpoch, now, leaseUntil }).changes
      const rows = dueRows(request, freshSince)
      const deliveries = claimRows(request, rows)
      const left = leftBehind(request, freshSince)
      const isAll = rows.length < request.limit && deliveries.length === rows.length && !left.hasBacklog
      if (room !== undefined) handOver.offered([room])
      handOver.claimed(request.destinationId, placesOfAll(deliveries), isAll)
      return { deliveries, ...left, isHeldDue: renewed > 0 }
    },

    record(outcomes) {
      let recorded = 0
      for (const outcome of outcomes) {
        if (recordAtOnce(outcome)) {
          recorded++
          continue
        }
        const { deliveryId: id, attempt, startedAt, durationMs, status, error } = outcome
        const row = statements.held.get(id)
        if (row === undefined || row.claimed_by !== writerEpoch || row.attempts !== attempt) continue
        recorded++
        const answer = row.is_redacted === 1 ? null : outcome.answer
        const isDelivered = outcome.result.state === 'delivered'
        const first = isDelivered && attempt === 1 ? { startedAt, answer } : null
        if (first === null) statements.insertAttempt.run(id, attempt, startedAt, durationMs, status, error, answer)
        const isDecided = row.state !== 'pending' || row.is_restarted === 1
        if (isDecided && !isDelivered) statements.settle.run({ id, status, error })
        else finish(outcome, row, first)
      }
      return recorded
    },

    release(claims) {
      for (const { deliveryId, attempt, dueAt } of claims)
        statements.release.run({ id: deliveryId, attempt, writerEpoch, dueAt })
    },
  }
}

/** Voids all old claims at a start: the deliveries are due now, and their attempts are recorded as interrupted. One transaction. */
export function voidOldClaims(db: Connection, now: number): void {
  const insert = db.prepare(`
    insert into attempts (delivery_id, attempt, started_at, duration_ms, error)
    select id, attempts, claimed_at, max(0, ? - claimed_at), 'interrupted: the gateway ended before the outcome was on record; it may have arrived'
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
