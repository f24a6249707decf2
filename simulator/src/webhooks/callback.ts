import type { FaultName } from '../faults/fault.ts'
import type { CallOutcome, Timing } from './receiver-call.ts'

export type WebhookInterface = 'registration' | 'payment' | 'open-banking'

/** An address that an account registered. */
export interface Webhook {
  readonly id: string
  readonly interface: WebhookInterface
  readonly account: string
  readonly url: string
  /** Its URL has the hash of `webhookSecurity`: the service makes no request without a certificate. */
  readonly hasHash?: boolean
  /** Simulated time, in ms since 1970. */
  readonly createdAt: number
}

/** What makes a callback a charge notification: it goes to the URL of its charge, over http too, and shows no certificate. */
export interface ChargeNotification {
  /** Names the notifications of one charge, or of a subscription with its charges, for its whole life. */
  readonly token: string
  /** The charge that it tells of; null: its subscription. */
  readonly chargeId: number | null
  /** `token`: a form with the token only. A 2xx does not deliver it: the receiver has to fetch the entries. */
  readonly form: 'json' | 'token'
}

/** One callback to one URL, with every try at it. */
export interface Callback {
  readonly id: number
  readonly interface: WebhookInterface | 'charges'
  /** Only of the interface `charges`. */
  readonly notification?: ChargeNotification
  readonly account: string
  readonly url: string
  readonly body: string
  /** Of `body`; left out: UTF-8. */
  readonly encoding?: 'base64'
  /** Left out: application/json. */
  readonly contentType?: string
  readonly createdAt: number
  /** `pending`: another try follows. A fault makes the others: `waiting` for another callback, `merged` into another call, `dropped`. */
  readonly state: 'pending' | 'delivered' | 'given_up' | 'waiting' | 'merged' | 'dropped'
  readonly attempts: readonly Attempt[]
  /** The callback that a fault made this one from. */
  readonly copyOf?: number
  /** The callbacks whose facts a fault put into this call. */
  readonly carries?: readonly number[]
  readonly mergedInto?: number
  /** When its address was removed, which gave it up; simulated time, in ms since 1970. */
  readonly addressRemovedAt?: number
  /** It waited once, and does not wait again. */
  readonly hasWaited?: boolean
}

export type NewCallback = Omit<
  Callback,
  'id' | 'createdAt' | 'state' | 'attempts' | 'mergedInto' | 'addressRemovedAt' | 'hasWaited'
>

export interface Attempt {
  /** Simulated time, in ms since 1970. */
  readonly at: number
  readonly request: SentRequest
  readonly outcome: CallOutcome
  /** Real time, in ms since 1970. */
  readonly startedAt: number
  readonly timing: Timing
  readonly durationMs: number
  /** What a fault changed; null: nothing. */
  readonly fault: FaultName | null
}

/** A request as it was sent; its body is that of the callback. */
export interface SentRequest {
  readonly url: string
  readonly contentType: string
  /** null: the call showed none. */
  readonly certificate: { readonly subject: string; readonly sha256: string } | null
}
