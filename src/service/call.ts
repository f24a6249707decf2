import pRetry, { AbortError } from 'p-retry'
import type { Realm } from '../domain/realm.ts'
import type { ServiceInterface } from '../domain/service/service-interfaces.ts'
import type { CleanText } from '../platform/secret-cleaner.ts'
import { VERSION } from '../platform/version.ts'
import { jsonOf, refusalOf, refusalText, retryAfterOf } from './answer.ts'
import type { Connection } from './connections.ts'
import { type Exchanged, type ExchangeRequest, exchange } from './exchange.ts'
import { interfaceText, ServiceFailure, type ServiceFailureCode, withUnknownOutcome } from './failure.ts'
import type { RateGate } from './rate-gate.ts'
import { adviceText } from './refusals.ts'
import { limitTime, TimeLimitReached, unlessAborted } from './time-limit.ts'
import type { TokenCache } from './tokens.ts'
import { ConnectionCut, certificateText, transportFailure } from './transport-failure.ts'

export interface ServiceRequest {
  readonly method: ExchangeRequest['method']
  /** Behind the base address; its parts are percent-encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly json?: object
  /**
   * true: repeats also a POST after transport errors and 5xx. false: repeats nothing but a 401, and fails at once while the service wants no requests.
   * Default: repeats GET, PUT and DELETE, and waits.
   */
  readonly isRepeatable?: boolean
  /** `nothing`: the status alone counts. Default: the body of a 2xx must be JSON. */
  readonly expects?: 'json' | 'nothing'
  /** The scope that the call needs, with `svc` for the configured segment; only for texts. */
  readonly scope?: string
  /** In place of the client's limit of one request. The limit of the call is never shorter. */
  readonly timeoutMs?: number
  /** In place of the client's limit of one call. It is also the longest of one request. */
  readonly callTimeoutMs?: number
  readonly signal?: AbortSignal
}

export interface ServiceAnswer {
  /** 200 to 299. */
  readonly status: number
  readonly bytes: Uint8Array
  /** undefined: the body is not JSON, which only a request that expects nothing accepts. */
  readonly json: unknown
}

/** One HTTP request, or one fetch of a token: `success`, `unauthorized` for a token that the service refused, else a failure. */
export interface ObservedRequest {
  readonly on: ServiceInterface
  readonly outcome: 'success' | 'unauthorized' | ServiceFailureCode
}

/** What the calls of an interface share. */
export interface Calling {
  readonly environment: Realm
  readonly on: ServiceInterface
  readonly connection: Connection
  readonly gate: RateGate
  readonly timeoutMs: number
  readonly callTimeoutMs: number
  readonly retryMs: number
  readonly servicePathSegment: string
  readonly now: () => number
  /** Aborts when the client is closed. */
  readonly closed: AbortSignal
  readonly onRequest: (outcome: ObservedRequest['outcome']) => void
  /** Removes the credentials in use from a text of the service. */
  readonly clean: CleanText
  /** Whether an answer has the credentials in use. */
  readonly hasSecret: (bytes: Uint8Array) => boolean
}

/** Most bytes of an answer: some thousand entries of a token, and more than any other call needs. A longer one fails. */
const ANSWER_BYTES = 1024 * 1024
const RETRIES = { retries: 3, factor: 3, maxTimeout: 5_000, randomize: true } as const

/** One call that is under way. */
export interface Call extends Calling {
  readonly isRepeatable: boolean
  readonly isPatient: boolean
  readonly signal: AbortSignal
  readonly leftMs: () => number
  /** Notes that the service may have carried out the request although it failed. */
  readonly outcomeLost: () => void
}

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
  return withinLimits({ ...calling, timeoutMs, callTimeoutMs }, options, (call) =>
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
      leftMs: () => deadline - performance.now(),
    })
  } catch (error) {
    if (given?.aborted) throw given.reason
    const failure = failureOf(error, calling, limitMs)
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
    const limits = { signal: limit.signal, answerBytes: ANSWER_BYTES, onBegan }
    const answer = await exchange(call.connection.pool, request, limits)
    if (answer.status >= 500) call.outcomeLost()
    return answer
  } catch (error) {
    if (hasBegun) call.outcomeLost()
    // The end of the whole call is the matter of `withinLimits`.
    if (call.signal.aborted) throw call.signal.reason
    const failure = error instanceof TimeLimitReached ? tooSlow(call, call.timeoutMs) : transportFailure(error, call)
    call.onRequest(failure.code)
    throw failure
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
  const refusal = refusalOf(answer, call.clean)
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
  const refusal = refusalOf(answer, call.clean)
  const text = `${interfaceText(on, environment)} refused a new access token too (${refusalText(refusal)}): check that the base address, the certificate and the credentials in service are those of one account and of this environment`
  return new ServiceFailure('credentials_refused', text, { environment, on, status: 401, refusal, isFinal: true })
}

function rateLimited({ environment, on, gate, clean }: Call, answer: Exchanged | undefined): ServiceFailure {
  const retryAfterMs = gate.heldForMs(on)
  const text = `${interfaceText(on, environment)} takes no further requests for ${Math.ceil(retryAfterMs / 1000)} s (HTTP 429): repeat the call then, or make fewer calls`
  const refusal = answer && refusalOf(answer, clean)
  return new ServiceFailure('rate_limited', text, { environment, on, status: 429, refusal, retryAfterMs })
}

function tooSlow({ environment, on }: Pick<Calling, 'environment' | 'on'>, limitMs: number): ServiceFailure {
  const text = `${interfaceText(on, environment)} gave no answer within ${limitMs / 1000} s: check the network, and repeat the call`
  return new ServiceFailure('timeout', text, { environment, on })
}
