import type { Dispatcher } from 'undici'
import type { Client } from '../platform/http-pool.ts'
import type { Connections, ConnectionUser } from './connections.ts'
import type { Endable, InFlight } from './in-flight.ts'

/** Bytes of an answer's body: how many are read at most, and how many are kept. */
const ANSWER_READ_LIMIT = 64 * 1024
const ANSWER_KEPT = 1024

export interface ExchangeRequest {
  readonly path: string
  /** Names and values alternate. */
  readonly headers: string[]
  readonly body: Uint8Array
}

export interface ExchangeLimits {
  /** Ends the exchange: rejects with its reason before the status is known, ends the reading after it. */
  readonly signal: AbortSignal
  /** Of the whole exchange, in ms of performance.now(): ends it in the same way, with TimeLimitReached. */
  readonly deadline: number
  /** Limit for reading the answer's body, in ms after its headers. */
  readonly answerLimitMs: number
  /** How far it came. */
  readonly progress: Progress
  /** Asked when the request has a connection, right before it is sent; false: nothing is sent. Left out: it may be. */
  readonly mayBegin?: (() => boolean) | undefined
}

export interface Progress {
  /** The request has a connection: from now on it may arrive. */
  hasBegun: boolean
  /** The first byte of an answer has come. */
  hasAnswerBegun: boolean
}

export class TimeLimitReached extends Error {}

/** Another node may have taken the delivery over. */
export class MayNotBegin extends Error {}

export interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly retryAfter: string | undefined
  /** The first bytes of the body, unchanged. */
  readonly body: Uint8Array
}

/** Where the requests of a destination go. */
export interface ExchangePlace {
  readonly connections: Connections
  readonly inFlight: InFlight
}

/**
 * One POST and its answer. The status decides as soon as it is known: an endless, slow or broken body ends the reading, never the exchange.
 * Redirects are not followed, and nothing is decompressed.
 */
export function exchange(place: ExchangePlace, request: ExchangeRequest, limits: ExchangeLimits): Promise<Answer> {
  return new Promise((resolve, reject) => new Exchange(place, request, limits, { resolve, reject }).begin())
}

interface Settle {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/** A class without closures, because there is one for each attempt. */
class Exchange implements ConnectionUser, Endable {
  readonly request: Dispatcher.DispatchOptions
  readonly signal: AbortSignal
  readonly #place: ExchangePlace
  readonly #limits: ExchangeLimits
  readonly #settle: Settle
  client: Client | undefined
  deadline: number
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: Readonly<Record<string, string | string[] | undefined>> = {}
  #body = EMPTY
  #bodyLength = 0
  #hasEnded = false

  constructor(place: ExchangePlace, request: ExchangeRequest, limits: ExchangeLimits, settle: Settle) {
    this.request = { path: request.path, method: 'POST', headers: request.headers, body: request.body }
    this.signal = limits.signal
    this.deadline = limits.deadline
    this.#place = place
    this.#limits = limits
    this.#settle = settle
  }

  begin(): void {
    this.#place.inFlight.add(this)
    if (this.signal.aborted) this.onAborted()
    else this.#place.connections.send(this)
  }

  onDeadline(): void {
    this.#cut(this.#status === 0 ? new TimeLimitReached() : new Error('the answer was cut off'))
  }

  onAborted(): void {
    const { reason } = this.signal
    this.#cut(reason instanceof Error ? reason : new Error('the attempt was given up'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    const reason = this.#reasonAgainst()
    if (reason === null) this.#limits.progress.hasBegun = true
    else this.#cut(reason)
  }

  /** The process may have been frozen while the request waited for a name, a connection or a handshake, and no timer has fired since. */
  #reasonAgainst(): Error | null {
    if (this.#limits.mayBegin?.() === false) return new MayNotBegin()
    return performance.now() < this.deadline ? null : new TimeLimitReached()
  }

  onResponseStarted(): void {
    this.#limits.progress.hasAnswerBegun = true
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || this.#hasEnded) return
    this.#status = status
    this.#headers = headers
    this.deadline = Math.min(this.deadline, performance.now() + this.#limits.answerLimitMs)
    this.#place.inFlight.advanced(this)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#hasEnded) return
    // Copied: a chunk may be a view of memory that the parser uses again.
    if (this.#body.length < ANSWER_KEPT)
      this.#body = Buffer.concat([this.#body, chunk.subarray(0, ANSWER_KEPT - this.#body.length)])
    this.#bodyLength += chunk.length
    if (this.#bodyLength >= ANSWER_READ_LIMIT) this.#cut(new Error('the answer was cut off'))
  }

  onResponseEnd(): void {
    this.#end(null)
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end(error)
  }

  failed(error: Error): void {
    this.#end(error)
  }

  #cut(reason: Error): void {
    this.#controller?.abort(reason)
    this.#end(reason)
  }

  /** @param error counts where no status is known; null: the answer is complete, and its connection can be used again */
  #end(error: Error | null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { inFlight, connections } = this.#place
    inFlight.remove(this)
    connections.ended(this, error === null)
    if (this.#status !== 0) this.#settle.resolve(this.#answer())
    else this.#settle.reject(error ?? new Error('the answer ended without a status'))
  }

  #answer(): Answer {
    const { location, 'retry-after': retryAfter } = this.#headers
    return { status: this.#status, location: first(location), retryAfter: first(retryAfter), body: this.#body }
  }
}

const EMPTY: Uint8Array = Buffer.alloc(0)

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
