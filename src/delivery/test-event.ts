import type { Destination } from '../domain/destination.ts'
import { forwardingText } from '../domain/forwarding/forwarding-texts.ts'
import { newNonce } from '../domain/public-id.ts'
import { realmOf } from '../domain/realm.ts'
import type { AttemptResult, Sender } from './send.ts'

/** Sends a signed event of kind `operator` at once. Neither the event nor the outcome is stored. */
export async function sendTestEvent(sender: Sender, destination: Destination, now: number): Promise<AttemptResult> {
  const environment = realmOf(destination.institutions?.[0] ?? null, destination.environments?.[0] ?? 'sandbox')
  const result = await sender.send(
    {
      deliveryId: 0,
      destinationId: destination.id,
      attempt: 1,
      retriesUsed: 0,
      dueAt: now,
      agesFrom: now,
      hasOrderKey: false,
      isBacklog: false,
      isReplay: false,
      event: {
        id: `evt_test_${newNonce()}`,
        kind: 'operator',
        environment,
        authentication: 'none',
        source: null,
        subject: null,
        status: null,
        receivedAt: now,
        part: 1,
        parts: 1,
      },
      contentType: 'application/json',
      body: Buffer.from(
        JSON.stringify({ event: 'test', destination: destination.name, sentAt: new Date(now).toISOString() }),
      ),
    },
    destination,
    new AbortController().signal,
  )
  if (!result.aborted) return result
  return {
    aborted: false,
    startedAt: now,
    durationMs: 0,
    status: null,
    error: forwardingText('stopping'),
    answer: new Uint8Array(),
    retryAfter: undefined,
  }
}
