import type { DeliveryState } from '../../domain/delivery.ts'
import { forwardingText } from '../../domain/forwarding/forwarding-texts.ts'
import { numberedId } from '../../domain/public-id.ts'
import { REPLAYS_AT_ONCE, type ReplayRecord } from '../../domain/replay.ts'
import { PortariaError } from '../../platform/errors.ts'

/** @throws PortariaError `conflict` */
export function refuseMoreReplays(running: number): void {
  if (running < REPLAYS_AT_ONCE) return
  throw new PortariaError(
    'conflict',
    `${REPLAYS_AT_ONCE} replays are running, and no more are allowed at once: wait for one, or cancel one`,
  )
}

/** @throws PortariaError `not_found` */
export function knownReplay(id: number, replay: ReplayRecord | null): ReplayRecord {
  if (replay === null) throw new PortariaError('not_found', `there is no replay ${numberedId('rpl', id)}`)
  return replay
}

/** @param withdrawn how many of its deliveries waited @throws PortariaError `conflict` */
export function refuseCanceling({ replayId, state }: ReplayRecord, withdrawn: number): void {
  if (withdrawn > 0 || state === 'running') return
  throw new PortariaError(
    'conflict',
    `${numberedId('rpl', replayId)} is ${state} already, and none of its deliveries waits: there is nothing to cancel`,
  )
}

/** A delivery of a replay that is canceled. */
export interface WithdrawnRow {
  readonly id: number
  readonly state: DeliveryState
  readonly order_key: number | null
  readonly claimed_by: number | null
  readonly delivered_at: number | null
}

/** A delivery that was delivered before becomes `delivered` again. A claimed one does so when its claim is released unsent; otherwise the outcome decides. */
export function endOfWithdrawn({ claimed_by: claimedBy, delivered_at: deliveredAt }: WithdrawnRow, now: number) {
  if (deliveredAt !== null && claimedBy === null) return { state: 'delivered', reason: null, endedAt: deliveredAt }
  return { state: 'canceled', reason: forwardingText('replay_canceled'), endedAt: now }
}
