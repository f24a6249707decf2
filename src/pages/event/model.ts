/** The answers of the API that the page of an event uses, as far as it uses them. */

import type { DeliveryState } from '../../domain/delivery.ts'
import type { ShownWait } from '../parts/next-attempt.ts'

/** In place of personal data. */
const MASK = '***'

/** What people call the event: its subject, or its id where there is none to be seen. */
export function nameOf({ subject, id }: Pick<EventView, 'subject' | 'id'>): string {
  return subject === null || subject === MASK ? id : subject
}

export interface EventView {
  readonly id: string
  readonly kind: string
  readonly environment: 'production' | 'sandbox'
  readonly subject: string | null
  readonly status: string | null
  readonly receivedAt: string
  readonly listener: string | null
  readonly authentication: 'mutual-tls' | 'path-token' | 'service' | 'none'
  readonly source: 'callback' | 'resolved' | 'gateway'
  readonly unresolved: boolean
  readonly mark: 'unparsed' | 'unsplit' | null
  readonly part: string | null
  readonly duplicates: number
  readonly lastSeenAt: string | null
  readonly callback: string | null
  readonly payloadRemovedAt: string | null
  readonly contentType: string | null
  readonly data: unknown
  readonly dataBase64?: string
  /** Personal data is `MASK`. */
  readonly masked?: true
}

export interface EventDetail extends EventView {
  readonly evidence: Evidence
  /** null: the event is masked. */
  readonly hashes: { readonly payload: string; readonly event: string } | null
}

export interface Evidence {
  readonly route: string
  readonly receivedAt: string
  readonly listener: string | null
  readonly remoteAddress: string | null
  readonly target: string | null
  readonly tlsVersion: string | null
  readonly cipher: string | null
  readonly contentType: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly bytes: number
  readonly bodyRemovedAt: string | null
  readonly peer: PeerView | null
}

export interface PeerView {
  readonly fingerprint: string
  readonly serial: string
  readonly subject: string
  readonly issuer: string
  readonly notAfter: string
}

export interface DeliveryView extends ShownWait {
  readonly id: string
  readonly destination: string
  readonly destinationName: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: string
  readonly endedAt: string | null
  readonly reason: string | null
  readonly tries: readonly AttemptView[]
}

export interface AttemptView {
  readonly attempt: number
  readonly startedAt: string
  readonly durationMs: number
  readonly status: number | null
  readonly error: string | null
  readonly answer: string
}

export interface ConsumerView {
  readonly name: string
  readonly owner: string | null
  readonly position: string
  readonly acknowledgedAt: string | null
}

export interface DestinationView {
  readonly id: string
  readonly name: string
}
