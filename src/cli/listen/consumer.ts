import { setTimeout as wait } from 'node:timers/promises'
import { PortariaError } from '../../platform/errors.ts'
import { locate } from '../../platform/json-text.ts'
import type { GatewayConnection } from '../control-client.ts'

/** An event that is leased to this listener. */
export interface LeasedEvent {
  readonly id: string
  readonly kind: string
  readonly institution: string | null
  readonly environment: 'production' | 'sandbox'
  readonly subject: string | null
  readonly status: string | null
  readonly receivedAt: string
  readonly authentication: 'mutual-tls' | 'path-token' | 'service' | 'none'
  readonly source: 'callback' | 'resolved' | 'reconciled' | 'gateway'
  readonly unresolved: boolean
  readonly part: string | null
  readonly contentType: string | null
  /** When retention or a redaction removed its data; null: it is there. */
  readonly payloadRemovedAt: string | null
}

export interface Lease {
  readonly batch: string
  readonly event: LeasedEvent
  /** As a delivery sends them. */
  readonly body: Buffer
  /** When it ends, in ms of performance.now(). */
  readonly endsAt: number
}

export interface ConsumerOptions {
  readonly name: string
  readonly leaseSeconds: number
  readonly filter: { readonly kinds?: readonly string[]; readonly environment?: string; readonly institution?: string }
  readonly signal: AbortSignal
  /** The gateway does not answer, in words; null: it answers again. */
  readonly onConnection: (problem: string | null) => void
  /** Another listener of the consumer, or an earlier one that was killed, has the events until then. */
  readonly onHeld: (until: string) => void
  /** The consumer was deleted, and is made again where this listener is. */
  readonly onRestored: () => void
}

/** Where a consumer begins: its own position, or another one. */
export type Beginning = { readonly position: string } | { readonly time: string } | null

/** A listener's consumer. Every call goes on until the gateway answers. Errors that another try cannot mend are thrown as PortariaError. */
export interface Consumer {
  /** @returns how many events wait for it */
  begin(beginning: Beginning): Promise<number>
  /** Waits for the next event. */
  next(): Promise<Lease>
  /** @returns false: the lease had ended, and the event comes again */
  acknowledge(lease: Lease): Promise<boolean>
  /** At the end: acknowledges an event that was taken, and gives another one back, so that the next listener gets it at once. Tries once. */
  settle(lease: Lease, isTaken: boolean): Promise<void>
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000
const POLL_SECONDS = 20
/** After an answer without events, for a gateway that answers at once. */
const PAUSE_MS = 200
/** Another try can succeed. */
const PASSING: readonly string[] = ['store_unavailable', 'queue_full', 'too_many_requests', 'store_locked']

interface Batch {
  readonly batch: string | null
  readonly data: readonly BatchEvent[]
  readonly leased?: { readonly until: string }
}

interface BatchEvent extends LeasedEvent {
  readonly mark: 'unparsed' | 'unsplit' | null
  readonly data: unknown
  readonly dataBase64?: string
}

/** The bytes of its fact: those of JSON are copied out of the answer, so that numbers and white space stay as they were received. */
export function bodyIn(answer: string, { mark, data, dataBase64, contentType }: BatchEvent): Buffer {
  if (dataBase64 !== undefined) return Buffer.from(dataBase64, 'base64')
  // Text that is no JSON; a form has no mark.
  if (typeof data === 'string' && (mark === 'unparsed' || !/json/i.test(contentType ?? ''))) return Buffer.from(data)
  const bytes = Buffer.from(answer)
  const event = locate(bytes, { start: 0, end: bytes.length }, ['data', '0'])
  const value = event && locate(bytes, event, ['data'])
  if (event == null || value == null) throw new TypeError('unreachable: the answer has an event with data')
  const start = bytes.lastIndexOf(COLON, value.start) + 1
  // The last member of an event.
  return bytes.subarray(start, event.end - 1)
}

const COLON = 0x3a

export function createConsumer(gateway: GatewayConnection, options: ConsumerOptions): Consumer {
  const { name, leaseSeconds, filter, signal } = options
  const path = `/v1/consumers/${encodeURIComponent(name)}`
  /** Behind the last event that was acknowledged here. `begin` and `acknowledge` change it. */
  let position = 'latest'

  async function untilAnswered(method: string, target: string, body?: unknown): Promise<string> {
    let isBroken = false
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        const answer = await gateway.ask({ method, target, body, signal })
        if (isBroken) options.onConnection(null)
        return answer
      } catch (error) {
        if (!(error instanceof PortariaError) || !PASSING.includes(error.code)) throw error
        isBroken = true
        options.onConnection(error.message)
        await wait(waitMs, undefined, { signal })
      }
    }
  }

  async function begin(beginning: Beginning): Promise<number> {
    if (beginning !== null) await untilAnswered('POST', `${path}/seek`, beginning)
    try {
      const found = JSON.parse(await untilAnswered('GET', path)) as { behind: number; position: string }
      position = found.position
      return found.behind
    } catch (error) {
      if (!(error instanceof PortariaError && error.code === 'not_found')) throw error
    }
    await untilAnswered('POST', `${path}/seek`, { position: 'latest' })
    position = (JSON.parse(await untilAnswered('GET', path)) as { position: string }).position
    return 0
  }

  /** A request that made a deleted consumer would begin at the first event that is stored. */
  async function lease(): Promise<string> {
    const wanted = { limit: 1, wait: POLL_SECONDS, leaseSeconds, filter, create: false }
    try {
      return await untilAnswered('POST', `${path}/batches`, wanted)
    } catch (error) {
      if (!(error instanceof PortariaError && error.code === 'not_found')) throw error
    }
    await untilAnswered('POST', `${path}/seek`, { position })
    options.onRestored()
    return lease()
  }

  async function next(): Promise<Lease> {
    for (;;) {
      const text = await lease()
      const { batch, data, leased } = JSON.parse(text) as Batch
      const [event] = data
      if (batch !== null && event !== undefined)
        return { batch, event, body: bodyIn(text, event), endsAt: performance.now() + leaseSeconds * 1000 }
      if (leased !== undefined) options.onHeld(leased.until)
      await wait(PAUSE_MS, undefined, { signal })
    }
  }

  async function acknowledge({ batch, event }: Lease): Promise<boolean> {
    try {
      await untilAnswered('POST', `${path}/ack`, { batch })
      position = event.id
      return true
    } catch (error) {
      if (error instanceof PortariaError && error.code === 'conflict') return false
      throw error
    }
  }

  async function settle({ batch, endsAt }: Lease, isTaken: boolean): Promise<void> {
    // What is not leased any more may be leased to another listener.
    if (performance.now() >= endsAt) return
    if (isTaken) return void (await gateway.ask({ method: 'POST', target: `${path}/ack`, body: { batch } }))
    const { position } = JSON.parse(await gateway.ask({ method: 'GET', target: path })) as { position: string }
    // A move of the consumer would be an action of a person in the log of actions, at each retry.
    await gateway.ask({ method: 'POST', target: `${path}/ack`, body: { batch, position } })
  }

  return { begin, next, acknowledge, settle }
}
