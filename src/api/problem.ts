import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, Response } from 'express'
import { httpStatusOf, messageOf, PortariaError } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'

/** An error of our own endpoints (RFC 9457). */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors?: readonly string[]
}

export function sendProblem(response: Response, problem: Problem): void {
  const { status, code, detail, errors } = problem
  if (status === 503) response.setHeader('retry-after', '5')
  response
    .status(status)
    .type('application/problem+json')
    .send(
      JSON.stringify({
        type: 'about:blank',
        title: STATUS_CODES[status] ?? 'Error',
        status,
        code,
        detail,
        ...(errors !== undefined && { errors }),
      }),
    )
}

/** body-parser's and the router's own errors carry a status below 500; anything else is internal. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return function answerError(error: unknown, request, response, next) {
    if (response.headersSent) {
      next(error)
      return
    }
    if (error instanceof PortariaError) {
      const errors = error.details.length > 0 ? { errors: error.details } : {}
      sendProblem(response, { status: httpStatusOf(error.code), code: error.code, detail: error.message, ...errors })
      return
    }
    const status = statusOfHttpError(error)
    if (status !== null) {
      sendProblem(response, { status, code: 'request_invalid', detail: HTTP_ERROR_TEXTS[status] ?? messageOf(error) })
      return
    }
    log.error(
      {
        method: request.method,
        path: request.path,
        error: messageOf(error),
        stack: error instanceof Error ? error.stack : undefined,
      },
      'api.failed',
    )
    sendProblem(response, { status: 500, code: 'internal', detail: 'Internal error' })
  }
}

const HTTP_ERROR_TEXTS: Record<number, string> = {
  400: 'the request cannot be read: check its JSON and the percent-encoding of its path',
  413: 'the body is too large for this endpoint',
  415: 'send JSON (content-type: application/json) in UTF-8, without a content-encoding',
}

/** Status below 500 that a library gave an error; null: it gave none. */
export function statusOfHttpError(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('status' in error) || typeof error.status !== 'number')
    return null
  return error.status >= 400 && error.status < 500 ? error.status : null
}
