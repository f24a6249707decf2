import express, { type RequestHandler } from 'express'
import { createBodyBudget } from '../../platform/body-budget.ts'
import { withinBudget } from '../http/bounded-body.ts'
import { BODY_EXPECTED, TokenError } from './token-request.ts'

const LIMIT_BYTES = 16 * 1024
/** For all that are read at the same time; apart from other bodies, because these are read before their caller is authenticated. */
const bodies = createBodyBudget({ limitBytes: 256 * LIMIT_BYTES })
/** A name that occurs twice gets an array. */
const form = express.urlencoded({ extended: false, inflate: false, limit: LIMIT_BYTES, parameterLimit: 100 })
const json = express.json({ inflate: false, limit: LIMIT_BYTES })

const requireType: RequestHandler = function requireType(request, _response, next) {
  const isEmpty = request.headers['content-length'] === '0'
  if (!isEmpty && request.is(['urlencoded', 'json']) === false) throw new TokenError('invalid_request', BODY_EXPECTED)
  next()
}

/** Each parser passes over the other's type. */
const parse: RequestHandler = (request, response, next) =>
  form(request, response, (error?: unknown) => (error === undefined ? json(request, response, next) : next(error)))

/** Reads the body of a token request, a form or JSON. */
export const readTokenBody: readonly RequestHandler[] = [requireType, withinBudget(parse, bodies, LIMIT_BYTES)]
