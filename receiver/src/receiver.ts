import { type Delivery, deliveryOf } from './delivery.ts'
import { type DeliveryStore, memoryStore } from './delivery-store.ts'
import { ReceiverError } from './errors.ts'
import type { RequestHeaders } from './headers.ts'
import { keysOf, verifySignature } from './signature.ts'

export { type Delivery, isOfKind } from './delivery.ts'
export { type DeliveryStore, memoryStore } from './delivery-store.ts'
export { ReceiverError, type ReceiverErrorCode } from './errors.ts'
export type * from './events.ts'
export type { RequestHeaders } from './headers.ts'

export interface ReceiverOptions {
  /** Secrets of the destination, `whsec_…`; several, as an array or separated by spaces, while it rotates. */
  readonly secrets: string | readonly string[]
  /** How old, or how far in the future, a signature may be. Default: 300. */
  readonly toleranceSeconds?: number
  /** Default: `memoryStore()`. */
  readonly store?: DeliveryStore
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

/** `repeated`: the event was handled before, and the handler did not run. */
export type Outcome = 'handled' | 'repeated'

export interface Receiver {
  /**
   * Verifies a request.
   * @param body the raw bytes, before any parser
   * @throws ReceiverError: answer its `status` and `message`
   */
  verify(headers: RequestHeaders, body: Uint8Array): Delivery
  /**
   * Verifies a request, and runs the handler unless the event was handled before. Answer 2xx after it has resolved.
   * Of two deliveries of an event at the same time in one process, the second one waits for the first.
   * @throws ReceiverError, and what the handler or the store throws: then the event counts as not handled, and comes again
   */
  receive(headers: RequestHeaders, body: Uint8Array, handler: (delivery: Delivery) => unknown): Promise<Outcome>
}

/** @throws ReceiverError `settings_invalid` */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { toleranceSeconds = 300, store = memoryStore(), now = Date.now } = options
  const keys = keysOf(options.secrets)
  if (!(toleranceSeconds > 0)) throw new ReceiverError('settings_invalid', 'toleranceSeconds must be a number above 0')
  /** By id: what runs now. */
  const running = new Map<string, Promise<void>>()

  function verify(headers: RequestHeaders, body: Uint8Array): Delivery {
    return deliveryOf(verifySignature({ headers, body, keys, toleranceSeconds, now: now() }), headers, body)
  }

  async function receive(
    headers: RequestHeaders,
    body: Uint8Array,
    handler: (delivery: Delivery) => unknown,
  ): Promise<Outcome> {
    const delivery = verify(headers, body)
    const { id } = delivery
    const earlier = running.get(id)
    if (earlier !== undefined) {
      await earlier
      return 'repeated'
    }
    let outcome: Outcome = 'repeated'
    async function handle(): Promise<void> {
      if (await store.has(id)) return
      await handler(delivery)
      await store.add(id)
      outcome = 'handled'
    }
    const current = handle()
    running.set(id, current)
    try {
      await current
    } finally {
      running.delete(id)
    }
    return outcome
  }

  return { verify, receive }
}
