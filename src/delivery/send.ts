import pRetry from 'p-retry'
import type { ClaimedDelivery } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import { failureWords, isBrokenConnection, isGivenUpHere, shownWords, statusWords } from './attempt-failures.ts'
import { cleanerFor } from './destination-secrets.ts'
import {
  type Answer,
  type ExchangeLimits,
  type ExchangeRequest,
  exchange,
  type Progress,
  TimeLimitReached,
} from './exchange.ts'
import { inFormat } from './format.ts'
import { requestHeaders } from './request-headers.ts'
import { createTargets, type Target, type TargetOptions } from './targets.ts'

export interface SenderOptions extends TargetOptions {
  /** For `user-agent`. */
  readonly version: string
  /** For `cdn-loop`. */
  readonly instance: string
  readonly now: () => number
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
  /** The first KiB of the answer's body, without secrets that it repeats. */
  readonly answer: Uint8Array
  readonly retryAfter: string | undefined
}

/** The gateway aborted the attempt, because it stops, the destination was removed, or another node may have taken it over. */
export interface AbortedAttempt {
  readonly aborted: true
  readonly startedAt: number
  readonly durationMs: number
  /** True: the request may have arrived; false: nothing was sent. */
  readonly hasBegun: boolean
}

export type SendResult = AttemptResult | AbortedAttempt

/** What ends an attempt before its time. */
export interface AttemptEnding {
  readonly signal: AbortSignal
  /** Asked right before each try of the attempt is sent; false: the attempt is aborted. Left out: it may always. */
  readonly mayBegin?: () => boolean
}

export interface Sender {
  /** One attempt within the destination's `timeoutMs`. */
  send(delivery: ClaimedDelivery, destination: Destination, ending: AttemptEnding): Promise<SendResult>
  /** Closes a destination's connections when the attempts in flight have ended. */
  forget(destinationId: number): void
  /** Closes all connections in the same way, because the TLS options have changed. */
  renew(): void
  /** Closes all connections and aborts attempts in flight. */
  close(): Promise<void>
}

const ANSWER_LIMIT_MS = 2_000

export function createSender(options: SenderOptions): Sender {
  const { version, instance, now } = options
  const answerLimitMs = options.answerLimitMs ?? ANSWER_LIMIT_MS
  const targets = createTargets(options)
  return {
    async send(delivery, destination, { signal, mayBegin }) {
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
          limits: { signal, mayBegin, deadline: performance.now() + destination.timeoutMs, answerLimitMs, progress },
        }
        const answer = await exchange(target.place, sending.request, sending.limits).catch((error: unknown) =>
          exchangeAgain(sending, error),
        )
        outcome = outcomeOf(answer, destination, instance)
      } catch (error) {
        if (signal.aborted || isGivenUpHere(error)) return aborted()
        outcome = { ...NO_ANSWER, error: shownWords(failureWords(error, destination), destination) }
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

function outcomeOf(answer: Answer, destination: Destination, instance: string): Outcome {
  const error = statusWords(answer, destination, instance)
  return {
    status: answer.status,
    error: error && shownWords(error, destination),
    answer: withoutSecrets(answer.body, destination),
    retryAfter: answer.retryAfter,
  }
}

/** Byte for byte, because the body may be in any character set. */
function withoutSecrets(body: Uint8Array, destination: Destination): Uint8Array {
  if (body.length === 0) return body
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  const cleaned = cleanerFor(destination)(text)
  return cleaned === text ? body : Buffer.from(cleaned, 'latin1')
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
