import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { PortariaError } from '../domain/errors.ts'
import type { Scope, ScopeNames } from '../domain/scopes.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { Asker } from './asker.ts'
import { shownCertificate } from './shown-certificate.ts'

/** Lets those through who are known, and keeps who they are; the errors of the others go to the error handler behind it. */
export type Authentication = RequestHandler

const OPERATOR: Asker = { kind: 'operator' }

const askers = new WeakMap<IncomingMessage, Asker>()

/** Who asks. Only behind an authentication: a request that passed none is a mistake of ours, and gets no further. */
export function askerOf(request: IncomingMessage): Asker {
  const asker = askers.get(request)
  if (asker === undefined) throw new Error('nobody asked who asks')
  return asker
}

/** On the control socket the file's mode is the authentication. */
export const trustEveryone: Authentication = function trustEveryone(request, _response, next) {
  askers.set(request, OPERATOR)
  next()
}

/**
 * Bearer tokens (RFC 6750): the operator's, and the clients' access tokens. Errors are `unauthorized`, with the challenge set.
 * @param operatorToken null: none is configured
 */
export function requireToken(operatorToken: string | null, tokens: AccessTokens): Authentication {
  const expected = operatorToken === null ? null : sha256(operatorToken)
  const isOperators = (token: string) => expected !== null && timingSafeEqual(sha256(token), expected)

  return async function authenticate(request, response, next) {
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) {
      response.setHeader('www-authenticate', 'Bearer')
      throw new PortariaError(
        'unauthorized',
        expected === null ? `${SEND_A_TOKEN}; ${NO_OPERATOR_TOKEN}` : SEND_A_TOKEN,
      )
    }
    const asker = isOperators(token) ? OPERATOR : await tokens.verify(token, shownCertificate(request.socket))
    if (typeof asker === 'string') {
      response.setHeader('www-authenticate', 'Bearer error="invalid_token"')
      throw new PortariaError('unauthorized', asker)
    }
    askers.set(request, asker)
    next()
  }
}

const SEND_A_TOKEN =
  'send the operator\'s token (api.operatorTokenFile), or an access token that POST /oauth/token gave, as "Authorization: Bearer …"'
const NO_OPERATOR_TOKEN = 'no operator token is configured: set api.operatorTokenFile'

/**
 * Behind an authentication: the operator, or a client whose token has this scope, or another one that will do. Errors are
 * `insufficient_scope`, with the challenge set.
 */
export function requireScope(scope: Scope, names: ScopeNames, others: readonly Scope[] = []): RequestHandler {
  const words = [scope, ...others].map(names.nameOf).join(' or ')
  return function checkScope(request, response, next) {
    const asker = askerOf(request)
    if (asker.kind === 'operator' || [scope, ...others].some((one) => asker.scopes.has(one))) return next()
    response.setHeader('www-authenticate', `Bearer error="insufficient_scope", scope="${names.nameOf(scope)}"`)
    throw new PortariaError(
      'insufficient_scope',
      `the access token lacks the scope ${words}: ask for a token that has it`,
    )
  }
}

/** Behind an authentication: nobody but the operator. */
export const requireOperator: RequestHandler = function requireOperator(request, response, next) {
  if (askerOf(request).kind === 'operator') return next()
  response.setHeader('www-authenticate', 'Bearer error="insufficient_scope"')
  throw new PortariaError('insufficient_scope', 'no scope of clients leads here: this is for the operator alone')
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
