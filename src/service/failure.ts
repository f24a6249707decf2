import type { Realm } from '../domain/realm.ts'
import type { ServiceInterface } from '../domain/service/service-interfaces.ts'

export const SERVICE_FAILURE_CODES = [
  /** No base address, or no usable certificate: nothing was sent. */
  'not_configured',
  'unreachable',
  /** Also a server certificate that is not trusted. */
  'handshake',
  'certificate_refused',
  'credentials_refused',
  'insufficient_scope',
  'rate_limited',
  /** A 4xx for this request: `refusal` has the service's name and sentence. */
  'refused',
  /** A 5xx. */
  'unavailable',
  /** An answer that is none of the service: a redirect, no JSON, another shape, too long. */
  'garbage',
  'timeout',
] as const
export type ServiceFailureCode = (typeof SERVICE_FAILURE_CODES)[number]

/** What the service wrote in a refusal; without control characters and limited in length. */
export interface Refusal {
  readonly status: number
  /** `nome` of Document 1, `error` of the charges interface and of OAuth; null: none. */
  readonly name: string | null
  readonly sentence: string | null
  /** `code` of the charges interface, seven digits; null: none. */
  readonly code: number | null
  /** `property` of the charges interface, to which the sentence belongs; null: none. */
  readonly property: string | null
  /** `erros` of Document 1: one text per violation. */
  readonly violations: readonly string[]
}

interface FailureOptions {
  readonly environment: Realm
  readonly on: ServiceInterface
  /** HTTP status; left out: no answer came. */
  readonly status?: number | undefined
  readonly refusal?: Refusal | undefined
  readonly retryAfterMs?: number | undefined
  readonly isFinal?: boolean
  readonly isOutcomeUnknown?: boolean
  readonly cause?: unknown
}

/** A call of the service that failed. The message says cause and next step, without secrets. */
export class ServiceFailure extends Error {
  readonly code: ServiceFailureCode
  readonly environment: Realm
  readonly on: ServiceInterface
  /** null: no answer came. */
  readonly status: number | null
  /** null: the service gave no reason. */
  readonly refusal: Refusal | null
  /** How long the service wants no further request; null: it does not say. */
  readonly retryAfterMs: number | null
  /** True: the same call fails again until somebody changes the configuration, the account at the service, or the call. */
  readonly isFinal: boolean
  /** True: the service may have carried out the change although the call failed. */
  readonly isOutcomeUnknown: boolean

  constructor(code: ServiceFailureCode, message: string, options: FailureOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceFailure'
    this.code = code
    this.environment = options.environment
    this.on = options.on
    this.status = options.status ?? null
    this.refusal = options.refusal ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
    this.isFinal = options.isFinal ?? false
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false
  }
}

/** The same failure of a call whose change the service may have carried out. */
export function withUnknownOutcome(failure: ServiceFailure): ServiceFailure {
  return failure.isOutcomeUnknown ? failure : changed(failure, { isOutcomeUnknown: true })
}

/** The same failure without the error behind it, which may quote an answer. */
export function withoutCause(failure: ServiceFailure): ServiceFailure {
  return changed(failure, { cause: undefined })
}

function changed(failure: ServiceFailure, changes: Partial<FailureOptions>): ServiceFailure {
  const { code, message, environment, on, status, refusal, isFinal, isOutcomeUnknown, cause, retryAfterMs } = failure
  return new ServiceFailure(code, message, {
    environment,
    on,
    status: status ?? undefined,
    refusal: refusal ?? undefined,
    isFinal,
    isOutcomeUnknown,
    cause,
    retryAfterMs: retryAfterMs ?? undefined,
    ...changes,
  })
}

export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500
}

/** The refusal without the texts of the service. @param names of which one may be kept */
export function nameAlone({ status, name }: Refusal, names: readonly string[]): Refusal {
  return {
    status,
    name: name !== null && names.includes(name) ? name : null,
    sentence: null,
    code: null,
    property: null,
    violations: [],
  }
}

/** With these the service answers about the subject of one call, so that calls about others may succeed. */
const ABOUT_SUBJECT: readonly (number | null)[] = [400, 404, 410, 412, 422]

/** Whether the failure says nothing about other calls of its interface. Every other failure is one of the service, or of what is configured. */
export function isAboutSubject({ code, status }: Pick<ServiceFailure, 'code' | 'status'>): boolean {
  return code === 'refused' && ABOUT_SUBJECT.includes(status)
}

const TITLES: Record<ServiceInterface, string> = {
  account: 'account',
  payment: 'payment',
  registration: 'registration',
  openBanking: 'open-banking',
  charges: 'charges',
}

/** `the service's payment interface (sandbox)`, for texts. */
export function interfaceText(on: ServiceInterface, environment: Realm): string {
  return `the service's ${TITLES[on]} interface (${environment})`
}
