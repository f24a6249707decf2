import { namedParts, type Realm } from '../domain/realm.ts'
import { asksForCertificate, SERVICE_INTERFACES, type ServiceInterface } from '../domain/service/service-interfaces.ts'
import type { Log } from '../platform/log.ts'
import { createChangingCleaner } from '../platform/secret-cleaner.ts'
import { callService } from './call.ts'
import type { Calling, ObservedRequest, ServiceAnswer, ServiceRequest } from './calling.ts'
import { type ConnectionsOptions, createConnections } from './connections.ts'
import { interfaceText, ServiceFailure } from './failure.ts'
import { createServiceHistory, type InterfaceHistory, type ServiceHistory } from './history.ts'
import { createRateGate } from './rate-gate.ts'
import { unlessAborted } from './time-limit.ts'
import { basicOf, fetchToken } from './token-request.ts'
import { createTokenCache } from './tokens.ts'

export type { ServiceAnswer, ServiceRequest } from './calling.ts'

/** The account's certificate, which every interface but that of charges asks for. */
export interface AccountCertificate {
  /** PEM; null: the files cannot be used, and `problem` says why. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** Why it cannot be used at this time (ms since 1970), with the next step; null: it can. */
  problem(now: number): string | null
  readonly subject: string | null
  /** In ms since 1970. */
  readonly notAfter: number | null
}

export interface ServiceClientOptions extends Pick<ConnectionsOptions, 'baseAddresses' | 'authorities' | 'connect'> {
  readonly environment: Realm
  readonly clientId: string
  /** Empty: its file cannot be used, and nothing is sent. */
  readonly clientSecret: string
  /** What else the service is sent, and must not be in a text: path tokens of the charge listener. */
  readonly otherSecrets?: readonly string[]
  /** `api.servicePathSegment`, for the names of scopes. */
  readonly servicePathSegment: string
  /** null: none is configured. */
  readonly certificate: AccountCertificate | null
  /** Limit of one request. Default 20 s. */
  readonly timeoutMs?: number
  /** Limit of one call with all its requests and waits. Default 60 s. */
  readonly callTimeoutMs?: number
  /** Wait before the first repetition; each later one is three times as long, with jitter. Default 200 ms. */
  readonly retryMs?: number
  /** In ms since 1970. */
  readonly now: () => number
  /** From 0 to 1, as Math.random. */
  readonly random: () => number
  readonly log: Log
  /** Default: a new one. */
  readonly history?: ServiceHistory
  /** Without the requests for tokens. */
  readonly onRequest?: (request: ObservedRequest) => void
  readonly onTokenFetched?: (request: ObservedRequest) => void
}

export interface InterfaceState extends InterfaceHistory {
  readonly interface: ServiceInterface
  readonly baseAddress: string
  /** Until when the current token is used, in ms since 1970; null: there is none. */
  readonly tokenUntil: number | null
}

export interface ServiceClient {
  readonly environment: Realm
  readonly certificate: AccountCertificate | null
  /** Whether the interface has a base address. */
  has(on: ServiceInterface): boolean
  /**
   * An authorized call within the limits of time. Repeats GET, PUT and DELETE after transport errors and 5xx; any call after 401 (once, with a new
   * token) and after 429 (when `Retry-After` has passed).
   * @throws ServiceFailure; the reason of the request's `signal` when it aborts
   */
  request(on: ServiceInterface, request: ServiceRequest): Promise<ServiceAnswer>
  /** A token of the interface, fetched if there is none: shows whether address, certificate and credentials are right. @throws ServiceFailure */
  signIn(on: ServiceInterface, signal?: AbortSignal): Promise<void>
  /** The interfaces that have a base address. */
  state(): readonly InterfaceState[]
  /** Closes all connections as soon as no call is under way. */
  retire(): Promise<void>
  /** Aborts all calls under way, and closes all connections. */
  close(): Promise<void>
}

const REQUEST_LIMIT_MS = 20_000
const CALL_LIMIT_MS = 60_000
const RETRY_MS = 200
/** A shorter secret may be in an answer by chance. */
const TELLING = 8

