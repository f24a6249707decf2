/** Every way in which Portaria itself says no. Anything else is an internal error: logged in full, shown as "Internal error". */
export type ErrorCode =
  | 'configuration_invalid'
  | 'certificate_invalid'
  | 'trust_missing'
  | 'address_forbidden'
  | 'request_invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'insufficient_scope'
  | 'not_found'
  | 'conflict'
  | 'store_locked'
  | 'store_newer'
  | 'store_missing'
  | 'store_unavailable'
  | 'queue_full'
  | 'listen_failed'

const HTTP_STATUS: Record<ErrorCode, number> = {
  configuration_invalid: 422,
  certificate_invalid: 422,
  trust_missing: 422,
  address_forbidden: 422,
  request_invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  insufficient_scope: 403,
  not_found: 404,
  conflict: 409,
  store_locked: 503,
  store_newer: 503,
  store_missing: 503,
  store_unavailable: 503,
  queue_full: 503,
  listen_failed: 503,
}

export class PortariaError extends Error {
  readonly code: ErrorCode
  /** One entry for each violation, when there are several: all are reported together. */
  readonly details: readonly string[]

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: readonly string[] } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PortariaError'
    this.code = code
    this.details = options.details ?? []
  }
}

export function httpStatusOf(code: ErrorCode): number {
  return HTTP_STATUS[code]
}

/** The message of anything that was thrown, for logs and texts. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
