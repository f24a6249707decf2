import type { NewClient } from '../../../domain/client.ts'
import type { ClockRecord } from '../../../domain/clock.ts'
import type { AttemptOutcome, ClaimRequest, ReleasedClaim } from '../../../domain/delivery.ts'
import type { DestinationSettings } from '../../../domain/destination.ts'
import type { DestinationChanges, SecretRotation } from '../../../domain/destination-changes.ts'
import type { NewCallback } from '../../../domain/event.ts'
import type { ExpiryWarning } from '../../../domain/expiry.ts'
import type { Inactivity } from '../../../domain/inactivity.ts'
import type { Decision } from '../../../domain/quarantine.ts'
import type { RefusalBatch } from '../../../domain/refusal.ts'
import type { NewRegistration } from '../../../domain/registration.ts'
import type { NewReplay, ReplayStep } from '../../../domain/replay.ts'
import type { Reach, RedactionStep, Removal } from '../../../domain/retention.ts'
import type { DestinationCertificate, RotatedSecret } from '../../../domain/store.ts'
import type { PortariaError } from '../../../platform/errors.ts'
import type { ConsumerOperation } from '../events/consumers.ts'

/** What the main thread asks of the writer: one entry, one Store method, one promise. */
export type WriteOperation =
  | { readonly method: 'storeCallback'; readonly callback: NewCallback }
  | { readonly method: 'claimDeliveries'; readonly request: ClaimRequest }
  | { readonly method: 'recordAttempts'; readonly outcomes: readonly AttemptOutcome[] }
  | { readonly method: 'releaseClaims'; readonly claims: readonly ReleasedClaim[] }
  | {
      readonly method: 'syncDestinations'
      readonly configured: readonly DestinationSettings[]
      readonly now: number
      readonly isStarting: boolean
    }
  | {
      readonly method: 'createDestination'
      readonly settings: DestinationSettings
      readonly now: number
      readonly owner: string | null
    }
  | {
      readonly method: 'registerDestination'
      readonly settings: DestinationSettings
      readonly registration: NewRegistration
      readonly now: number
    }
  | {
      readonly method: 'updateDestination'
      readonly id: number
      readonly changes: DestinationChanges
      readonly now: number
    }
  | { readonly method: 'rotateSecret'; readonly id: number; readonly rotation: SecretRotation }
  | { readonly method: 'pauseDestination'; readonly id: number; readonly reason: string }
  | { readonly method: 'resumeDestination' | 'deleteDestination'; readonly id: number }
  | { readonly method: 'setCircuit'; readonly id: number; readonly openedAt: number | null }
  | { readonly method: 'retryDelivery' | 'skipDelivery'; readonly id: number; readonly now: number }
  | {
      readonly method: 'replayEvent'
      readonly eventId: string
      readonly destinationId: number | null
      readonly now: number
    }
  | { readonly method: 'createReplay'; readonly replay: NewReplay; readonly now: number }
  | { readonly method: 'advanceReplay'; readonly step: ReplayStep; readonly now: number }
  | { readonly method: 'cancelReplay'; readonly id: number; readonly now: number }
  | {
      readonly method: 'exhaustDeliveries'
      readonly id: number
      readonly dueBefore: number
      readonly limit: number
      readonly now: number
    }
  | { readonly method: 'cancelDeliveries'; readonly id: number; readonly limit: number; readonly now: number }
  | { readonly method: 'recordRefusals'; readonly batch: RefusalBatch }
  | { readonly method: 'recordClock'; readonly clock: ClockRecord }
  | { readonly method: 'dropRefusals'; readonly limit: number }
  | { readonly method: 'clearResponseBodies'; readonly after: number; readonly limit: number }
  | {
      readonly method: 'keepDestinationCertificate'
      readonly certificate: DestinationCertificate
      readonly now: number
    }
  | { readonly method: 'raiseExpiryWarning'; readonly warning: ExpiryWarning }
  | { readonly method: 'raiseInactivity'; readonly silence: Inactivity }
  | { readonly method: 'releaseQuarantined' | 'discardQuarantined'; readonly id: number; readonly decision: Decision }
  | { readonly method: 'createClient'; readonly client: NewClient; readonly now: number }
  | { readonly method: 'rotateClient'; readonly id: string; readonly secret: RotatedSecret; readonly now: number }
  | { readonly method: 'revokeClient'; readonly id: string; readonly now: number }
  | ConsumerOperation
  | { readonly method: 'announceRemoval'; readonly reach: readonly Reach[]; readonly now: number }
  | { readonly method: 'removeAged'; readonly removal: Removal; readonly now: number }
  | { readonly method: 'redact'; readonly step: RedactionStep; readonly now: number }
  | { readonly method: 'checkpointWal' }
  | { readonly method: 'keepTokenKey'; readonly offered: string }

export type Result =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: PortariaError }
