import { createSender } from '../../delivery/send.ts'
import { compileAddressRules } from '../../domain/address-rules.ts'
import { DESTINATION_DEFAULTS, type Destination } from '../../domain/destination.ts'
import { realmOf } from '../../domain/realm.ts'
import { VERSION } from '../../platform/version.ts'
import type { Lease } from './consumer.ts'

/** Where events go: by their kind, or else to the address of all others. */
export interface Addresses {
  readonly byKind: ReadonlyMap<string, URL>
  readonly others: URL | null
}

export interface ForwardingOptions {
  readonly addresses: Addresses
  readonly secret: string
  readonly timeoutMs: number
  /** PEM of the authorities of the app's certificate; null: the public ones. */
  readonly authorities: string | null
}

/** What the app said. */
export interface Answer {
  readonly url: string
  /** null: there was no answer. */
  readonly status: number | null
  /** Why it does not count as taken, in words; null: a 2xx. */
  readonly error: string | null
  readonly durationMs: number
}

export interface Sending {
  readonly attempt: number
  /** It was taken before. */
  readonly isReplay: boolean
}

export interface Forwarding {
  /** One attempt, with the headers and the signature of a delivery. @throws the reason of the signal */
  send(lease: Pick<Lease, 'event' | 'body'>, sending: Sending, signal: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

/** Apps of this machine and of private networks may speak plain http. */
const OWN_NETWORKS = ['127.0.0.0/8', '::1', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
const INSTANCE = 'portaria-listen'

export function createForwarding({ addresses, secret, timeoutMs, authorities }: ForwardingOptions): Forwarding {
  const sender = createSender({
    rules: compileAddressRules(OWN_NETWORKS),
    version: VERSION,
    instance: INSTANCE,
    now: Date.now,
    ...(authorities !== null && { tlsFor: () => ({ ca: authorities }) }),
  })
  const urls = [...new Set([...addresses.byKind.values(), ...(addresses.others === null ? [] : [addresses.others])])]
  const destinations = new Map(urls.map((url, at) => [url, destinationOf(url, at + 1)]))

  function destinationOf({ href, host }: URL, id: number): Destination {
    return {
      ...DESTINATION_DEFAULTS,
      id,
      name: host,
      url: href,
      secrets: [secret],
      timeoutMs,
      concurrency: 1,
      headers: [],
      authorities,
      origin: 'operator',
      registrationId: null,
      owner: null,
      previousSecretUntil: null,
      state: 'active',
      pauseReason: null,
      circuitOpenedAt: null,
      createdAt: 0,
    }
  }

  async function send({ event, body }: Pick<Lease, 'event' | 'body'>, sending: Sending, signal: AbortSignal) {
    const url = addresses.byKind.get(event.kind) ?? addresses.others
    const destination = url === null ? undefined : destinations.get(url)
    if (url === null || destination === undefined) throw new TypeError(`unreachable: no address takes ${event.kind}`)
    const result = await sender.send(deliveryOf(event, body, sending), destination, { signal })
    if (result.aborted) {
      signal.throwIfAborted()
      return { url: url.href, status: null, error: 'the attempt was given up', durationMs: result.durationMs }
    }
    const { status, error, durationMs } = result
    return { url: url.href, status, error, durationMs }
  }

  return { send, close: sender.close }
}

/** As the gateway would claim it. */
function deliveryOf(event: Lease['event'], body: Buffer, { attempt, isReplay }: Sending) {
  const receivedAt = Date.parse(event.receivedAt)
  const [part = 1, parts = 1] = (event.part ?? '1/1').split('/').map(Number)
  return {
    deliveryId: 0,
    destinationId: 0,
    attempt,
    retriesUsed: attempt - 1,
    dueAt: receivedAt,
    agesFrom: receivedAt,
    hasOrderKey: false,
    isBacklog: false,
    isReplay,
    event: {
      id: event.id,
      kind: event.kind,
      environment: realmOf(event.institution, event.environment),
      authentication: event.authentication,
      source: event.unresolved ? ('unresolved' as const) : sourceOf(event.source),
      subject: event.subject,
      status: event.status,
      receivedAt,
      part,
      parts,
    },
    contentType: event.contentType,
    body,
  }
}

function sourceOf(source: Lease['event']['source']): 'resolved' | 'reconciled' | null {
  return source === 'resolved' || source === 'reconciled' ? source : null
}
