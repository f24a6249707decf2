import type { Response } from 'express'
import { PortariaError } from '../../platform/errors.ts'

/** `woken`: it may be worth to look again. `over`: time is up. `left`: the asker has gone, does not wait, or nobody does any more. */
export type WaitResult = 'woken' | 'over' | 'left'

/** One request's wait. */
export interface Waiter {
  /** Ends the wait that is under way, or the next one. */
  readonly wake: () => void
  /**
   * Until it is woken, at the latest after `atMostMs`. What woke it while it looked counts.
   * @throws PortariaError `queue_full` where all places are taken, `too_many_requests` where the client's share of them is
   */
  readonly next: (atMostMs?: number) => Promise<WaitResult>
}

/** Where requests are held until something comes. */
export interface LongPollRegistry {
  /**
   * @param wait how long the asker waits, in ms, 0: not at all; by which name it is called, null: by none; and whose share of the places it
   * takes one of
   */
  wait<T>(
    response: Response,
    wait: { readonly waitMs: number; readonly name: string | null; readonly client: string },
    run: (waiter: Waiter) => Promise<T>,
  ): Promise<T>
  /** Wakes all who go by this name. */
  notify(name: string): void
  /** Everybody leaves at once, and nobody waits from now on. */
  close(): void
}

/** Each costs a connection and some memory. */
const MOST_WAITING = 2000
/** Of one client, so that it takes nothing away from the others. */
const SHARE = 0.1

const PASSING: Waiter = { wake: () => undefined, next: async () => 'left' }

export function createLongPollRegistry(places: number = MOST_WAITING): LongPollRegistry {
  const mostOfClient = Math.max(1, Math.floor(places * SHARE))
  /** With whose they are. */
  const waiting = new Map<Clock, string>()
  const waitingOfClient = new Map<string, number>()
  const named = new Map<string, Set<Clock>>()
  let isClosed = false

  function register(name: string, clock: Clock): () => void {
    const others = named.get(name) ?? new Set()
    named.set(name, others.add(clock))
    return function answerNoMore() {
      others.delete(clock)
      if (others.size === 0) named.delete(name)
    }
  }

  function waitForChange(clock: Clock, client: string, atMostMs: number | undefined): Promise<WaitResult> | WaitResult {
    if (isClosed) return 'left'
    if (!waiting.has(clock)) addWaiting(clock, client)
    return clock.next(atMostMs)
  }

  function addWaiting(clock: Clock, client: string): void {
    if (waiting.size >= places)
      throw new PortariaError('queue_full', `${places} requests wait already: ask again later, or without "wait"`)
    const taken = waitingOfClient.get(client) ?? 0
    if (taken >= mostOfClient)
      throw new PortariaError(
        'too_many_requests',
        `${taken} requests of this client wait already, and no client may have more: let fewer of your processes wait at once, or ask without "wait"`,
      )
    waiting.set(clock, client)
    waitingOfClient.set(client, taken + 1)
  }

  function removeWaiting(clock: Clock): void {
    const client = waiting.get(clock)
    if (client === undefined) return
    waiting.delete(clock)
    const left = (waitingOfClient.get(client) ?? 1) - 1
    if (left === 0) waitingOfClient.delete(client)
    else waitingOfClient.set(client, left)
  }

  return {
    async wait(response, { waitMs, name, client }, run) {
      const { socket } = response.req
      if (waitMs === 0 || isClosed || socket.readableEnded) return run(PASSING)
      const clock = createClock(waitMs)
      const leave = () => clock.become('left')
      const unregister = name === null ? () => undefined : register(name, clock)
      response.once('close', leave)
      // TCP does not tell an asker that sends no more from one that has hung up: it is answered at once with what there is.
      const endWait = () => clock.become('over')
      // Pipelined requests wait on one connection.
      socket.setMaxListeners(0).once('end', endWait)
      try {
        return await run({
          wake: () => clock.become('woken'),
          next: async (atMostMs) => waitForChange(clock, client, atMostMs),
        })
      } finally {
        unregister()
        clock.end()
        response.off('close', leave)
        socket.off('end', endWait)
        removeWaiting(clock)
        // A connection that is kept alive would keep a listener from stopping.
        if (isClosed && !response.headersSent) response.setHeader('connection', 'close')
      }
    },
    notify(name) {
      for (const clock of named.get(name) ?? []) clock.become('woken')
    },
    close() {
      isClosed = true
      for (const clock of waiting.keys()) clock.become('left')
    },
  }
}

type Clock = ReturnType<typeof createClock>

function createClock(waitMs: number) {
  let state: WaitResult | 'waiting' = 'waiting'
  let onChange: (() => void) | undefined

  function become(next: WaitResult): void {
    // Who has left comes back no more, and no event gives more time.
    if (state === 'left' || (state === 'over' && next === 'woken')) return
    state = next
    onChange?.()
  }

  function changed(atMostMs: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = atMostMs === undefined ? undefined : setTimeout(become, atMostMs, 'woken')
    onChange = resolve
    return promise.finally(() => clearTimeout(timer))
  }

  const timer = setTimeout(become, waitMs, 'over')
  return {
    become,
    async next(atMostMs?: number): Promise<WaitResult> {
      if (state === 'waiting') await changed(atMostMs)
      const waited = state as WaitResult
      if (waited === 'woken') state = 'waiting'
      return waited
    },
    end: () => clearTimeout(timer),
  }
}
