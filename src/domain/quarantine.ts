import { charsetOf, readBodyText } from '../platform/body-text.ts'
import { isJsonText } from '../platform/json-text.ts'
import type { QuarantineReason } from './accounts.ts'
import type { AuthenticationMethod, ListenerName, Mark } from './event.ts'
import type { Environment, Realm } from './realm.ts'

export const QUARANTINE_STATES = ['quarantined', 'released', 'discarded'] as const
export type QuarantineState = (typeof QUARANTINE_STATES)[number]

/** Why the body of a fact was not parsed, so that no account was found in it. */
export const UNPARSED_REASONS = {
  charset_missing: 'its body is not UTF-8, and its content type names no charset',
  charset_wrong: 'its body is no text in the charset that its content type names',
  not_json: 'its body is not JSON',
} as const
export type UnparsedReason = keyof typeof UNPARSED_REASONS

/** null: it was parsed, or its body is gone. */
export function unparsedReasonOf({
  mark,
  body,
  contentType,
  payloadRemovedAt,
}: QuarantinedBody): UnparsedReason | null {
  if (mark !== 'unparsed' || payloadRemovedAt !== null) return null
  const read = readBodyText(body, contentType)
  if (read === null) return charsetOf(contentType) === undefined ? 'charset_missing' : 'charset_wrong'
  return isJsonText(read.text) ? null : 'not_json'
}

/** A stored fact that is no event, and makes no later fact a duplicate, unless it is released. */
export interface QuarantinedFact {
  readonly id: number
  readonly kind: string
  readonly environment: Realm
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
  /** How often the fact was received. */
  readonly seen: number
  readonly lastSeenAt: number
  readonly callbackId: number
  /** null: undecided. */
  readonly decidedAt: number | null
  /** `operator`, the id of a client, `retention` or `redaction`. */
  readonly decidedBy: string | null
  /** Public id of its event, or of another event of the same fact. */
  readonly eventId: string | null
  /** When retention or a redaction removed its data; null: never. */
  readonly payloadRemovedAt: number | null
}

export interface QuarantinedBody extends QuarantinedFact {
  readonly contentType: string | null
  /** The bytes that its delivery would carry. */
  readonly body: Uint8Array
}

export interface QuarantineFilter {
  /** Only facts with a larger number. */
  readonly after?: number
  /** Only facts with a smaller number. */
  readonly before?: number
  readonly newestFirst?: boolean
  /** Only facts received at this time or later. */
  readonly receivedFrom?: number
  /** Only facts received before this time. */
  readonly receivedTo?: number
  readonly state?: QuarantineState
  readonly kinds?: readonly string[]
  readonly environment?: Environment
  readonly institution?: string
  readonly reason?: QuarantineReason
}

/** Who decided, and when. */
export interface Decision {
  /** `operator`, or the id of a client. */
  readonly by: string
  readonly at: number
}

export interface ReleasedFact {
  readonly fact: QuarantinedFact
  /** false: another event of the same fact exists, and counts it as a duplicate. */
  readonly isNew: boolean
  /** Destinations with newly due deliveries. */
  readonly destinationIds: readonly number[]
  /** Deliveries blocked by another one of their subject. */
  readonly blocked: number
}
