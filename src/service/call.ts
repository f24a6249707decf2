import pRetry, { AbortError } from 'p-retry'
import { VERSION } from '../platform/version.ts'
import { jsonOf, refusalOf, refusalText, retryAfterOf } from './answer.ts'
import type { Call, Calling, ServiceAnswer, ServiceRequest } from './calling.ts'
import { type Exchanged, type ExchangeRequest, exchange } from './exchange.ts'
import {
  interfaceText,
  isRefusal,
  nameAlone,
  type Refusal,
  ServiceFailure,
  type ServiceFailureCode,
  withoutCause,
  withUnknownOutcome,
} from './failure.ts'
import { adviceText } from './refusals.ts'
import { limitTime, TimeLimitReached, unlessAborted } from './time-limit.ts'
import type { TokenCache } from './tokens.ts'
import { ConnectionCut, certificateText, transportFailure } from './transport-failure.ts'

/** Most bytes of an answer: some thousand entries of a token, and more than most calls need. A longer one fails. */
const ANSWER_BYTES = 1024 * 1024
const RETRIES = { retries: 3, factor: 3, maxTimeout: 5_000, randomize: true } as const

/** An authorized call. As `ServiceClient.request`. */
export async function callService(
  calling: Calling,
  tokens: TokenCache,
  request: ServiceRequest,
): Promise<ServiceAnswer> {
  const { callTimeoutMs = calling.callTimeoutMs } = request
  const requestMs = request.timeoutMs ?? calling.timeoutMs
  const timeoutMs = request.callTimeoutMs === undefined ? requestMs : Math.min(requestMs, callTimeoutMs)
  const isChange = request.method !== 'GET'
  const options = {
    isRepeatable: request.isRepeatable ?? request.method !== 'POST',
    isChange,
    signal: request.signal,
    isPatient: request.isRepeatable !== false,
  }
  const { onlyNames, answerBytes } = request
  return withinLimits({ ...calling, timeoutMs, callTimeoutMs, onlyNames, answerBytes }, options, (call) =>
    repeatedly(call, async () => answerOf(call, request, await authorized(call, tokens, request))),
  )
}

interface CallOptions {
  readonly isRepeatable: boolean
  /** Whether it waits while the service wants no requests. */
  readonly isPatient: boolean
  readonly isChange: boolean
  readonly signal: AbortSignal | undefined
}

/** Runs a call within its limit of time. Every failure is a ServiceFailure, unless the caller aborts. */
export async function withinLimits<T>(
  calling: Calling,
  { isRepeatable, isPatient, isChange, signal: given }: CallOptions,
  run: (call: Call) => Promise<T>,
): Promise<T> {
  const limitMs = Math.max(calling.callTimeoutMs, calling.timeoutMs)
  const limit = limitTime(limitMs, [given, calling.closed])
  const deadline = performance.now() + limitMs
  let isOutcomeLost = false
  /** Of the last attempt that failed before the time was over. Only `failed` sets it. */
  let lastFailure: ServiceFailure | null = null
  const outcomeLost = () => {
    isOutcomeLost = isChange
  }
  const { signal } = limit
  try {
    return await run({
      ...calling,
      isRepeatable,
      isPatient,
      signal,
      outcomeLost,
      failed: (failure) => {
        lastFailure = failure
      },
      leftMs: () => deadline - performance.now(),
    })
  } catch (error) {
    if (given?.aborted) throw given.reason
    // That a network resets each connection says more than that the time is over.
    const failure = (error instanceof TimeLimitReached && lastFailure) || failureOf(error, calling, limitMs)
    throw isOutcomeLost ? withUnknownOutcome(failure) : failure
  } finally {
    limit.end()
  }
}

function failureOf(error: unknown, calling: Calling, limitMs: number): ServiceFailure {
  const { environment, on, closed } = calling
  if (error instanceof TimeLimitReached) return tooSlow(calling, limitMs)
  if (!closed.aborted) return transportFailure(error, calling)
  const text = `${interfaceText(on, environment)}: the call was given up, because the gateway stops or its configuration has changed`
  return new ServiceFailure('unreachable', text, { environment, on, cause: error })
}

