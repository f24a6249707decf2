import type { Dispatcher, Pool } from 'undici'

/** Bytes of an answer's body: how many are read at most, and how many are kept. */
const ANSWER_READ_LIMIT = 64 * 1024
const ANSWER_KEPT = 1024

export interface ExchangeRequest {
  readonly path: string
  /** Names and values alternate. */
  readonly headers: readonly string[]
  readonly body: Uint8Array
}

export interface ExchangeLimits {
  /** Ends the exchange: rejects with its reason before the status is known, ends the reading after it. */
  readonly signal: AbortSignal
  /** Limit for the whole exchange, in ms: ends it in the same way, with TimeLimitReached. */
  readonly timeLimitMs: number
  /** Limit for reading the answer's body, in ms after its headers. */
  readonly answerLimitMs: number
  /** Called when the request has a connection: from now on it may arrive. */
  readonly onBegan: () => void
  /** Called when the first byte of an answer has come. */
  readonly onAnswerBegan: () => void
}

export class TimeLimitReached extends Error {}

export interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly retryAfter: string | undefined
  /** The first bytes of the body, unchanged. */
  readonly body: Uint8Array
}

/**
 * One POST and its answer. The status decides as soon as it is known: an endless, slow or broken body ends the reading, never the exchange.
 * Redirects are not followed, and nothing is decompressed. Uses `dispatch`, which can abort a request that still waits for its connection.
 */
export function exchange(pool: Pool, request: ExchangeRequest, limits: ExchangeLimits): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const { signal, timeLimitMs, answerLimitMs } = limits
  const startedAt = performance.now()
  const collected = collectBody()
  let head: Omit<Answer, 'body'> | undefined
  let controller: Dispatcher.DispatchController | undefined
  let cutFor: Error | undefined
  let timer = setTimeout(() => cut(new TimeLimitReached()), timeLimitMs)

  function end(reason?: Error): void {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
    if (head === undefined) reject(reason ?? new Error('the answer ended without a status'))
    else resolve({ ...head, body: collected.kept() })
  }
  function cut(reason: Error): void {
    cutFor = reason
    end(reason)
    controller?.abort(reason)
  }
  function giveUp(): void {
    cut(signal.reason instanceof Error ? signal.reason : new Error('the attempt was given up'))
  }

  signal.addEventListener('abort', giveUp)
  const options = { path: request.path, method: 'POST' as const, headers: [...request.headers], body: request.body }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (cutFor !== undefined) controller.abort(cutFor)
      else limits.onBegan()
    },
    onResponseStarted: limits.onAnswerBegan,
    onResponseStart(_controller, status, headers) {
      if (status < 200) return
      head = { status, location: first(headers.location), retryAfter: first(headers['retry-after']) }
      const leftMs = timeLimitMs - (performance.now() - startedAt)
      clearTimeout(timer)
      timer = setTimeout(() => cut(new Error('the answer was cut off')), Math.max(0, Math.min(answerLimitMs, leftMs)))
    },
    onResponseData(_controller, chunk) {
      if (collected.add(chunk) >= ANSWER_READ_LIMIT) cut(new Error('the answer was cut off'))
    },
    onResponseEnd: () => end(),
    onResponseError: (_controller, error) => end(error),
  }
  try {
    pool.dispatch(options, handler)
  } catch (error) {
    end(error instanceof Error ? error : new Error(String(error)))
  }
  if (signal.aborted) giveUp()
  return promise
}

function collectBody(): { add(chunk: Uint8Array): number; kept(): Uint8Array } {
  const chunks: Uint8Array[] = []
  let total = 0
  return {
    add(chunk) {
      // Copied: a chunk may be a view of memory that the parser uses again.
      if (total < ANSWER_KEPT) chunks.push(Uint8Array.from(chunk.subarray(0, ANSWER_KEPT - total)))
      total += chunk.length
      return total
    },
    kept: () => Buffer.concat(chunks),
  }
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
