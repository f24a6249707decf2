import { type Invariant, sharedInvariants } from '../../../verification/invariants.ts'
import { DELIVERY_INVARIANTS } from './delivery-invariants.ts'
import { EVENT_INVARIANTS, TOKEN_INVARIANTS } from './event-invariants.ts'
import { RETENTION_INVARIANTS } from './retention-invariants.ts'

/** All except those of the search index. A destination that is being removed breaks some of them until its deliveries are canceled. */
export const INVARIANTS: readonly Invariant[] = [
  ...sharedInvariants('id'),
  ...EVENT_INVARIANTS,
  ...TOKEN_INVARIANTS,
  ...DELIVERY_INVARIANTS,
  ...RETENTION_INVARIANTS,
]
