import { createHash, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'
import { sendProblem } from './problem.ts'

/** Lets an operator's requests through; answers the others. */
export type Authentication = RequestHandler

/** On the control socket the file's mode is the authentication. */
export const trustEveryone: Authentication = function trustEveryone(_request, _response, next) {
  next()
}

/**
 * Bearer tokens (RFC 6750).
 * @param operatorToken null: none is configured, and nobody is let in
 */
export function requireOperatorToken(operatorToken: string | null): Authentication {
  const expected = operatorToken === null ? null : sha256(operatorToken)
  return function authenticateOperator(request, response, next) {
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (expected !== null && token !== undefined && timingSafeEqual(sha256(token), expected)) {
      next()
      return
    }
    response.setHeader('www-authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"')
    const detail =
      expected === null
        ? 'no operator token is configured: set api.operatorTokenFile'
        : 'send the operator token of api.operatorTokenFile as "Authorization: Bearer …"'
    sendProblem(response, { status: 401, code: 'unauthorized', detail })
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
