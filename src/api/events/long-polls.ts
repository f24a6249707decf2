/**
 * New events are matched in memory after the response to the service, once per turn of the event loop. A subscription
 * begins before the first read, so no event falls in between; a last read at the end of the wait moves the cursor.
 * Closing answers all.
 */

import type { Socket } from 'node:net'
import type { Response } from 'express'
import { clientOf } from '../../domain/client.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { requireUnrevoked } from '../auth/authentication.ts'
import type { Call } from '../http/endpoint.ts'

/** `woken`: look again. `over`: the time is up. `aborted`: the caller has gone or does not wait, or the registry is closed. */
export type WaitResult = 'woken' | 'over' | 'aborted'

/** One request's wait. End it in any case. */
export interface Waiter {
  /** Ends the current wait, or the next one if none is running. */
  readonly wake: () => void
  /**
   * Waits until `wake`, at most for `atMostMs`.
   * @throws the error of `check`, and PortariaError `queue_full` if all places are taken, `too_many_requests` if the client's share of them is
   */
  readonly next: (atMostMs?: number) => Promise<WaitResult>
  readonly end: () => void
}

export interface PollOptions {
  /** 0: the request does not wait. */
  readonly waitMs: number
  /** For `notify`; null: none. */
  readonly name: string | null
  /** Whose share of the places the request uses. */
  readonly client: string
  /** Called before each wait. */
  readonly onWait: () => void
  /** Called after each wait: throws where the request may no longer be answered. */
  readonly check: () => void
}

/** Requests that wait for events. */
export interface LongPollRegistry {
  wait(response: Response, options: PollOptions): Waiter
  /** Wakes all requests with this name. */
  notify(name: string): void
  /** Wakes all requests that have a name. */
  notifyAll(): void
  /** Aborts every wait, and all later ones. */
  close(): void
}

/** Each costs a connection and some memory. */
const MAX_WAITING = 2000
/** Of one client, so that it leaves places for others. */
const SHARE = 0.1

const NOT_WAITING: Waiter = { wake: () => undefined, next: async () => 'aborted', end: () => undefined }

export function createLongPollRegistry(places: number = MAX_WAITING): LongPollRegistry {
  const maxOfClient = Math.max(1, Math.floor(places * SHARE))
  /** Each with its client. */
  const waiting = new Map<Wait, string>()
  const waitingOfClient = new Map<string, number>()
  const named = new Map<string, Set<Wait>>()
  /** True for ever after `close`. */
  let isClosed = false

  function register(name: string, wait: Wait): () => void {
    const others = named.get(name) ?? new Set()
    named.set(name, others.add(wait))
    return function unregister() {
      others.delete(wait)
      if (others.size === 0) named.delete(name)
    }
  }

  function addWaiting(wait: Wait, client: string): void {
    if (waiting.size >= places)
      throw new PortariaError(
        'queue_full',
        say`${{ count: places }} requests wait already: ask again later, or without "wait"`,
      )
    const taken = waitingOfClient.get(client) ?? 0
    if (taken >= maxOfClient)
      throw new PortariaError(
        'too_many_requests',
        `${taken} requests of this client wait already, and no client may have more: let fewer of your processes wait at once, or ask without "wait"`,
      )
    waiting.set(wait, client)
    waitingOfClient.set(client, taken + 1)
  }

  function removeWaiting(wait: Wait): void {
    const client = waiting.get(wait)
    if (client === undefined) return
    waiting.delete(wait)
    const left = (waitingOfClient.get(client) ?? 1) - 1
    if (left === 0) waitingOfClient.delete(client)
    else waitingOfClient.set(client, left)
  }

  return {
    wait(response, { waitMs, name, client, onWait, check }) {
      const { socket } = response.req
      if (waitMs === 0 || isClosed || socket.readableEnded) return NOT_WAITING
      const wait = createWait(waitMs, check)
      const abort = () => wait.become('aborted')
      const unregister = name === null ? () => undefined : register(name, wait)
      response.once('close', abort)
      const waits = waitsOn(socket).add(wait)
      return {
        wake: () => wait.become('woken'),
        // Not async: one event wakes thousands of requests, and each async function costs each of them a promise.
        next(atMostMs) {
          if (isClosed) return Promise.resolve('aborted')
          if (!waiting.has(wait)) addWaiting(wait, client)
          onWait()
          return wait.next(atMostMs)
        },
        end() {
          unregister()
          wait.end()
          waits.delete(wait)
          removeWaiting(wait)
          // A kept-alive connection would keep the listener from stopping.
          if (isClosed && !response.headersSent) response.setHeader('connection', 'close')
        },
      }
    },
    notify(name) {
      for (const wait of named.get(name) ?? []) wait.become('woken')
    },
    notifyAll() {
      for (const waits of named.values()) for (const wait of waits) wait.become('woken')
    },
    close() {
      isClosed = true
      for (const wait of waiting.keys()) wait.become('aborted')
    },
  }
}

/** How a call waits, without its turn. Calls of pages and commands do not wait, and neither does HEAD. */
export function waiterOf(
  call: Call,
  {
    waiting,
    answers,
  }: { readonly waiting: Pick<LongPollRegistry, 'wait'>; readonly answers: Pick<BoundedAnswers, 'endTurn'> },
  { waitMs, name }: Pick<PollOptions, 'waitMs' | 'name'>,
): Waiter {
  if (call.http === null || call.http.request.method === 'HEAD') return NOT_WAITING
  const { request, response } = call.http
  return waiting.wait(response, {
    waitMs,
    name,
    client: clientOf(call),
    onWait: () => answers.endTurn(response),
    check: () => requireUnrevoked(request, response),
  })
}

type Wait = ReturnType<typeof createWait>

const waitsOfSockets = new WeakMap<Socket, Set<Wait>>()

/**
 * The waits on a connection; pipelined requests are several. They end when the caller ends its side: a half-closed connection may also be one whose
 * caller has gone (TCP cannot tell), so they get what there is at once. One listener for all requests, because adding and removing one costs a tenth of
 * an answer.
 */
function waitsOn(socket: Socket): Set<Wait> {
  const known = waitsOfSockets.get(socket)
  if (known !== undefined) return known
  const waits = new Set<Wait>()
  waitsOfSockets.set(socket, waits)
  socket.once('end', () => {
    for (const wait of waits) wait.become('over')
  })
  return waits
}

/** One wait, over at the latest after `waitMs`. A wake-up between two calls of `next` ends the second at once. */
function createWait(waitMs: number, check: () => void) {
  let state: WaitResult | 'waiting' = 'waiting'
  let onChange: (() => void) | undefined

  function become(next: WaitResult): void {
    // Aborted is final, and an event does not extend the wait.
    if (state === 'aborted' || (state === 'over' && next === 'woken')) return
    state = next
    onChange?.()
  }

  /** @throws the error of `check` */
  function taken(): WaitResult {
    const result = state as WaitResult
    if (result === 'woken') state = 'waiting'
    check()
    return result
  }

  const timer = setTimeout(become, waitMs, 'over')
  return {
    become,
    // One promise, because an event may end thousands of waits at once.
    next(atMostMs?: number): Promise<WaitResult> {
      const { promise, resolve, reject } = Promise.withResolvers<WaitResult>()
      const atMost = atMostMs === undefined ? undefined : setTimeout(become, atMostMs, 'woken')
      onChange = () => {
        clearTimeout(atMost)
        onChange = undefined
        try {
          resolve(taken())
        } catch (error) {
          reject(error as Error)
        }
      }
      if (state !== 'waiting') onChange()
      return promise
    },
    end: () => clearTimeout(timer),
  }
}
