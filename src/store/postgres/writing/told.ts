import type { StoredCallback } from '../../../domain/event-record.ts'
import type { Changes } from '../../../domain/nodes/foreign-changes.ts'
import type { NodeWrites } from '../../../domain/nodes/node.ts'
import type { PageSessionWrites } from '../../../domain/nodes/page-session.ts'
import type { ReconcileWrites } from '../../../domain/reconcile/reconcile-store.ts'
import type { ArgumentsOf, ResultOf, Writes } from '../../storing/store-calls.ts'
import { NO_CHANGES } from '../changes/changes.ts'

type TellingWrites = Writes & NodeWrites & PageSessionWrites & ReconcileWrites

type Telling = {
  readonly [M in keyof TellingWrites]?: (
    result: ResultOf<M, TellingWrites>,
    ...args: ArgumentsOf<M, TellingWrites>
  ) => Partial<Changes>
}

const endedBatch: Telling['acknowledgeBatch'] & Telling['seekConsumer'] & Telling['deleteConsumer'] = (
  _,
  consumer,
) => ({
  consumers: [consumer],
})
const changedSessions = () => ({ sorts: ['sessions'] as const })
const changedClient = () => ({ sorts: ['clients'] as const })

/** Of callbacks, in one step: each may have hundreds of destinations. */
export function toldByStoring(stored: readonly StoredCallback[]): Changes {
  return {
    ...NO_CHANGES,
    destinationIds: [...new Set(stored.flatMap(({ destinationIds }) => destinationIds))],
    sorts: stored.some(({ tokenId }) => tokenId !== undefined) ? ['tokens'] : [],
  }
}

/** What other nodes must know of a call, beside new events and changed destinations. */
const TELLING: Telling = {
  settleToken: ({ destinationIds }) => ({ destinationIds }),
  raiseExpiryWarning: (raised) => ({ destinationIds: raised?.destinationIds ?? [] }),
  raiseInactivity: (raised) => ({ destinationIds: raised?.destinationIds ?? [] }),
  settleAnswer: (settled) => ({ destinationIds: settled?.destinationIds ?? [] }),
  raiseSilence: (raised) => ({ destinationIds: raised?.destinationIds ?? [] }),
  raiseOutage: (raised) => ({ destinationIds: raised?.destinationIds ?? [] }),
  releaseQuarantined: ({ destinationIds }) => ({ destinationIds }),
  retryDelivery: ({ destinationId }) => ({ destinationIds: [destinationId] }),
  skipDelivery: ({ destinationId }, deliveryId) => ({ destinationIds: [destinationId], droppedIds: [deliveryId] }),
  replayEvent: ({ destinationIds }) => ({ destinationIds }),
  createReplay: () => ({ sorts: ['replays'] }),
  advanceReplay: ({ destinationIds }) => ({ destinationIds }),
  cancelReplay: ({ destinationIds, claimedIds }) => ({ destinationIds, droppedIds: claimedIds }),
  removeAged: ({ destinationIds }) => ({ destinationIds }),
  redact: ({ destinationIds, deliveryIds }) => ({ destinationIds, droppedIds: deliveryIds }),
  acknowledgeBatch: endedBatch,
  seekConsumer: endedBatch,
  deleteConsumer: endedBatch,
  createClient: changedClient,
  rotateClient: changedClient,
  revokeClient: changedClient,
  keepSession: changedSessions,
  endSession: changedSessions,
  endGrants: (ended) => (ended === null || ended === 0 ? {} : changedSessions()),
  freeLeases: () => ({ sorts: ['leases'] }),
  signOff: () => ({ sorts: ['leases'] }),
}

interface Call {
  readonly method: string
  readonly args: readonly unknown[]
}

export function toldBy({ method, args }: Call, result: unknown): Changes {
  const tell = TELLING[method as keyof Telling] as
    | ((result: unknown, ...args: readonly unknown[]) => Partial<Changes>)
    | undefined
  return { ...NO_CHANGES, ...tell?.(result, ...args) }
}
