import type { Dispatcher, Pool } from 'undici'

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export interface ExchangeLimits {
  /** Ends the exchange: it rejects with the signal's reason. */
  readonly signal: AbortSignal
  /** Most bytes of the answer's body. */
  readonly answerBytes: number
  /** Whether the body of an answer with this status is kept; otherwise its bytes are dropped as they come. */
  readonly keepsBody: (status: number) => boolean
  /** Called when the request has a connection: from now on it may arrive. */
  readonly onBegan: () => void
}

export interface Exchanged {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

/** The body of an answer is longer than allowed. */
export class AnswerTooLong extends Error {}

/** The connection failed after the head of an answer had come. */
export class AnswerCut extends Error {}

/**
 * One request and its answer. Redirects are not followed, and nothing is decompressed. Uses `dispatch`, which can abort a request that still
 * waits for its connection.
 */
export function exchange(pool: Pool, request: ExchangeRequest, limits: ExchangeLimits): Promise<Exchanged> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchanged>()
  const { signal, answerBytes, keepsBody, onBegan } = limits
  const chunks: Uint8Array[] = []
  /** Bytes of the body so far. */
  let size = 0
  /** Of the final answer, once it came. */
  let head: Omit<Exchanged, 'body'> | undefined
  /** From the start of the request. */
  let controller: Dispatcher.DispatchController | undefined
  /** Why `cut` ended the exchange; undefined: it did not. */
  let cutFor: Error | undefined

  function fail(error: Error): void {
    signal.removeEventListener('abort', giveUp)
    reject(error)
  }
  function cut(reason: Error): void {
    cutFor ??= reason
    fail(reason)
    controller?.abort(reason)
  }
  function giveUp(): void {
    cut(signal.reason instanceof Error ? signal.reason : new Error('the call was aborted'))
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (cutFor === undefined) onBegan()
      else controller.abort(cutFor)
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) head = { status, headers }
    },
    onResponseData(_controller, chunk) {
      size += chunk.length
      if (size > answerBytes) cut(new AnswerTooLong(`more than ${answerBytes} bytes`))
      // Copied: a chunk may be a view of memory that the parser uses again.
      else if (head !== undefined && keepsBody(head.status)) chunks.push(Uint8Array.from(chunk))
    },
    onResponseEnd() {
      signal.removeEventListener('abort', giveUp)
      if (head === undefined) reject(new Error('the answer ended without a status'))
      else resolve({ ...head, body: Buffer.concat(chunks) })
    },
    onResponseError(_controller, error) {
      fail(head === undefined ? error : new AnswerCut(error.message, { cause: error }))
    },
  }
  if (signal.aborted) {
    giveUp()
    return promise
  }
  signal.addEventListener('abort', giveUp)
  try {
    pool.dispatch(
      { method: request.method, path: request.path, headers: { ...request.headers }, body: request.body },
      handler,
    )
  } catch (error) {
    fail(error instanceof Error ? error : new Error(String(error)))
  }
  return promise
}

export function headerOf({ headers }: Pick<Exchanged, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