/** Repeats after transport errors and 5xx, with jitter, as long as the call has time. */
export async function repeatedly<T>(call: Call, once: () => Promise<T>): Promise<T> {
  let cuts = 0
  return await pRetry(
    async () => {
      try {
        return await once()
      } catch (error) {
        if (error instanceof ServiceFailure) call.failed(error)
        if (error instanceof ConnectionCut && ++cuts > RETRIES.retries) throw cutAlways(call, error)
        throw error
      }
    },
    {
      ...RETRIES,
      minTimeout: call.retryMs,
      retries: call.isRepeatable ? RETRIES.retries : 0,
      signal: call.signal,
      shouldRetry: ({ error, retryDelay }) => isPassing(error) && retryDelay < call.leftMs(),
    },
  )
}

const PASSING: readonly ServiceFailureCode[] = ['unreachable', 'handshake', 'unavailable', 'timeout']

function isPassing(error: unknown): boolean {
  return error instanceof ServiceFailure && !error.isFinal && PASSING.includes(error.code)
}

/** The service closes every connection of a certificate that it does not accept: nothing else tells such a certificate from a broken network. */
function cutAlways({ environment, on }: Call, error: ConnectionCut): ServiceFailure {
  if (on === 'charges') return error
  const reason = `it closed ${RETRIES.retries + 1} connections before an answer`
  const text = `${interfaceText(on, environment)}: ${certificateText(reason)}; if the certificate is right, the network or the service is out of order, and later calls succeed`
  return new ServiceFailure('certificate_refused', text, { environment, on, cause: error })
}

/** With a token; after a 401, once more with a new one. */
async function authorized(call: Call, tokens: TokenCache, request: ServiceRequest): Promise<Exchanged> {
  for (let attempt = 1; ; attempt++) {
    const token = await tokenFor(call, tokens)
    const answer = await send(call, asHttp(call, request, token))
    if (answer.status !== 401) return answer
    call.onRequest('unauthorized')
    tokens.drop(call.on, token)
    if (attempt === 2) throw tokenRefused(call, answer)
  }
}

/** A failure to fetch a token is not repeated here: the fetch has its own repetitions. */
async function tokenFor(call: Call, tokens: TokenCache): Promise<string> {
  try {
    return await unlessAborted(tokens.get(call.on), call.signal)
  } catch (error) {
    throw error instanceof ServiceFailure ? new AbortError(error) : error
  }
}

function asHttp({ connection }: Call, { method, path, query, json }: ServiceRequest, token: string): ExchangeRequest {
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
  return {
    method,
    path: `${connection.prefix}${path}${search}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'user-agent': `Portaria/${VERSION}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    body: json === undefined ? null : JSON.stringify(json),
  }
}

/** One request, and again whenever a 429 asked to wait. */
export async function send(call: Call, request: ExchangeRequest): Promise<Exchanged> {
  let last: Exchanged | undefined
  const leftMs = call.isPatient ? call.leftMs : () => 0
  while (await call.gate.pass(call.on, leftMs, call.signal)) {
    const answer = await exchangeOnce(call, request)
    if (answer.status !== 429) return answer
    call.onRequest('rate_limited')
    last = answer
    call.gate.hold(call.on, retryAfterOf(answer, call.now()))
  }
  throw rateLimited(call, last)
}

async function exchangeOnce(call: Call, request: ExchangeRequest): Promise<Exchanged> {
  const limit = limitTime(call.timeoutMs, [call.signal])
  let hasBegun = false
  const onBegan = () => {
    hasBegun = true
  }
  try {
    const keepsBody = call.onlyNames === undefined ? () => true : isRefusal
    const limits = { signal: limit.signal, answerBytes: call.answerBytes ?? ANSWER_BYTES, keepsBody, onBegan }
    const answer = await exchange(call.connection.pool, request, limits)
    if (answer.status >= 500) call.outcomeLost()
    return answer
  } catch (error) {
    if (hasBegun) call.outcomeLost()
    // The end of the whole call is the matter of `withinLimits`.
    if (call.signal.aborted) throw call.signal.reason
    const failure = error instanceof TimeLimitReached ? tooSlow(call, call.timeoutMs) : transportFailure(error, call)
    call.onRequest(failure.code)
    // The cause may quote an answer that is not HTTP.
    throw call.onlyNames === undefined ? failure : withoutCause(failure)
  } finally {
    limit.end()
  }
}

