import type { Address } from '../../gateway/addresses.ts'
import { DemoFailure } from './waiting.ts'

/** The members of an event that the demo reads. */
export interface SeenEvent {
  readonly id: string
  readonly kind: string
  readonly environment: string
  readonly subject: string | null
  readonly status: string | null
  readonly duplicates: number
}

export interface SeenDelivery {
  readonly attempts: number
  readonly lastError: string | null
}

export interface MadeDestination {
  readonly id: string
  readonly secret: string
}

export interface SeenRefusal {
  readonly code: string
}

/** The gateway's API, with the operator's token. */
export interface ApiClient {
  makeDestination(url: string): Promise<MadeDestination>
  /** Every event, page by page; or those of one subject. */
  events(subject?: string): Promise<SeenEvent[]>
  pendingDeliveries(): Promise<SeenDelivery[]>
  refusals(): Promise<SeenRefusal[]>
  /** Test callbacks, with which the service tests an address. */
  testCallbacks(): Promise<SeenEvent[]>
  /** Up to 100 events for a new consumer, acknowledged. */
  poll(consumer: string): Promise<SeenEvent[]>
}

interface Page<T> {
  readonly data: T[]
  readonly next: string
  readonly more: boolean
}

const TIMEOUT_MS = 10_000

export function createApiClient(address: Address, token: string, signal: AbortSignal): ApiClient {
  async function call<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(`http://${address.host}:${address.port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const text = await response.text()
    if (!response.ok) throw new DemoFailure(`the API answered ${path} with ${response.status}: ${text}`)
    return JSON.parse(text) as T
  }
  async function everyPage<T>(path: string): Promise<T[]> {
    const all: T[] = []
    for (let after = ''; ; ) {
      const page = await call<Page<T>>(`${path}limit=1000${after}`)
      all.push(...page.data)
      if (!page.more) return all
      after = `&after=${page.next}`
    }
  }
  return {
    makeDestination: (url) => call('/v1/destinations', { name: 'receiver', url }),
    events: (subject) => everyPage(`/v1/events?${subject === undefined ? '' : `subject=${subject}&`}`),
    pendingDeliveries: () => everyPage('/v1/deliveries?state=pending&'),
    refusals: () => everyPage('/v1/refusals?'),
    testCallbacks: () => everyPage('/v1/events?kind=probe&'),
    async poll(consumer) {
      const path = `/v1/consumers/${consumer}`
      const { batch, data } = await call<{ batch: string; data: SeenEvent[] }>(`${path}/batches`, {})
      await call(`${path}/ack`, { batch })
      return data
    },
  }
}
