import { AssertionError } from 'node:assert'
import type { X509Certificate } from 'node:crypto'
import pRetry from 'p-retry'
import type { AddressRules } from '../domain/address-rules.ts'
import type { ClaimedDelivery } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import { loopText } from '../domain/forwarding-loop.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { errors } from '../platform/http-pool.ts'
import { type Connections, createConnections } from './connections.ts'
import {
  type Answer,
  type ExchangeLimits,
  type ExchangePlace,
  type ExchangeRequest,
  exchange,
  type Progress,
  TimeLimitReached,
} from './exchange.ts'
import { inFormat } from './format.ts'
import { ConnectFailure, type ConnectorTls, codeOf, createGuardedConnector, handshakeWords } from './guarded-connect.ts'
import { createInFlight } from './in-flight.ts'
import { createNameResolver, type Resolve } from './name-resolver.ts'
import { requestHeaders } from './request-headers.ts'

export interface SenderOptions {
  readonly rules: AddressRules
  /** For `user-agent`. */
  readonly version: string
  /** For `cdn-loop`. */
  readonly instance: string
  readonly now: () => number
  /** Default: a new resolver for all destinations. */
  readonly resolve?: Resolve
  /** TLS options beyond the public roots, read when a destination's pool is created. An error fails the attempt. */
  readonly tlsFor?: (destination: Destination) => ConnectorTls | undefined
  /** Called with the server certificate for each new connection over TLS. Must not throw. */
  readonly onCertificate?: (destination: Destination, certificate: X509Certificate) => void
  /** Limit for reading an answer's body, in ms after its headers. Default 2 s. */
  readonly answerLimitMs?: number
}

/** The result of one attempt. A failure of the destination is a value, never thrown. */
export interface AttemptResult {
  readonly aborted: false
  readonly startedAt: number
  readonly durationMs: number
  /** HTTP status, or null when no answer came. */
  readonly status: number | null
  /** The failure in words for operators; null after a 2xx. */
  readonly error: string | null
  /** The first KiB of the answer's body, unchanged. */
  readonly answer: Uint8Array
  readonly retryAfter: string | undefined
}

/** The gateway aborted the attempt, because it stops or the destination was removed. */
export interface AbortedAttempt {
  readonly aborted: true
  readonly startedAt: number
  readonly durationMs: number
  /** True: the request may have arrived; false: nothing was sent. */
  readonly hasBegun: boolean
}

export type SendResult = AttemptResult | AbortedAttempt

export interface Sender {
  /** One attempt within the destination's `timeoutMs`. */
  send(delivery: ClaimedDelivery, destination: Destination, signal: AbortSignal): Promise<SendResult>
  /** Closes a destination's connections when the attempts in flight have ended. */
  forget(destinationId: number): void
  /** Closes all connections in the same way, because the TLS options have changed. */
  renew(): void
  /** Closes all connections and aborts attempts in flight. */
  close(): Promise<void>
}

const ANSWER_LIMIT_MS = 2_000
const CONNECT_LIMIT_MS = 10_000
/** Shorter than the idle limit of common servers, so that few requests meet a closed connection. */
const KEEP_ALIVE_MS = 4_000
const KEEP_ALIVE_LIMIT_MS = 10_000

export function createSender(options: SenderOptions): Sender {
  const { version, instance, now } = options
  const answerLimitMs = options.answerLimitMs ?? ANSWER_LIMIT_MS
  const targets = createTargets(options)
  return {
    async send(delivery, destination, signal) {
      const startedAt = now()
      const progress: Progress = { hasBegun: false, hasAnswerBegun: false }
      const aborted = (): AbortedAttempt => {
        return { aborted: true, startedAt, durationMs: Math.max(0, now() - startedAt), hasBegun: progress.hasBegun }
      }
      if (signal.aborted) return aborted()
      let outcome: Outcome
      try {
        const formatted = inFormat(delivery, destination.format)
        const headers = requestHeaders(formatted, destination, { now: startedAt, version, instance })
        const target = targets.get(destination)
        const sending: Sending = {
          target,
          request: { path: target.path, headers, body: formatted.body },
          limits: { signal, deadline: performance.now() + destination.timeoutMs, answerLimitMs, progress },
        }
        const answer = await exchange(target.place, sending.request, sending.limits).catch((error: unknown) =>
          exchangeAgain(sending, error),
        )
        outcome = outcomeOf(answer, instance)
      } catch (error) {
        if (signal.aborted || isGivenUpHere(error)) return aborted()
        outcome = { ...NO_ANSWER, error: failureWords(error, destination) }
      }
      return { aborted: false, startedAt, durationMs: Math.max(0, now() - startedAt), ...outcome }
    },
    forget: targets.forget,
    renew: targets.forgetAll,
    close: targets.close,
  }
}

type Outcome = Omit<AttemptResult, 'aborted' | 'startedAt' | 'durationMs'>

const NO_ANSWER = { status: null, answer: new Uint8Array(), retryAfter: undefined } as const

function outcomeOf(answer: Answer, instance: string): Outcome {
  return {
    status: answer.status,
    error: statusWords(answer, instance),
    answer: answer.body,
    retryAfter: answer.retryAfter,
  }
}

interface Sending {
  readonly target: Target
  readonly request: ExchangeRequest
  readonly limits: ExchangeLimits
}