/** @throws ServiceFailure unless the service has carried out the request */
function answerOf(call: Call, request: ServiceRequest, answer: Exchanged): ServiceAnswer {
  const { status, body: bytes } = answer
  const failure = status >= 200 && status < 300 ? null : statusFailure(call, request, answer)
  if (failure !== null) {
    call.onRequest(failure.code)
    throw failure
  }
  const json = bytes.length === 0 ? undefined : jsonOf(bytes)
  if (json === undefined && (request.expects ?? 'json') === 'json') {
    call.outcomeLost()
    call.onRequest('garbage')
    throw garbage(call, status, `answered HTTP ${status} without JSON`)
  }
  if (call.hasSecret(bytes)) {
    call.outcomeLost()
    call.onRequest('garbage')
    throw garbage(call, status, `answered HTTP ${status} with the credentials of the request`)
  }
  call.onRequest('success')
  return { status, bytes, json }
}

function statusFailure(call: Call, request: ServiceRequest, answer: Exchanged): ServiceFailure {
  const { environment, on } = call
  const { status } = answer
  const refusal = refusalIn(call, answer)
  const what = interfaceText(on, environment)
  const retryAfterMs = retryAfterOf(answer, call.now())
  const options = { environment, on, status, refusal, retryAfterMs }
  if (status >= 300 && status < 400)
    return garbage(call, status, `answered with a redirect (HTTP ${status}), which is not followed`)
  if (status >= 500) {
    const text = `${what} has a failure of its own (${refusalText(refusal)}): the call can be repeated later`
    return new ServiceFailure('unavailable', text, options)
  }
  if (status === 403 && refusal.name === 'insufficient_scope') {
    const scope = request.scope?.replace(/^svc\./, `${call.servicePathSegment}.`)
    const which = scope === undefined ? 'the scope of this call' : `the scope ${scope}`
    const text = `${what} misses ${which} (${refusalText(refusal)}): enable it for the application at the service`
    return new ServiceFailure('insufficient_scope', text, { ...options, isFinal: true })
  }
  const text = `${what} refused the call (${refusalText(refusal)})${adviceText(refusal)}`
  return new ServiceFailure('refused', text, { ...options, isFinal: true })
}

function refusalIn({ clean, onlyNames }: Call, answer: Exchanged): Refusal {
  const refusal = refusalOf(answer, clean)
  return onlyNames === undefined ? refusal : nameAlone(refusal, onlyNames)
}

/** An answer that is none of the service: also for modules that find another shape than documented. */
export function garbage(
  { environment, on }: Pick<Calling, 'environment' | 'on'>,
  status: number | undefined,
  text: string,
): ServiceFailure {
  const step = 'check that the base address in service.baseAddresses is that of this interface'
  return new ServiceFailure('garbage', `${interfaceText(on, environment)} ${text}; ${step}`, {
    environment,
    on,
    status,
  })
}

function tokenRefused(call: Call, answer: Exchanged): ServiceFailure {
  const { environment, on } = call
  const refusal = refusalIn(call, answer)
  const text = `${interfaceText(on, environment)} refused a new access token too (${refusalText(refusal)}): check that the base address, the certificate and the credentials in service are those of one account and of this environment`
  return new ServiceFailure('credentials_refused', text, { environment, on, status: 401, refusal, isFinal: true })
}

function rateLimited(call: Call, answer: Exchanged | undefined): ServiceFailure {
  const { environment, on, gate } = call
  const retryAfterMs = gate.heldForMs(on)
  const text = `${interfaceText(on, environment)} takes no further requests for ${Math.ceil(retryAfterMs / 1000)} s (HTTP 429): repeat the call then, or make fewer calls`
  const refusal = answer && refusalIn(call, answer)
  return new ServiceFailure('rate_limited', text, { environment, on, status: 429, refusal, retryAfterMs })
}

function tooSlow({ environment, on }: Pick<Calling, 'environment' | 'on'>, limitMs: number): ServiceFailure {
  const text = `${interfaceText(on, environment)} gave no answer within ${limitMs / 1000} s: check the network, and repeat the call`
  return new ServiceFailure('timeout', text, { environment, on })
}
