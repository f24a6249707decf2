import type { Destination } from '../domain/destination.ts'
import type { Sender } from './send.ts'

export interface BudgetOptions {
  /** Most connections to all destinations together. */
  readonly connections: number
  readonly now: () => number
  /** How long an attempt waits for a connection, in ms, before its claim is given back. Default 10 s. */
  readonly waitLimitMs?: number
}

/** One destination's connections: those in use, and at most how many are open, idle ones included. */
interface Use {
  inFlight: number
  open: number
}

/** One destination gets at most one connection in so many, so that it never takes all of them. */
const SHARES = 8
const WAIT_LIMIT_MS = 10_000

/**
 * The sender, with a limit on the connections of all destinations together. Idle connections of other destinations are closed first; where
 * all are in use an attempt waits, and has not begun.
 */
export function withConnectionBudget(sender: Sender, options: BudgetOptions): Sender {
  const { connections, now, waitLimitMs = WAIT_LIMIT_MS } = options
  const perDestination = Math.max(1, Math.floor(connections / SHARES))
  /** In the order of their latest attempt. */
  const uses = new Map<number, Use>()
  const waiting = new Set<() => void>()
  let open = 0

  function use(destinationId: number): Use {
    const known = uses.get(destinationId) ?? { inFlight: 0, open: 0 }
    uses.delete(destinationId)
    uses.set(destinationId, known)
    return known
  }

  function isTaken({ id, concurrency }: Destination): boolean {
    const own = use(id)
    // Its pool opens no more than these.
    if (own.inFlight >= own.open && own.open < concurrency) {
      if (own.open >= perDestination || (open >= connections && !closeIdle())) return false
      own.open++
      open++
    }
    own.inFlight++
    return true
  }

  /** The connections of the destination that has been idle for longest. */
  function closeIdle(): boolean {
    for (const [destinationId, { inFlight, open: idle }] of uses) {
      if (inFlight > 0 || idle === 0) continue
      forget(destinationId)
      return true
    }
    return false
  }

  function forget(destinationId: number): void {
    const known = uses.get(destinationId)
    sender.forget(destinationId)
    if (known === undefined) return
    const inUse = Math.min(known.open, known.inFlight)
    open -= known.open - inUse
    known.open = inUse
    if (known.open === 0) uses.delete(destinationId)
  }

  function giveBack(destinationId: number): void {
    const own = uses.get(destinationId)
    if (own !== undefined) own.inFlight--
    if (waiting.size > 0) for (const retry of [...waiting]) retry()
  }

  /** False: it took too long, or was given up. */
  function take(destination: Destination, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => end(false), waitLimitMs)
    const retry = () => isTaken(destination) && end(true)
    const giveUp = () => end(false)
    function end(hasConnection: boolean): void {
      clearTimeout(timer)
      waiting.delete(retry)
      signal.removeEventListener('abort', giveUp)
      resolve(hasConnection)
    }
    waiting.add(retry)
    signal.addEventListener('abort', giveUp)
    return promise
  }

  return {
    ...sender,
    async send(delivery, destination, signal) {
      const startedAt = now()
      const { id } = destination
      if (!isTaken(destination) && (signal.aborted || !(await take(destination, signal))))
        return { aborted: true, startedAt, durationMs: Math.max(0, now() - startedAt), hasBegun: false }
      try {
        return await sender.send(delivery, destination, signal)
      } finally {
        // Its connection takes another request only then.
        setImmediate(giveBack, id)
      }
    },
    forget,
    renew() {
      sender.renew()
      for (const id of [...uses.keys()]) forget(id)
    },
  }
}
