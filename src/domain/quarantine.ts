import type { QuarantineReason } from './accounts.ts'
import type { AuthenticationMethod, Environment, ListenerName, Mark } from './event.ts'

export const QUARANTINE_STATES = ['quarantined', 'released', 'discarded'] as const
export type QuarantineState = (typeof QUARANTINE_STATES)[number]

/** A fact that is kept and held back: it is no event, and suppresses nothing, until somebody releases it. */
export interface QuarantinedFact {
  readonly id: number
  readonly kind: string
  readonly environment: Environment
  readonly reason: QuarantineReason
  readonly state: QuarantineState
  readonly listener: ListenerName
  readonly authentication: AuthenticationMethod
  readonly subject: string | null
  readonly status: string | null
  readonly mark: Mark | null
  readonly receivedAt: number
  readonly part: number
  readonly parts: number
  /** How often the fact came. */
  readonly seen: number
  readonly lastSeenAt: number
  readonly callbackId: number
  /** null until somebody has decided. */
  readonly decidedAt: number | null
  /** `operator`, the id of a client, `retention` or `redaction`. */
  readonly decidedBy: string | null
  /** Public id of the event that it became, or that had become of the same fact by another way. */
  readonly eventId: string | null
  /** Since then its data is gone, by retention or by a redaction; null: it is there. */
  readonly payloadRemovedAt: number | null
}

export interface QuarantinedBody extends QuarantinedFact {
  readonly contentType: string | null
  /** The bytes that a delivery of it would carry. */
  readonly body: Uint8Array
}

export interface QuarantineFilter {
  /** Only those with a larger number. */
  readonly after?: number
  /** Only those with a smaller number. */
  readonly before?: number
  readonly newestFirst?: boolean
  readonly state?: QuarantineState
  readonly kinds?: readonly string[]
  readonly environment?: Environment
  readonly reason?: QuarantineReason
}

/** Who decides about it, and when. */
export interface Decision {
  /** `operator`, or the id of a client. */
  readonly by: string
  readonly at: number
}

export interface ReleasedFact {
  readonly fact: QuarantinedFact
  /** false: the same fact had become an event by another way, which counts it as a duplicate. */
  readonly isNew: boolean
  /** Destinations that have something new to be sent now. */
  readonly destinationIds: readonly number[]
  /** Deliveries that stand behind another one of their subject. */
  readonly blocked: number
}
