import type { QuarantineReason } from './accounts.ts'

/** The words of the design, as types. Times are milliseconds since 1970-01-01T00:00:00Z. */

export const ENVIRONMENTS = ['production', 'sandbox'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

export const LISTENER_NAMES = ['callbacks', 'charges'] as const
export type ListenerName = (typeof LISTENER_NAMES)[number]

/** How the caller of a callback was authenticated. */
export type AuthenticationMethod = 'mutual-tls' | 'path-token'

/** Something to tell that came in no callback: an event of kind `operator`, made by the gateway itself. */
export interface OwnEvent {
  readonly environment: Environment
  readonly madeAt: number
  readonly subject: string
  readonly status: string
  /** JSON text. */
  readonly body: string
}

/** Kinds that go only to destinations, and into polls, that name them. */
export const KINDS_BY_NAME_ONLY: readonly string[] = ['probe', 'operator']

/** `unparsed`: the body is not JSON, nor a charge token form. `unsplit`: more than 1,000 facts or deeper than 64 levels. */
export type Mark = 'unparsed' | 'unsplit'

/** A caller's certificate, kept once for each fingerprint. */
export interface Peer {
  /** SHA-256 of the DER form, lower-case hexadecimal without colons. */
  readonly fingerprint: string
  readonly serial: string
  readonly subject: string
  readonly issuer: string
  readonly notAfter: number
  readonly pem: string
}

/** Where one fact stands in the bytes of its callback; offsets in bytes, ends exclusive. */
export interface FactSpan {
  /** Just behind the array's `[`. */
  readonly arrayStart: number
  /** The array's `]`. */
  readonly arrayEnd: number
  readonly itemStart: number
  readonly itemEnd: number
}

/** One fact read from a callback: what becomes an event unless it is a duplicate, or held back. */
export interface Fact {
  readonly kind: string
  readonly subject: string | null
  readonly status: string | null
  /** SHA-256 that is equal for the same fact; null: never a duplicate. */
  readonly hash: Uint8Array | null
  /** null: the fact is the whole body. */
  readonly span: FactSpan | null
  /** 1-based number of the fact in its callback, and how many there were. */
  readonly part: number
  readonly parts: number
  /** Why it is held back in quarantine; left out: it is let in. */
  readonly quarantine?: QuarantineReason
}

export interface Interpretation {
  readonly facts: readonly Fact[]
  readonly mark: Mark | null
}

/** One POST of the service with its evidence. */
export interface NewCallback {
  readonly receivedAt: number
  /** The kind whose route was called; a probe call's event has another. */
  readonly kind: string
  readonly environment: Environment
  readonly listener: ListenerName
  readonly authentication: AuthenticationMethod
  readonly peer: Peer | null
  readonly remoteAddress: string
  readonly tlsVersion: string | null
  readonly cipher: string | null
  /** The request target as it came; a path token is cut to its first 4 characters. */
  readonly target: string
  readonly contentType: string | null
  /** JSON array of [name, value] pairs: the relevant headers as they came. */
  readonly headers: string
  readonly body: Uint8Array
  readonly facts: readonly Fact[]
  readonly mark: Mark | null
}

/** The bytes that stand for one fact: the whole body, or the same envelope with only this fact in the array. */
export function bytesOfFact(body: Uint8Array, span: FactSpan | null): Uint8Array {
  if (span === null) return body
  return Buffer.concat([
    body.subarray(0, span.arrayStart),
    body.subarray(span.itemStart, span.itemEnd),
    body.subarray(span.arrayEnd),
  ])
}
