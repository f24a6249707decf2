import type { ErrorRequestHandler, Request, Response } from 'express'
import { httpStatusOf, messageOf, PortariaError, type Violation } from '../../platform/errors.ts'
import { STATUS_CODES } from '../../platform/http.ts'
import type { Log } from '../../platform/log.ts'
import type { problemSchema } from './problem-schema.ts'
import { requestIdOf } from './request-id.ts'
import type { View } from './schema-parts.ts'

type Problem = View<typeof problemSchema>

/** Answers with a problem (RFC 9457). */
export function sendProblem(
  response: Response,
  { status, code, detail, errors = [], next }: Pick<Problem, 'status' | 'code' | 'detail' | 'errors' | 'next'>,
): void {
  if ((status === 503 || status === 429) && !response.hasHeader('retry-after')) response.setHeader('retry-after', '5')
  const problem: Problem = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail,
    requestId: requestIdOf(response.req),
    ...(errors.length > 0 && { errors }),
    ...(next !== undefined && { next }),
  }
  response.status(status).type('application/problem+json').send(JSON.stringify(problem))
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

/** Errors of the body parser and the router carry a status below 500; all others are internal. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return function answerError(error: unknown, request, response, next) {
    if (response.headersSent) {
      next(error)
      return
    }
    if (error instanceof PortariaError) {
      const { code, message: detail, next } = error
      const status = httpStatusOf(code)
      sendProblem(response, { status, code, detail, errors: errorsOf(error), ...(next !== null && { next }) })
      return
    }
    const status = statusOfHttpError(error)
    if (status !== null) {
      sendProblem(response, { status, code: 'request_invalid', detail: HTTP_ERROR_TEXTS[status] ?? messageOf(error) })
      return
    }
    logFailure(log, request, error)
    sendProblem(response, { status: 500, code: 'internal', detail: 'Internal error' })
  }
}

/** The log gets the whole error, the caller only that an error occurred. */
export function logFailure(log: Log, request: Request, error: unknown): void {
  const { method, baseUrl, path } = request
  const stack = error instanceof Error ? error.stack : undefined
  const requestId = requestIdOf(request)
  log.error({ requestId, method, path: baseUrl + path, error: messageOf(error), stack }, 'api.failed')
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
