import type { Destination } from '../domain/destination.ts'
import { forwardingText } from '../domain/forwarding/forwarding-texts.ts'
import type { KindRule } from '../domain/kinds.ts'
import { newNonce } from '../domain/public-id.ts'
import { realmOf } from '../domain/realm.ts'
import { parsePointer } from '../platform/json-text.ts'
import type { AttemptResult, Sender } from './send.ts'

/** What a sample needs to know of its kind. */
export type SampleKind = Pick<KindRule, 'name' | 'subject' | 'status'>

/** Subject and status of a sample. */
const SAMPLE = 'test'

interface TestEvent {
  /** In ms since 1970. */
  readonly now: number
  readonly kind: string
  /** The kind's rule; left out: its body has no subject and no status, as of the kind `operator`. */
  readonly sample?: SampleKind | undefined
}

/** Sends a signed event at once. Neither the event nor the outcome is stored. */
export async function sendTestEvent(
  sender: Sender,
  destination: Destination,
  { now, kind, sample }: TestEvent,
): Promise<AttemptResult> {
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
        kind,
        environment,
        authentication: 'none',
        source: null,
        subject: sample === undefined ? null : SAMPLE,
        status: sample === undefined ? null : SAMPLE,
        receivedAt: now,
        part: 1,
        parts: 1,
      },
      contentType: 'application/json',
      body: Buffer.from(
        JSON.stringify({
          event: 'test',
          destination: destination.name,
          sentAt: new Date(now).toISOString(),
          ...membersOf(sample),
        }),
      ),
    },
    destination,
    { signal: new AbortController().signal },
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

/** The rule of a kind for a destination; undefined: it is the kind of no callback. */
export function sampleKindOf(
  { callbacks }: { readonly callbacks: { readonly kinds: readonly (SampleKind & Pick<KindRule, 'institution'>)[] } },
  { institutions }: Pick<Destination, 'institutions'>,
  kind: string,
): SampleKind | undefined {
  const rules = callbacks.kinds.filter(({ name }) => name === kind)
  return rules.find(({ institution }) => institutions?.includes(institution ?? '') !== false) ?? rules[0]
}

/** Subject and status where the kind's callbacks have them: at the first pointer of each. */
function membersOf(sample: SampleKind | undefined): object {
  const [subject, status] = [sample?.subject[0], sample?.status[0]].map((pointer) =>
    pointer === undefined ? {} : nested(parsePointer(pointer)),
  )
  return { ...status, ...subject }
}

function nested(tokens: readonly string[]): object {
  const value = tokens.reduceRight<unknown>((inner, token) => ({ [token]: inner }), SAMPLE)
  return Object(value)
}
