import express, { type RequestHandler } from 'express'
import { createBodyBudget } from '../../platform/body-budget.ts'
import { withinBudget } from './bounded-body.ts'

export const JSON_TYPE = 'application/json'
const LIMIT_BYTES = 64 * 1024
/** Of all that are read at the same time in this process. */
const bodies = createBodyBudget({ limitBytes: 256 * LIMIT_BYTES })

/** Reads a JSON body that must be there. @param types the content types that it may have */
export function requiredJsonBody(types: readonly string[] = [JSON_TYPE]): RequestHandler[] {
  const parse = express.json({ limit: LIMIT_BYTES, inflate: false, type: [...types] })
  return [requireType(types), withinBudget(parse, bodies, LIMIT_BYTES)]
}

const [requireJson, readJson] = requiredJsonBody() as [RequestHandler, RequestHandler]

/** Reads a JSON body where none is needed. */
export const optionalJsonBody: readonly RequestHandler[] = [
  function requireJsonOrNothing(request, response, next) {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (encoding === undefined && Number(length ?? 0) === 0) return next()
    requireJson(request, response, next)
  },
  readJson,
]

/** The body parser would pass over any other type as if there were no body. */
function requireType(types: readonly string[]): RequestHandler {
  return function requireJson(request, _response, next) {
    const isJson = types.includes(request.is([...types]) || '')
    next(isJson ? undefined : Object.assign(new Error('the body is not JSON'), { status: 415 }))
  }
}
