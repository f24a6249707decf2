import type { ErrorRequestHandler, Request, Response } from 'express'
import { httpStatusOf, messageOf, PortariaError, type Violation } from '../../platform/errors.ts'
import { asWritten } from '../../platform/said.ts'
import { STATUS_CODES } from '../../platform/http.ts'
import type { Log } from '../../platform/log.ts'
import type { problemSchema } from './problem-schema.ts'
import { requestIdOf } from './request-id.ts'
import type { View } from './schema-parts.ts'

type Problem = View<typeof problemSchema>

type ProblemParts = Pick<Problem, 'status' | 'code' | 'detail' | 'template' | 'values' | 'errors' | 'next'>

/** Answers with a problem (RFC 9457). */
export function sendProblem(response: Response, parts: ProblemParts): void {
  const { status } = parts
  if ((status === 503 || status === 429) && !response.hasHeader('retry-after')) response.setHeader('retry-after', '5')
  const problem = asProblem(parts, requestIdOf(response.req))
  response.status(status).type('application/problem+json').send(JSON.stringify(problem))
}

function asProblem({ status, code, detail, errors = [], next, ...said }: ProblemParts, requestId: string): Problem {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail,
    ...said,
    requestId,
    ...(errors.length > 0 && { errors }),
    ...(next !== undefined && { next }),
  }
}

/** What a caller learns of an error: of an internal one, only that it occurred. */
export function problemOf(error: unknown, requestId: string): Problem {
  return asProblem(partsOf(error), requestId)
}

/** Errors of the body parser and the router carry a status below 500; all others are internal. */
function partsOf(error: unknown): ProblemParts {
  if (error instanceof PortariaError) {
    const { code, message: detail, next } = error
    const said = error.said === null ? null : asWritten(error.said)
    return {
      status: httpStatusOf(code),
      code,
      detail,
      ...said,
      errors: errorsOf(error),
      ...(next !== null && { next }),
    }
  }
  const status = statusOfHttpError(error)
  return status === null
    ? { status: 500, code: 'internal', detail: 'Internal error' }
    : { status, code: 'request_invalid', detail: HTTP_ERROR_TEXTS[status] ?? messageOf(error) }
}

/** The extension that RFC 9457 section 3 shows. */
function errorsOf({ violations, details }: PortariaError): Problem['errors'] {
  return violations.length > 0 ? violations.map(errorOf) : details.map((detail) => ({ detail }))
}

function errorOf({ pointer, parameter, words }: Violation) {
  return {
    ...(pointer !== undefined && { pointer: fragmentOf(pointer) }),
    ...(parameter !== undefined && { parameter }),
    detail: words,
  }
}

/** RFC 6901 section 6. Lone surrogates, valid in JSON but not in a URI, are replaced. */
function fragmentOf(pointer: string): string {
  return pointer === '/' ? '#' : `#${pointer.toWellFormed().split('/').map(encodeURIComponent).join('/')}`
}

export function answerErrors(log: Log): ErrorRequestHandler {
  return function answerError(error: unknown, request, response, next) {
    if (response.headersSent) return next(error)
    const parts = partsOf(error)
    if (parts.code === 'internal') logFailure(log, placeOf(request), error)
    sendProblem(response, parts)
  }
}

interface Place {
  readonly requestId: string
  readonly method: string
  readonly path: string
}

export function placeOf(request: Request): Place {
  const { method, baseUrl, path } = request
  return { requestId: requestIdOf(request), method, path: baseUrl + path }
}

/** The log gets the whole error, the caller only that an error occurred. */
export function logFailure(log: Log, place: Place, error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined
  log.error({ ...place, error: messageOf(error), stack }, 'api.failed')
}

/** What to do about errors of the body parser and the router, which have a status but no text for callers. */
export const HTTP_ERROR_TEXTS: Readonly<Partial<Record<number, string>>> = {
  400: 'the request cannot be read: check its JSON and the percent-encoding of its path',
  413: 'the body is too large for this endpoint',
  415: 'send JSON (content-type: application/json) in UTF-8, without a content-encoding',
}

/** Status below 500 that a library set on an error; null: there is none. */
export function statusOfHttpError(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('status' in error) || typeof error.status !== 'number')
    return null
  return error.status >= 400 && error.status < 500 ? error.status : null
}
