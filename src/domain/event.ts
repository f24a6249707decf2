import type { QuarantineReason } from './accounts.ts'
import type { Realm } from './realm.ts'

/** All times in the domain are milliseconds since 1970-01-01T00:00:00Z. */

/**
 * `resolved`: the gateway asked the service for it with a token. `unresolved`: the token itself, because its entries could not be had in time.
 * `reconciled`: the gateway asked the service for it, because its callback had not come.
 */
export type EventSource = 'resolved' | 'unresolved' | 'reconciled'

/** The numbers of the charge and the subscription that a fact is about, as written; null: it names none. */
export interface ChargeReferences {
  readonly charge: string | null
  readonly subscription: string | null
}

/** `asc`: oldest first; `desc`: newest first. */
export const EVENT_ORDERS = ['asc', 'desc'] as const
export type EventOrder = (typeof EVENT_ORDERS)[number]

export const LISTENER_NAMES = ['callbacks', 'charges'] as const
export type ListenerName = (typeof LISTENER_NAMES)[number]

/** How the caller of a callback was authenticated. */
export type AuthenticationMethod = 'mutual-tls' | 'path-token'

/** How an event came: as its callback did; `service`: the gateway asked the service for it; `none`: the gateway created it itself. */
export type EventAuthentication = AuthenticationMethod | 'service' | 'none'

/** An event of kind `operator`: the gateway itself creates it, without a callback. */
export interface OwnEvent {
  readonly environment: Realm
  readonly madeAt: number
  readonly subject: string
  readonly status: string
  /** JSON text. */
  readonly body: string
}

/** Kinds that are left out unless a destination or a poll names them. */
export const KINDS_BY_NAME_ONLY: readonly string[] = ['probe', 'operator']

/** `unparsed`: the body is not JSON in a charset that can be read, nor a charge token form. `unsplit`: more than 1,000 facts or deeper than 64 levels. */
export type Mark = 'unparsed' | 'unsplit'

/** The certificate of a caller, stored once per fingerprint. */
export interface Peer {
  /** SHA-256 of the DER form, lower-case hexadecimal without colons. */
  readonly fingerprint: string
  readonly serial: string
  readonly subject: string
  readonly issuer: string
  readonly notAfter: number
  readonly pem: string
}

/** The place of a fact in the body of its callback, in bytes; ends are exclusive. */
export interface FactSpan {
  /** Directly after the array's `[`. */
  readonly arrayStart: number
  /** The array's `]`. */
  readonly arrayEnd: number
  readonly itemStart: number
  readonly itemEnd: number
}

/** A fact read from a callback. It becomes an event unless it is a duplicate or goes to quarantine. */
export interface Fact {
  readonly kind: string
  readonly subject: string | null
  readonly status: string | null
  /** SHA-256, equal for equal facts; null: never a duplicate. */
  readonly hash: Uint8Array | null
  /** null: the fact is the whole body. */
  readonly span: FactSpan | null
  /** 1-based number of the fact in its callback, and how many there were. */
  readonly part: number
  readonly parts: number
  /** Why it goes to quarantine; left out: it does not. */
  readonly quarantine?: QuarantineReason
  /** The charge and subscription that it is about; left out: it names none. */
  readonly references?: ChargeReferences
}

export interface Interpretation {
  readonly facts: readonly Fact[]
  readonly mark: Mark | null
  /** A token whose entries the gateway asks the service for. Then there are no facts. */
  readonly notificationToken?: string
}

/** One POST of the service, with its evidence, as a listener received it. */
export interface ReceivedCallback {
  readonly receivedAt: number
  /** The kind of the route. The event of a probe has another kind. */
  readonly kind: string
  readonly environment: Realm
  readonly listener: ListenerName
  readonly authentication: AuthenticationMethod
  readonly peer: Peer | null
  readonly remoteAddress: string
  readonly tlsVersion: string | null
  readonly cipher: string | null
  /** The request target as received, with a path token cut to its first 4 characters. */
  readonly target: string
  readonly contentType: string | null
  /** JSON array of [name, value] pairs: the relevant headers as received. */
  readonly headers: string
  readonly body: Uint8Array
  /** The gateway asks the service for the entries of tokens of this environment; left out: it does not. */
  readonly resolvesTokens?: boolean
}

/** A callback, and what was read from its body. */
export interface NewCallback extends ReceivedCallback, Interpretation {}

/** The payload of one fact: the whole body, or the body with only this fact in its array. */
export function bytesOfFact(body: Uint8Array, span: FactSpan | null): Uint8Array {
  if (span === null) return body
  return Buffer.concat([
    body.subarray(0, span.arrayStart),
    body.subarray(span.itemStart, span.itemEnd),
    body.subarray(span.arrayEnd),
  ])
}
