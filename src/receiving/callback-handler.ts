import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthenticationMethod, ListenerName, Peer, ReceivedCallback } from '../domain/event.ts'
import type { CallbackOutcome, StoredCallback } from '../domain/event-record.ts'
import type { WantedAnswer } from '../domain/kinds.ts'
import { namedParts, type Realm } from '../domain/realm.ts'
import type { RefusalCode } from '../domain/refusal.ts'
import { refusalOfRequest } from '../domain/refused-callbacks.ts'
import type { BodyBudget } from '../platform/body-budget.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { createLineLimit } from '../platform/line-limit.ts'
import type { Log } from '../platform/log.ts'
import { describeConnection, shownPath } from './connection.ts'
import type { Refusals } from './refusals.ts'
import { createHeaderReader } from './relevant-headers.ts'
import { readBody } from './request-body.ts'
import type { StoredLog } from './stored-log.ts'

/** The caller of a request, as its listener identified it. */
export interface Caller {
  readonly environment: Realm
  readonly authentication: AuthenticationMethod
  readonly remoteAddress: string
  readonly peer: Peer | null
  readonly tlsVersion: string | null
  readonly cipher: string | null
}

export interface CallbackHandlerOptions {
  readonly listener: ListenerName
  readonly bodyBytes: number
  /** Shared by all listeners that store callbacks. */
  readonly bodies: Pick<BodyBudget, 'open'>
  /** This gateway's name in CDN-Loop. A request that has it is refused before its body is read. */
  readonly instance: string
  /** False: there is no disk space for this many bytes. */
  readonly admits: (bytes: number) => boolean
  /** Whether the gateway asks the service for the entries of charge tokens, by environment. Default: none. */
  readonly resolvesTokens?: (environment: Realm) => boolean
  /** By environment, where it is not 200 with the body `200`. */
  readonly answers?: ReadonlyMap<Realm, WantedAnswer>
  readonly storeCallback: (callback: ReceivedCallback) => Promise<StoredCallback>
  readonly onStored: (stored: StoredCallback, callback: ReceivedCallback) => void
  readonly onNotStored?: (error: unknown) => void
  readonly onOutcome?: (answered: CallbackOutcome) => void
  readonly refusals: Pick<Refusals, 'on' | 'own' | 'markProbe'>
  /** Shared by all listeners that store callbacks. */
  readonly storedLog: Pick<StoredLog, 'stored'>
  readonly log: Log
  readonly now: () => number
}

export interface Accepted {
  readonly kind: string
  /** The request target as it is stored. */
  readonly target: string
  readonly caller: Caller
}

/** Reads an accepted request, stores the callback, and only then answers. Used by both listeners. */
export type CallbackHandler = (request: IncomingMessage, response: ServerResponse, accepted: Accepted) => void

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Freeing disk space takes a person, so an earlier retry is useless. */
const NO_SPACE_RETRY_SECONDS = '60'

const NO_ROOM = 'the bodies that are being received and the callbacks that wait for the disk exceed storage.queue.bytes'

