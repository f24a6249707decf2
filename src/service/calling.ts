import type { Realm } from '../domain/realm.ts'
import type { ServiceInterface } from '../domain/service/service-interfaces.ts'
import type { CleanText } from '../platform/secret-cleaner.ts'
import type { Connection } from './connections.ts'
import type { ExchangeRequest } from './exchange.ts'
import type { ServiceFailure, ServiceFailureCode } from './failure.ts'
import type { RateGate } from './rate-gate.ts'

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
  /**
   * Given: the answer may have a secret of an account. Its body is dropped as it comes, except that of a refusal, of which only the name is kept, and
   * only if it is one of these. A failure has neither texts of the service nor a cause.
   */
  readonly onlyNames?: readonly string[]
  /** Most bytes of the answer. Default: 1 MiB. */
  readonly answerBytes?: number
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
  /** As in ServiceRequest. */
  readonly onlyNames?: readonly string[] | undefined
  readonly answerBytes?: number | undefined
}

/** One call that is under way. */
export interface Call extends Calling {
  readonly isRepeatable: boolean
  readonly isPatient: boolean
  readonly signal: AbortSignal
  readonly leftMs: () => number
  /** Notes that the service may have carried out the request although it failed. */
  readonly outcomeLost: () => void
  /** Notes why an attempt failed: another one may last until the time is over. */
  readonly failed: (failure: ServiceFailure) => void
}
