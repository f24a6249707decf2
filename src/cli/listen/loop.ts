import { PortariaError } from '../../platform/errors.ts'
import type { Consumer, Lease, LeasedEvent } from './consumer.ts'
import type { Answer, Forwarding } from './forwarding.ts'

/** One attempt, as it is shown. */
export interface Attempt {
  /** When it began, in ms since 1970. */
  readonly at: number
  readonly event: LeasedEvent
  readonly attempt: number
  readonly answer: Answer
  /** When the event is sent again, in ms from now; null: it is not. */
  readonly retryMs: number | null
  readonly isReplay: boolean
}

export interface LoopParts {
  readonly consumer: Consumer
  readonly forwarding: Forwarding
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onAttempt: (attempt: Attempt) => void | Promise<void>
  /** In words, about an event that is not sent. */
  readonly onNote: (text: string) => void
}

export interface Loop {
  /** Until so many events were taken, or the signal. @returns how many were taken @throws PortariaError */
  run(count: number): Promise<number>
  /** Sends an event at once: one that waits for its next attempt, or one that was taken before. */
  again(event: string): void
}

const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 10_000
/** For the acknowledgment behind the answer of the app. */
const MARGIN_MS = 2000
/** Events that can be sent again. */
const KEPT = 200

export function createLoop({ consumer, forwarding, timeoutMs, signal, onAttempt, onNote }: LoopParts): Loop {
  const kept = new Map<string, Pick<Lease, 'event' | 'body'>>()
  /** The event under way, with its attempts: over the end of a lease, too. `next`: begins the next attempt at once. */
  let current: { id: string; attempts: number; next: (() => void) | null } = { id: '', attempts: 0, next: null }

  function keep({ event, body }: Lease): void {
    kept.set(event.id, { event, body })
    const [oldest] = kept.keys()
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
  }

  /** @returns false: the lease would end during the next attempt */
  async function sendUntilTaken(lease: Lease): Promise<boolean> {
    const { event } = lease
    if (current.id !== event.id) current = { id: event.id, attempts: 0, next: null }
    while (performance.now() + timeoutMs + MARGIN_MS <= lease.endsAt) {
      const attempt = ++current.attempts
      const at = Date.now()
      const answer = await forwarding.send(lease, { attempt, isReplay: false }, signal)
      const isTaken = answer.error === null
      const retryMs = isTaken ? null : Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS)
      await onAttempt({ at, event, attempt, answer, retryMs, isReplay: false })
      if (retryMs === null) return true
      await pause(retryMs)
    }
    return false
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        current.next = null
      }
      const onAbort = () => {
        end()
        reject(signal.reason as Error)
      }
      const go = () => {
        end()
        resolve()
      }
      const timer = setTimeout(go, ms)
      current.next = go
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** @returns whether the event was taken and acknowledged */
  async function handle(lease: Lease): Promise<boolean> {
    let isTaken = false
    let isSettled = false
    try {
      if (lease.event.payloadRemovedAt !== null) {
        onNote(`${lease.event.id} is skipped: its data was removed`)
        isSettled = await consumer.acknowledge(lease)
        return false
      }
      keep(lease)
      isTaken = await sendUntilTaken(lease)
      if (!isTaken) return false
      isSettled = true
      if (await consumer.acknowledge(lease)) return true
      onNote(`${lease.event.id} was answered after its lease had ended, and comes again`)
      return false
    } catch (error) {
      isSettled = false
      throw error
    } finally {
      // Without an answer of the gateway, the end of the lease does it.
      if (!isSettled) await consumer.settle(lease, isTaken).catch(ignorePassing)
    }
  }

  async function run(count: number): Promise<number> {
    let taken = 0
    while (taken < count && !signal.aborted) {
      try {
        if (await handle(await consumer.next())) taken++
      } catch (error) {
        if (!signal.aborted) throw error
      }
    }
    return taken
  }

  function again(event: string): void {
    if (current.next !== null && current.id === event) return current.next()
    const lease = kept.get(event)
    if (lease !== undefined) void sendAgain(lease).catch(() => undefined)
  }

  async function sendAgain(lease: Pick<Lease, 'event' | 'body'>): Promise<void> {
    const at = Date.now()
    const answer = await forwarding.send(lease, { attempt: 1, isReplay: true }, signal)
    await onAttempt({ at, event: lease.event, attempt: 1, answer, retryMs: null, isReplay: true })
  }

  return { run, again }
}

function ignorePassing(error: unknown): void {
  if (!(error instanceof PortariaError)) throw error
}
