import { DELIVERY_INVARIANTS, ORDER_INVARIANTS, REPLAY_INVARIANTS } from './delivery-invariants.ts'
import { EVENT_INVARIANTS, QUARANTINE_INVARIANTS, TOKEN_INVARIANTS } from './event-invariants.ts'
import type { Invariant } from './invariant.ts'
import { RETENTION_INVARIANTS } from './retention-invariants.ts'

/** All except those of the search index. A destination that is being removed breaks some of them until its deliveries are canceled. */
export const INVARIANTS: readonly Invariant[] = [
  ...EVENT_INVARIANTS,
  ...QUARANTINE_INVARIANTS,
  ...TOKEN_INVARIANTS,
  ...DELIVERY_INVARIANTS,
  ...REPLAY_INVARIANTS,
  ...ORDER_INVARIANTS,
  ...RETENTION_INVARIANTS,
]
