import { ReceiverError } from './errors.ts'
import type { Bodies, Envelope, EventKind } from './events.ts'
import { headerOf, type RequestHeaders } from './headers.ts'
import type { Signed } from './signature.ts'

/**
 * A verified delivery. Signed are `id`, `signedAt` and `body`. The other values come from headers, which the signature does not cover:
 * TLS protects them on their way, and the format `event` has them in the signed body.
 */
export interface Delivery<Body = unknown> {
  /** The event's id, the same in every attempt. */
  readonly id: string
  readonly signedAt: Date
  /** The bytes as they were sent. */
  readonly body: Uint8Array
  /** `payment`, `registration`, `charge`, …; empty: the request had no such header. */
  readonly kind: string
  readonly environment: string
  /** null: of a configuration that names none. */
  readonly institution: string | null
  /** From 1. */
  readonly attempt: number
  /** Whether an operator or an app asked for the event again. */
  readonly isReplay: boolean
  /**
   * The body as JSON, in the charset of its content type, without a byte order mark. For destinations of the format `original`, the default.
   * @throws ReceiverError `not_json`
   */
  json(): Body
  /**
   * The body of a destination of the format `event`.
   * @throws ReceiverError `not_json`
   */
  envelope(): Envelope<Body>
}

/** Narrows the type of the body to the one of this kind. */
export function isOfKind<Kind extends EventKind>(delivery: Delivery, kind: Kind): delivery is Delivery<Bodies[Kind]> {
  return delivery.kind === kind
}

export function deliveryOf({ id, signedAt }: Signed, headers: RequestHeaders, body: Uint8Array): Delivery {
  const parse = () => parsed(body, headerOf(headers, 'content-type'))
  return {
    id,
    signedAt,
    body,
    kind: headerOf(headers, 'portaria-kind') ?? '',
    environment: headerOf(headers, 'portaria-environment') ?? '',
    institution: headerOf(headers, 'portaria-institution'),
    attempt: Number(headerOf(headers, 'portaria-attempt') ?? 1),
    isReplay: headerOf(headers, 'portaria-replay') === 'true',
    json: parse,
    envelope: () => parse() as Envelope<unknown>,
  }
}

function parsed(body: Uint8Array, contentType: string | null): unknown {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  try {
    // Skips a byte order mark.
    return JSON.parse(new TextDecoder(charset, { fatal: true }).decode(body))
  } catch {
    throw new ReceiverError('not_json', `the body is no JSON in ${charset}: read the member body, which has its bytes`)
  }
}
