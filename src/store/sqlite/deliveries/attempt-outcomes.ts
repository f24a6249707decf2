import type { AttemptOutcome } from '../../../domain/delivery.ts'
import type { HeldDelivery } from '../../rows/claim-row.ts'
import type { Destinations } from '../destinations/destinations.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import type { ClaimStatements } from './claim-statements.ts'

interface FirstAttempt {
  readonly startedAt: number
  readonly answer: Uint8Array | null
}

/** Records outcomes of attempts whose claims are still held by this writer. @returns how many */
export function createOutcomes(
  statements: ClaimStatements,
  {
    writerEpoch,
    orderKeys,
    destinations,
  }: { readonly writerEpoch: number; readonly orderKeys: OrderKeys; readonly destinations: Destinations },
) {
  function holdsOrderKeys(destinationId: number): boolean {
    return destinations.current().find((d) => d.id === destinationId)?.onExhausted === 'hold'
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
  function finish({ result, ...outcome }: AttemptOutcome, row: HeldDelivery, first: FirstAttempt | null): void {
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

  return function record(outcomes: readonly AttemptOutcome[]): number {
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
      const answer = row.is_redacted ? null : outcome.answer
      const isDelivered = outcome.result.state === 'delivered'
      const first = isDelivered && attempt === 1 ? { startedAt, answer } : null
      if (first === null) statements.insertAttempt.run(id, attempt, startedAt, durationMs, status, error, answer)
      const isDecided = row.state !== 'pending' || Boolean(row.is_restarted)
      if (isDecided && !isDelivered) statements.settle.run({ id, status, error })
      else finish(outcome, row, first)
    }
    return recorded
  }
}
