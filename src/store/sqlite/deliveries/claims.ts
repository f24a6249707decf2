import {
  type AttemptOutcome,
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  type ReleasedClaim,
  slotsOfAll,
} from '../../../domain/delivery.ts'
import { bytesOfFact } from '../../../domain/event.ts'
import { forwardingText } from '../../../domain/forwarding/forwarding-texts.ts'
import { claimedDeliveryOf } from '../../rows/claim-row.ts'
import { readOncePerCallback } from '../../rows/payload-row.ts'
import { spanOfRow } from '../../rows/span-row.ts'
import { freshSinceOf } from '../../rules/deliveries.ts'
import type { HandOver } from '../../storing/hand-over.ts'
import type { Connection } from '../database/connection.ts'
import type { Destinations } from '../destinations/destinations.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import { createOutcomes } from './attempt-outcomes.ts'
import type { BacklogSums } from './backlog-sums.ts'
import { type DueRow, prepareClaimStatements } from './claim-statements.ts'
import { dueRows, leftBehind } from './due-rows.ts'

export interface Claims {
  claim(request: ClaimRequest): Claim
  record(outcomes: readonly AttemptOutcome[]): number
  release(claims: readonly ReleasedClaim[]): void
}

/** The most bytes of bodies in one claim. A destination worker with more free slots claims again. */
const CLAIM_BYTES = 4 * 1024 * 1024

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
  const { writerEpoch, backlogs, handOver } = parts
  const statements = prepareClaimStatements(db)

  /** Facts of one callback are often due in a row. */
  function bodyReader(): (row: DueRow) => Uint8Array {
    const ofCallback = readOncePerCallback((id) => statements.body.get(id) as Buffer)
    return function bodyOf(row) {
      if (row.source === 'resolved') return statements.ownBody.get(row.position) as Buffer
      return bytesOfFact(ofCallback(row.callback_id), spanOfRow(row))
    }
  }

  /** As many as CLAIM_BYTES allows, but at least one. */
  function claimRows(request: ClaimRequest, rows: readonly DueRow[]): ClaimedDelivery[] {
    const bodyOf = bodyReader()
    const claimed: ClaimedDelivery[] = []
    for (let bytes = 0; claimed.length < rows.length && bytes < CLAIM_BYTES; ) {
      const row = rows[claimed.length] as DueRow
      const body = bodyOf(row)
      claimed.push(claimRow(request, row, body))
      bytes += body.length
    }
    return claimed
  }

  function claimRow(request: ClaimRequest, row: DueRow, body: Uint8Array): ClaimedDelivery {
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
    statements.claim.run(writerEpoch, request.now, attempt, request.leaseUntil, row.delivery_id)
    return claimedDeliveryOf(row, request, body, isReplay(request.destinationId, row))
  }

  /** Whether the destination received this event before, or a later one with its order key. */
  function isReplay(destinationId: number, row: DueRow): boolean {
    if (row.replayed_at === null) return false
    if (row.delivered_at !== null) return true
    return row.order_key !== null && statements.later.get(destinationId, row.order_key, row.position) !== undefined
  }

  return {
    claim(request) {
      const { now, leaseUntil, held = [], slots } = request
      const freshSince = freshSinceOf(request)
      const renewed =
        held.length === 0
          ? 0
          : statements.renew.run({ held: JSON.stringify(held), writerEpoch, now, leaseUntil }).changes
      const rows = dueRows(statements, request, freshSince)
      const deliveries = claimRows(request, rows)
      const left = leftBehind(statements, request, freshSince)
      const isAll = rows.length < request.limit && deliveries.length === rows.length && !left.hasBacklog
      if (slots !== undefined) handOver.offered([slots])
      handOver.claimed(request.destinationId, slotsOfAll(deliveries), isAll)
      return { deliveries, ...left, isHeldDue: renewed > 0 }
    },

    record: createOutcomes(statements, parts),

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
    select id, attempts, claimed_at, max(0, :now - claimed_at), :error
    from deliveries where claimed_by is not null`)
  const clear = db.prepare(`
    update deliveries set claimed_by = null, claimed_at = null, next_attempt_at = case state when 'pending' then ? end
    where claimed_by is not null`)
  const voidAll = db.transaction(() => {
    insert.run({ now, error: forwardingText('interrupted_by_end') })
    clear.run(now)
  })
  voidAll.immediate()
}
