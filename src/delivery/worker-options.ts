import type { Destination } from '../domain/destination.ts'
import type { Store } from '../domain/store.ts'
import type { DestinationHealthOptions } from './destination-health.ts'
import type { OutcomeBatcher } from './outcome-batcher.ts'
import type { Sender } from './send.ts'

/** What the worker of a destination works with. */
export interface DestinationWorkerOptions extends DestinationHealthOptions {
  readonly store: Pick<Store, 'claimDeliveries' | 'releaseClaims' | 'setCircuit' | 'offerSlots'>
  readonly sender: Pick<Sender, 'send'>
  readonly outcomes: OutcomeBatcher
  /** False: ages are unknown, and no delivery expires; default true. */
  readonly isClockPlausible?: () => boolean
  /** As in ClaimRatesOptions. */
  readonly catchUpRate: number | null
  /** Why nothing may be sent to the destination now, in words; null: sending is allowed. */
  readonly sendBlockedReason: (destination: Destination) => string | null
  /** False: no attempt begins, nor another try of one, and nothing is claimed; default true. */
  readonly mayBegin?: () => boolean
  readonly random: () => number
  /** Nothing may be sent to the destination until an operator resumes it. */
  readonly onPause: (destination: Destination, reason: string) => void
  readonly onAttempted: (durationMs: number) => void
}