export function createCallbackHandler(options: CallbackHandlerOptions): CallbackHandler {
  const onRefused = options.refusals.on(options.listener)
  const mayHaveLine = createLineLimit(options.now)
  const mayHaveLateLine = createLineLimit(options.now)
  const relevantHeaders = createHeaderReader()
  const bounds = { limitBytes: options.bodyBytes, budget: options.bodies }

  /** Stores, answers, and only then publishes the callback. It catches everything, and awaits once: it runs for each callback. */
  async function store({ request, response }: Exchange, accepted: Accepted, body: Buffer): Promise<void> {
    try {
      const startedAt = performance.now()
      const callback = callbackOf(request, accepted, body)
      const stored = await options.storeCallback(callback)
      const { kind, environment, remoteAddress } = callback
      const wanted = options.answers?.get(environment)
      if (wanted === undefined) answer(response, 200, '200')
      else answer(response, wanted.status, wanted.body, echoed(request, wanted.echoHeaders))
      const answeredAt = performance.now()
      const durationMs = answeredAt - startedAt
      const isLate = wanted !== undefined && reportLate(callback, wanted, durationMs)
      options.onOutcome?.({ kind, environment, kept: { stored, durationMs, isLate } })
      options.onStored(stored, callback)
      options.refusals.markProbe(remoteAddress)
      options.storedLog.stored({ callback, stored, durationMs, answeredAt })
    } catch (error) {
      answerFailure(response, accepted, error)
    }
  }

  /** @returns whether it was late */
  function reportLate(callback: ReceivedCallback, { withinMs }: WantedAnswer, durationMs: number): boolean {
    if (withinMs === null || durationMs <= withinMs) return false
    const { kind, environment } = callback
    if (mayHaveLateLine())
      options.log.warn(
        { kind, ...namedParts(environment), durationMs: Math.round(durationMs), withinMs },
        'callback.answered_late',
      )
    return true
  }

  function callbackOf(request: IncomingMessage, { kind, target, caller }: Accepted, body: Buffer): ReceivedCallback {
    return {
      ...caller,
      receivedAt: options.now(),
      kind,
      listener: options.listener,
      target,
      contentType: request.headers['content-type'] ?? null,
      headers: relevantHeaders(request),
      body,
      resolvesTokens: options.resolvesTokens?.(caller.environment) === true,
    }
  }

  function answerFailure(response: ServerResponse, accepted: Accepted, error: unknown): void {
    const isExpected = error instanceof PortariaError
    if (!isExpected || mayHaveLine())
      options.log.error(
        {
          kind: accepted.kind,
          listener: options.listener,
          error: messageOf(error),
          stack: isExpected ? undefined : (error as Error).stack,
        },
        'callback.not_stored',
      )
    options.onNotStored?.(error)
    options.onOutcome?.({ kind: accepted.kind, environment: accepted.caller.environment, kept: null })
    answer(response, 503, 'not stored, try again later', { 'retry-after': '5' })
  }

  function refuse(request: IncomingMessage, { caller, target }: Accepted, code: RefusalCode): void {
    const { environment } = caller
    const refusal = refusalOfRequest({ code }, request)
    const detail = shownPath(target)
    const describe = () => ({ ...describeConnection(request.socket), ...refusal, environment, detail })
    onRefused(request.socket, describe, true)
  }

  return function receive(request, response, accepted) {
    if (isEncoded(request)) {
      refuse(request, accepted, 'encoded_body')
      answer(response, 415, 'send the body without a content-encoding')
      return
    }
    readBody(request, bounds, (read) => {
      if (read === 'aborted') return
      if (read === 'no room') {
        answerFailure(response, accepted, new PortariaError('queue_full', NO_ROOM))
        return
      }
      if (read === 'too large') {
        refuse(request, accepted, 'too_large')
        answer(response, 413, `the body is larger than ${options.bodyBytes} bytes`)
        return
      }
      if (!options.admits(read.body.length)) {
        options.onOutcome?.({ kind: accepted.kind, environment: accepted.caller.environment, kept: null })
        answer(response, 503, 'no space to store it, try again later', { 'retry-after': NO_SPACE_RETRY_SECONDS })
        return
      }
      void store({ request, response }, accepted, read.body)
    })
  }
}

const LONGEST_ECHO = 256

/** A value that is long or not printable is left out. */
function echoed({ headers }: IncomingMessage, names: readonly string[]): Record<string, string> {
  const repeated: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string' && value.length <= LONGEST_ECHO && /^[ -~]+$/.test(value)) repeated[name] = value
  }
  return repeated
}

/**
 * The codings of RFC 9110 section 8.4.1, RFC 7932 and RFC 8878. They change the bytes, and nothing here decodes them. Other values, such as
 * `identity` or a charset, code nothing. Node itself removes the chunked transfer coding.
 */
const CODING = /(?<![\w-])(?:x-)?(?:gzip|deflate|br|zstd|compress)(?![\w-])/i

function isEncoded({ headers }: IncomingMessage): boolean {
  const { 'content-encoding': content, 'transfer-encoding': transfer } = headers
  return (content !== undefined && CODING.test(content)) || (transfer !== undefined && CODING.test(transfer))
}

export function answer(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(text), ...headers })
  response.end(text)
}
