import type { ErrorRequestHandler, Response } from 'express'
import type { z } from 'zod'
import { httpStatusOf, PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { sendJson } from '../http/answer.ts'
import { HTTP_ERROR_TEXTS, logFailure, placeOf, statusOfHttpError } from '../http/problem.ts'
import { violationsIn } from '../http/violations.ts'
import type { chargesErrorSchema } from './charges-schema.ts'

/** Codes of the charges interface (service-decisions.md, Errors). */
const CODES = {
  internal: 3_500_000,
  unauthorized: 3_500_008,
  not_found: 3_500_010,
  validation_error: 3_500_034,
} as const

/** A sentence, or a property that is not valid. */
export type ChargesErrorText = string | { readonly property: string; readonly message: string }

/** An error in the format of the charges interface (service-decisions.md, Errors). */
export class ChargesApiError extends Error {
  readonly status: number
  readonly code: number
  /** Its name, as `validation_error`. */
  readonly error: string
  readonly description: ChargesErrorText
  /** How long to wait before another request; null: it is not known. */
  readonly waitMs: number | null

  /** @param options code and name as the service gave them; left out: those of the status */
  constructor(
    status: number,
    description: ChargesErrorText,
    options: { code?: number; error?: string; waitMs?: number | null; cause?: unknown } = {},
  ) {
    const message = typeof description === 'string' ? description : `${description.property} ${description.message}`
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ChargesApiError'
    this.status = status
    this.error = options.error ?? nameOf(status)
    this.code = options.code ?? CODES[nameOf(status)]
    this.description = description
    this.waitMs = options.waitMs ?? null
  }
}

function nameOf(status: number): keyof typeof CODES {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 404) return 'not_found'
  return status >= 500 ? 'internal' : 'validation_error'
}

/**
 * Parses a body or a query.
 * @throws ChargesApiError 400 with the first violation: unlike Document 1's, errors of this interface have room for one
 */
export function checkChargesRequest<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [first] = violationsIn(parsed.error)
  throw new ChargesApiError(400, { property: first?.pointer ?? '/', message: first?.words ?? 'is not valid' })
}

const DEFAULT_WAIT_MS = 5000

/** Error handler of everything below `/charges`. */
export function answerChargesErrors(log: Log): ErrorRequestHandler {
  return function answerChargesError(error: unknown, request, response, next) {
    if (response.headersSent) return next(error)
    const problem = chargesErrorOf(error)
    if (problem.status === 500) logFailure(log, placeOf(request), error)
    sendChargesError(response, problem)
  }
}

function sendChargesError(response: Response, { status, code, error, description, waitMs }: ChargesApiError): void {
  const waitS = Math.max(1, Math.ceil((waitMs ?? DEFAULT_WAIT_MS) / 1000))
  if ((status === 503 || status === 429) && !response.hasHeader('retry-after'))
    response.setHeader('retry-after', String(waitS))
  const body: z.output<typeof chargesErrorSchema> = { code, error, error_description: description }
  response.status(status)
  sendJson(response, body)
}

/** The error's own message is for the operator: it may name a file and quote Node. */
const STORE_FAILED = 'the store of the gateway is unavailable: repeat the request later'

/** Errors of the body parser and the router carry a status below 500; all other unknown errors are internal. */
function chargesErrorOf(error: unknown): ChargesApiError {
  if (error instanceof ChargesApiError) return error
  if (error instanceof PortariaError) {
    const { code, message } = error
    const text = code.startsWith('store_') ? STORE_FAILED : message
    // A missing scope has its own name on every interface (service-decisions.md, OAuth).
    return new ChargesApiError(httpStatusOf(code), text, code === 'insufficient_scope' ? { error: code } : {})
  }
  const status = statusOfHttpError(error)
  if (status === null) return new ChargesApiError(500, 'internal error')
  const known = HTTP_ERROR_TEXTS[status] === undefined ? 400 : status
  return new ChargesApiError(known, HTTP_ERROR_TEXTS[known] ?? 'the request cannot be answered as it is')
}
