import type { Destination } from '../domain/destination.ts'
import type { Sender } from './send.ts'

export interface BudgetOptions {
  /** Limit of connections to all destinations together. */
  readonly connections: number
  readonly now: () => number
  /** How long an attempt waits for a connection, in ms, before its claim is given back. Default 10 s. */
  readonly waitLimitMs?: number
}

/** One destination's connections: how many are in use, and how many are open at most, idle ones included. */
interface Use {
  inFlight: number
  open: number
}

/** One destination gets at most this fraction of the connections, so that it never takes all of them. */
const SHARES = 8
const WAIT_LIMIT_MS = 10_000

/**
 * Limits the connections of all destinations together. Idle connections of other destinations are closed first. Where all are in use, an attempt
 * waits; it has not begun.
 */
export function withConnectionBudget(sender: Sender, options: BudgetOptions): Sender {
  const { connections, now, waitLimitMs = WAIT_LIMIT_MS } = options
  const perDestination = Math.max(1, Math.floor(connections / SHARES))
  /** In the order of their latest attempt. */
  const uses = new Map<number, Use>()
  const waiting = new Set<() => void>()
  /** Connections of all destinations together: a new one adds to it, and `forget` takes away those that have closed. */
  let open = 0

  function use(destinationId: number): Use {
    const known = uses.get(destinationId) ?? { inFlight: 0, open: 0 }
    uses.delete(destinationId)
    uses.set(destinationId, known)
    return known
  }

  function isTaken({ id, concurrency }: Destination): boolean {
    const usage = use(id)
    // Its pool opens no more than these.
    if (usage.inFlight >= usage.open && usage.open < concurrency) {
      if (usage.open >= perDestination || (open >= connections && !closeIdle())) return false
      usage.open++
      open++
    }
    usage.inFlight++
    return true
  }

  /** Closes the connections of the destination that has been idle for longest. */
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
    const usage = uses.get(destinationId)
    if (usage !== undefined) usage.inFlight--
    if (waiting.size > 0) for (const retry of [...waiting]) retry()
  }

  /** False: no connection became free in time, or the attempt was aborted. */
  function take(destination: Destination, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
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

  function begin(...args: Parameters<Sender['send']>): ReturnType<Sender['send']> {
    const sending = sender.send(...args)
    const giveItBack = () => giveBack(args[1].id)
    sending.then(giveItBack, giveItBack)
    return sending
  }

  return {
    ...sender,
    send(delivery, destination, ending) {
      if (isTaken(destination)) return begin(delivery, destination, ending)
      const startedAt = now()
      return take(destination, ending.signal).then((hasConnection) =>
        hasConnection
          ? begin(delivery, destination, ending)
          : { aborted: true, startedAt, durationMs: Math.max(0, now() - startedAt), hasBegun: false },
      )
    },
    forget,
    renew() {
      sender.renew()
      for (const id of [...uses.keys()]) forget(id)
    },
  }
}
