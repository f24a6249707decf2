import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import type { Client } from '../../domain/client.ts'
import { isSecretOf } from '../../domain/client-secret.ts'
import { isClientId } from '../../domain/public-id.ts'
import type { Scope, ScopeNames } from '../../domain/scopes.ts'
import { createBodyBudget } from '../../platform/body-budget.ts'
import type { Log } from '../../platform/log.ts'
import { addressOf, networkOf } from '../../tls/remote-address.ts'
import { sendJson } from '../http/answer.ts'
import { withinBudget } from '../http/bounded-body.ts'
import { statusOfHttpError } from '../http/problem.ts'
import { type AccessTokens, TOKEN_LIFETIME_S } from './access-tokens.ts'
import { connectionAuthenticated } from './authenticated-connections.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { CERTIFICATE_EXPECTED, shownCertificate } from './peer-certificate.ts'
import { BODY_EXPECTED, type Credentials, readTokenRequest, TokenError } from './token-request.ts'

export interface TokenRoutesOptions {
  readonly tokens: AccessTokens
  /** A client that is not revoked, as it is now. */
  readonly findClient: (id: string) => Client | undefined
  readonly scopeNames: ScopeNames
  /** Below the base addresses of the service's contract nobody gets a token without a client certificate. */
  readonly needsCertificate: boolean
  readonly now: () => number
  readonly log: Log
}

/**
 * The client credentials grant (RFC 6749 section 4.4). An app that was written for the service finds its token endpoint below the base addresses
 * that it knows.
 */
export function tokenRoutes(options: TokenRoutesOptions): Router {
  const { tokens, scopeNames, log } = options
  const authenticate = clientAuthentication(options)
  const router = Router()

  async function giveToken(request: Request, response: Response): Promise<void> {
    const { credentials, scopes: wanted } = readTokenRequest(request.body, request.headers.authorization)
    const client = authenticate(credentials, addressOf(request.socket))
    connectionAuthenticated(request.socket)
    const scopes = narrow(client, wanted, scopeNames)
    const certificate = shownCertificate(request.socket)
    const token = await tokens.issue(client, scopes, certificate)
    log.info({ client: client.id, scopes, bound: certificate !== null }, 'token.issued')
    response.setHeader('pragma', 'no-cache')
    const scope = scopes.map(scopeNames.nameOf).join(' ')
    sendJson(
      response,
      JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: TOKEN_LIFETIME_S, scope }),
    )
  }

  router.post('/oauth/token', ...readBody, giveToken, answerTokenErrors)
  const requireShown = options.needsCertificate ? [requireShownCertificate] : []
  router.post(
    ['/registration/v1/oauth/token', '/payment/v1/oauth/token'],
    ...requireShown,
    ...readBody,
    giveToken,
    answerTokenErrors,
  )
  return router
}

const LIMIT_BYTES = 16 * 1024
/** Of all that are read at the same time in this process; apart from others' bodies, for these are read before anybody is authenticated. */
const bodies = createBodyBudget({ limitBytes: 256 * LIMIT_BYTES })
/** Arrays where a name is there twice. */
const form = express.urlencoded({ extended: false, inflate: false, limit: LIMIT_BYTES, parameterLimit: 100 })
const json = express.json({ inflate: false, limit: LIMIT_BYTES })
const requireType: RequestHandler = function requireType(request, _response, next) {
  if (request.is(['urlencoded', 'json']) === false) throw new TokenError('invalid_request', BODY_EXPECTED)
  next()
}
/** One of the two passes over the other's type. */
const parse: RequestHandler = (request, response, next) =>
  form(request, response, (error?: unknown) => (error === undefined ? json(request, response, next) : next(error)))
const readBody = [requireType, withinBudget(parse, bodies, LIMIT_BYTES)]

const requireShownCertificate: RequestHandler = function requireShownCertificate(request, _response, next) {
  if (shownCertificate(request.socket) === null) throw new TokenError('invalid_client', CERTIFICATE_EXPECTED)
  next()
}

/**
 * Failures slow down this id at this address only: a stranger elsewhere who knows the id locks nobody out.
 * @returns the client whose secret this is, or throws TokenError
 */
function clientAuthentication({ findClient, now, log }: TokenRoutesOptions) {
  const limit = createLoginThrottle(now)
  return function authenticate({ id, secret }: Credentials, address: string): Client {
    // What is no id is not kept, however long it is.
    const key = `${isClientId(id) ? id : ''} ${networkOf(address)}`
    const waitS = limit.waitOf(key)
    if (waitS > 0) throw new TokenError('slow_down', `too many failures: wait ${waitS} s`, { waitS })
    const client = findClient(id)
    if (client === undefined || !isSecretOf(client, secret, now())) {
      limit.failed(key)
      log.warn({ client: isClientId(id) ? id : null, address }, 'token.refused')
      throw new TokenError('invalid_client', 'there is no client with this id and secret')
    }
    limit.succeeded(key)
    return client
  }
}

/** Those that are named, all of which it must have; otherwise all that it has. */
function narrow(client: Client, wanted: readonly string[] | null, names: ScopeNames): readonly Scope[] {
  if (wanted === null) return client.scopes
  return wanted.map((name) => {
    const scope = names.scopeOf(name)
    if (scope !== null && client.scopes.includes(scope)) return scope
    throw new TokenError('invalid_scope', `the client has no scope ${name}`)
  })
}

/** RFC 6749 section 5.2: these errors have a shape of their own. */
const answerTokenErrors: ErrorRequestHandler = function answerTokenErrors(error: unknown, _request, response, next) {
  const refused = tokenErrorOf(error)
  if (refused === null) return next(error)
  const { status, code, message, waitS } = refused
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="portaria", charset="UTF-8"')
  if (waitS !== null) response.setHeader('retry-after', String(waitS))
  response.status(status).setHeader('pragma', 'no-cache')
  sendJson(response, JSON.stringify({ error: code, error_description: message }))
}

function tokenErrorOf(error: unknown): TokenError | null {
  if (error instanceof TokenError) return error
  const status = statusOfHttpError(error)
  return status === null
    ? null
    : new TokenError('invalid_request', `the body cannot be read: ${BODY_EXPECTED}`, { status })
}