/** At most two more tries, after 50 and 200 ms, and only where the destination seems to restart. Throws the error of the last try. */
async function exchangeAgain({ target, request, limits }: Sending, failure: unknown): Promise<Answer> {
  const { signal, deadline, progress } = limits
  // A try that begins at the time limit could arrive and still count as failed.
  const shouldRetry = ({ error, retryDelay = 0 }: { error: unknown; retryDelay?: number }): boolean =>
    !progress.hasAnswerBegun && isBrokenConnection(error) && performance.now() + retryDelay < deadline
  if (!shouldRetry({ error: failure })) throw failure
  let answer: Answer | undefined
  async function tryOnce(number: number): Promise<void> {
    if (number === 1) throw failure
    if (performance.now() >= deadline) throw new TimeLimitReached()
    answer = await exchange(target.place, request, limits)
  }
  await pRetry(tryOnce, { retries: 2, minTimeout: 50, factor: 4, signal, shouldRetry }).catch((last: unknown) => {
    // p-retry rejects after an abort, even after a success; the answer counts.
    if (answer === undefined) throw last
  })
  if (answer === undefined) throw new Error('no answer')
  return answer
}

function isBrokenConnection(error: unknown): boolean {
  if (error instanceof ConnectFailure && error.stage !== 'connection') return false
  return BROKEN.has(codeOf(error) ?? '')
}

const BROKEN: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** The pool was closed during the request: the destination changed, or the sender was closed. */
function isGivenUpHere(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED'
}

function statusWords({ status, location, body }: Answer, instance: string): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400 && location !== undefined) {
    return `redirect to another address is not followed (HTTP ${status})`
  }
  if (status !== LOOP_DETECTED) return `answered HTTP ${status}`
  if (Buffer.from(body).includes(loopText(instance)))
    return `the destination leads back to this gateway's own listener (HTTP ${status}): correct its URL`
  return `answered HTTP ${status}: the destination leads back to a system that this event has passed`
}

/** RFC 5842 section 7.2. */
const LOOP_DETECTED = 508

/** The failure for operators, without secrets, and limited because the destination chooses part of the text. */
function failureWords(error: unknown, destination: Destination): string {
  return wordsFor(error, destination).slice(0, 500)
}

function wordsFor(error: unknown, destination: Destination): string {
  if (error instanceof TimeLimitReached) return `no answer within ${destination.timeoutMs / 1000} s`
  if (error instanceof PortariaError || error instanceof ConnectFailure) return error.message
  const code = codeOf(error) ?? ''
  // undici's texts for an unexpected 100 Continue and an unexpected change of protocol.
  if (/^bad (response|upgrade)$/.test(messageOf(error))) return 'the answer does not fit the request (HTTP 100 or 101)'
  if (BROKEN.has(code)) return 'the connection broke before an answer came'
  if (error instanceof errors.HTTPParserError) return `the answer is not HTTP/1.1: ${error.message}`
  if (code.startsWith('ERR_SSL_')) return `TLS handshake failed: ${handshakeWords(error)}`
  if (error instanceof AssertionError || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return 'the answer is not HTTP/1.1'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return "the answer's headers are too long"
  if (code === 'UND_ERR_INVALID_ARG') {
    return `the request cannot be made (${messageOf(error)}): correct the headers of destination ${destination.name}`
  }
  return `the attempt failed: ${messageOf(error)}`
}

/** The target of a destination's requests. */
interface Target {
  readonly place: ExchangePlace
  /** Path and query. */
  readonly path: string
}

interface Targets {
  get(destination: Destination): Target
  forget(destinationId: number): void
  forgetAll(): void
  close(): Promise<void>
}

/** The connections of each destination, created on first use and replaced when the settings change. */
function createTargets(options: SenderOptions): Targets {
  const current = new Map<number, Target & { readonly destination: Destination; readonly settings: string }>()
  const ending = new Set<Connections>()
  const resolve = options.resolve ?? createNameResolver()
  const inFlight = createInFlight()

  function forget(destinationId: number): void {
    const known = current.get(destinationId)
    current.delete(destinationId)
    if (known === undefined) return
    const { connections } = known.place
    ending.add(connections)
    connections.close(() => ending.delete(connections))
  }
  /** Keeps the connections unless their settings have changed. */
  function change(destination: Destination): Target {
    const { url, concurrency, timeoutMs, authorities } = destination
    const settings = JSON.stringify([url, concurrency, timeoutMs, authorities])
    const known = current.get(destination.id)
    if (known !== undefined && known.settings !== settings) forget(destination.id)
    const { pathname, search } = new URL(url)
    const connections =
      current.get(destination.id)?.place.connections ?? connectionsTo(destination, { ...options, resolve })
    const target = { place: { connections, inFlight }, path: pathname + search, destination, settings }
    current.set(destination.id, target)
    return target
  }
  return {
    get(destination) {
      const known = current.get(destination.id)
      return known?.destination === destination ? known : change(destination)
    },
    forget,
    forgetAll() {
      for (const destinationId of [...current.keys()]) forget(destinationId)
    },
    async close() {
      const all = [...[...current.values()].map(({ place }) => place.connections), ...ending]
      current.clear()
      await Promise.all(all.map((connections) => connections.destroy()))
    },
  }
}

function connectionsTo(
  destination: Destination,
  { rules, resolve, tlsFor, onCertificate }: SenderOptions & { readonly resolve: Resolve },
): Connections {
  const { protocol, origin } = new URL(destination.url)
  const connect = createGuardedConnector({
    rules,
    resolve,
    connectTimeoutMs: Math.min(CONNECT_LIMIT_MS, destination.timeoutMs),
    tls: protocol === 'https:' ? tlsFor?.(destination) : undefined,
    onCertificate: (certificate) => onCertificate?.(destination, certificate),
  })
  const client = {
    connect,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_LIMIT_MS,
    // The whole attempt has a time limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  return createConnections(origin, client, destination.concurrency)
}
