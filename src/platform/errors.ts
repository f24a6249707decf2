import { inEnglish, type Said } from './said.ts'

/** The codes of expected errors. Any other error is internal: logged in full, shown as "Internal error". */
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
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'gone'
  | 'misdirected'
  | 'too_many_requests'
  | 'loop_detected'
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
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  misdirected: 421,
  too_many_requests: 429,
  loop_detected: 508,
  store_locked: 503,
  store_newer: 503,
  store_missing: 503,
  store_unavailable: 503,
  queue_full: 503,
  listen_failed: 503,
}

export const ERROR_CODES = Object.keys(HTTP_STATUS) as readonly ErrorCode[]

/** A violation in a request: in the body, in the query, or (neither is named) in the request as a whole. */
export interface Violation {
  /** JSON Pointer (RFC 6901) into the body; `/` is the body as a whole. */
  readonly pointer?: string
  /** Name of a query parameter. */
  readonly parameter?: string
  readonly words: string
}

export class PortariaError extends Error {
  readonly code: ErrorCode
  /** The message before it is in a language; null: only the English text is known. */
  readonly said: Said | null
  /** One text for each violation where there are several. */
  readonly details: readonly string[]
  /** The violations with their places; empty where only texts are known. */
  readonly violations: readonly Violation[]
  /** With `gone`: the cursor to continue with. */
  readonly next: string | null

  constructor(
    code: ErrorCode,
    message: Said | string,
    options: { cause?: unknown; details?: readonly string[]; violations?: readonly Violation[]; next?: string } = {},
  ) {
    const said = typeof message === 'string' ? null : message
    super(
      said === null ? String(message) : inEnglish(said),
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'PortariaError'
    this.code = code
    this.said = said
    this.violations = options.violations ?? []
    this.next = options.next ?? null
    this.details = options.details ?? this.violations.map(violationText)
  }
}

/** A violation on one line. */
export function violationText({ pointer, parameter, words }: Violation): string {
  const place = pointer ?? parameter
  return place === undefined ? words : `${place}: ${words}`
}

/** An error with all violations of a request. @param what the invalid part, in words */
export function invalidRequest(what: string, violations: readonly Violation[]): PortariaError {
  return new PortariaError('request_invalid', `${what}: ${violations.map(violationText).join('; ')}`, { violations })
}

export function httpStatusOf(code: ErrorCode): number {
  return HTTP_STATUS[code]
}

/** The message of any thrown value, for logs and texts. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What the operating system refused, by the codes of Node. */
const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EADDRINUSE: 'another program uses it',
  EADDRNOTAVAIL: 'this machine has no such address',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut off',
  EDQUOT: 'the disk quota of this user is used up',
  EEXIST: 'it exists already',
  EHOSTUNREACH: 'no network leads there',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'this process has too many open files',
  ENAMETOOLONG: 'its name is too long',
  ENETUNREACH: 'no network leads there',
  ENFILE: 'this machine has too many open files',
  ENOENT: 'it does not exist',
  ENOMEM: 'this machine has no memory left',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it, or a part of its path, is no folder',
  ENOTFOUND: 'its name is unknown',
  EPERM: 'the system does not permit it',
  EPIPE: 'the other side has closed it',
  EROFS: 'its file system is read-only',
  ETIMEDOUT: 'it does not answer',
}

/** The message of any thrown value for people; of an error of the system, our words in place of those of Node. */
export function systemWords(error: unknown): string {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : ''
  return SYSTEM_WORDS[code] ?? messageOf(error)
}