/** The client of the service in one environment. Nothing is connected before the first call. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { environment, baseAddresses, certificate, now, random, log } = options
  const history = options.history ?? createServiceHistory()
  const closed = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  const connections = createConnections({ ...options, tls: certificate?.tls ?? null })
  const gate = createRateGate({ now: () => performance.now(), random })
  const tokens = createTokenCache({ fetchToken: (on) => fetchToken(calling(on), options), now })

  const cleaner = createChangingCleaner()
  const secrets = () => [options.clientSecret, basicOf(options), ...tokens.values()]

  function calling(on: ServiceInterface): Calling {
    return {
      environment,
      on,
      gate,
      now,
      closed: closed.signal,
      connection: connectionOf(on),
      timeoutMs: options.timeoutMs ?? REQUEST_LIMIT_MS,
      callTimeoutMs: options.callTimeoutMs ?? CALL_LIMIT_MS,
      retryMs: options.retryMs ?? RETRY_MS,
      servicePathSegment: options.servicePathSegment,
      onRequest: (outcome) => options.onRequest?.({ on, outcome }),
      clean: (text) => cleaner.clean(text, [...secrets(), ...(options.otherSecrets ?? [])]),
      hasSecret: (bytes) => secrets().some((secret) => secret.length >= TELLING && viewOf(bytes).includes(secret)),
    }
  }
  function connectionOf(on: ServiceInterface) {
    const connection = connections.of(on)
    const problem =
      connection === null ? noAddress(on, environment) : (secretProblem(on, options) ?? certificateProblem(on, options))
    if (connection !== null && problem === null) return connection
    throw new ServiceFailure('not_configured', problem ?? '', { environment, on, isFinal: true })
  }
  function recovered(on: ServiceInterface, hadFailed: boolean): void {
    if (hadFailed) log.info({ ...namedParts(environment), interface: on }, 'service.recovered')
  }
  function failed(failure: ServiceFailure): void {
    const { on, code, message: error, isFinal } = failure
    if (code === 'refused') return recovered(on, history.refused(failure, now()))
    if (!history.failed(failure, now())) return
    if (isFinal) log.error({ ...namedParts(environment), interface: on, code, error, hint: HINT }, 'service.refused')
    else log.warn({ ...namedParts(environment), interface: on, code, error }, 'service.failing')
  }
  /** Remembers how the call went. */
  async function outcomeOf<T>(on: ServiceInterface, call: () => Promise<T>): Promise<T> {
    try {
      const result = await call()
      recovered(on, history.succeeded(on, now()))
      return result
    } catch (error) {
      if (error instanceof ServiceFailure && !closed.signal.aborted) failed(error)
      throw error
    }
  }
  function remembered<T>(on: ServiceInterface, call: () => Promise<T>): Promise<T> {
    const outcome = outcomeOf(on, call)
    underWay.add(outcome)
    const ended = () => void underWay.delete(outcome)
    outcome.then(ended, ended)
    return outcome
  }
  async function close(): Promise<void> {
    closed.abort(new Error('the client of the service was closed'))
    await connections.close()
  }
  return {
    environment,
    certificate,
    has: (on) => baseAddresses[on] !== null,
    request: (on, request) => remembered(on, () => callService(calling(on), tokens, request)),
    async signIn(on, signal = closed.signal) {
      await remembered(on, async () => {
        connectionOf(on)
        await unlessAborted(tokens.get(on), signal)
      })
    },
    state: () =>
      SERVICE_INTERFACES.flatMap((on) => {
        const baseAddress = baseAddresses[on]
        return baseAddress === null
          ? []
          : [{ interface: on, baseAddress, tokenUntil: tokens.until(on), ...history.of(on) }]
      }),
    async retire() {
      await Promise.allSettled(underWay)
      await close()
    },
    close,
  }
}

const HINT = 'see the error: correct the section service of the configuration, or the account at the service'

function noAddress(on: ServiceInterface, environment: Realm): string {
  return `${interfaceText(on, environment)} has no address: set service.baseAddresses.${on} of this environment`
}

function secretProblem(
  on: ServiceInterface,
  { environment, clientSecret }: Pick<ServiceClientOptions, 'environment' | 'clientSecret'>,
): string | null {
  if (clientSecret !== '') return null
  const what = interfaceText(on, environment)
  return `${what} asks for the client secret, whose file cannot be used: correct the file that service.clientSecret of this environment names`
}

function certificateProblem(
  on: ServiceInterface,
  { environment, certificate, now }: Pick<ServiceClientOptions, 'environment' | 'certificate' | 'now'>,
): string | null {
  if (!asksForCertificate(on)) return null
  const what = interfaceText(on, environment)
  if (certificate === null)
    return `${what} asks for the account's certificate: set service.certificate of this environment`
  const problem = certificate.problem(now())
  return problem === null ? null : `${what} asks for the account's certificate: ${problem}`
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}
