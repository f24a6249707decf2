import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Client } from '../../domain/client.ts'
import type { Scope, ScopeNames } from '../../domain/scopes.ts'
import { addressOf } from '../../tls/remote-address.ts'
import { type AccessTokens, CHARGES_TOKEN_LIFETIME_S } from '../auth/access-tokens.ts'
import { connectionAuthenticated } from '../auth/authenticated-connections.ts'
import { type ClientLoginOptions, createClientLogin } from '../auth/client-login.ts'
import { CERTIFICATE_EXPECTED, isOfAnotherClient, OTHER_CLIENT, peerThumbprintOf } from '../auth/peer-certificate.ts'
import { GRANT, tokenRequestSchema, tokenSchema } from '../auth/schema.ts'
import { readTokenBody } from '../auth/token-body.ts'
import { BODY_EXPECTED, readTokenRequest, TokenError } from '../auth/token-request.ts'
import { sendJson } from '../http/answer.ts'
import { type Answer, type Call, endpoint } from '../http/endpoint.ts'
import { statusOfHttpError } from '../http/problem.ts'
import { MISDIRECTED, problemSchema } from '../http/problem-schema.ts'
import { chargesErrorSchema } from './charges-schema.ts'
import { serviceErrorSchema } from './schema.ts'

export interface TokenEndpointsOptions extends ClientLoginOptions {
  readonly tokens: AccessTokens
  readonly scopeNames: ScopeNames
  /** Below `/registration` and `/payment` only callers with a client certificate get a token. */
  readonly needsCertificate: boolean
}

/**
 * The client credentials grant (RFC 6749 section 4.4). Apps written for the service look for their token endpoint below the base addresses of
 * its API.
 */
export function tokenEndpoints(options: TokenEndpointsOptions) {
  const run = issueToken(options, options.tokens.lifetimeS)
  const atServiceBase = (base: 'registration' | 'payment') =>
    endpoint({
      ...common,
      path: `/${base}/v1/oauth/token`,
      summary: `Get an access token at the base address of the ${base} interface`,
      description: 'Same as `/oauth/token`, at the path where apps written for the service look for it.',
      answers: { ...answers, 200: TOKEN, ...failures({ schema: serviceErrorSchema }) },
      ...(options.needsCertificate && { before: requirePeerCertificate }),
      run,
    })
  return {
    getToken: endpoint({
      ...common,
      path: '/oauth/token',
      summary: 'Get an access token',
      answers: { ...answers, 200: TOKEN, ...failures({ schema: problemSchema, type: 'application/problem+json' }) },
      run,
    }),
    getTokenForRegistration: atServiceBase('registration'),
    getTokenForPayment: atServiceBase('payment'),
    getTokenForCharges: endpoint({
      ...common,
      path: '/charges/v1/authorize',
      summary: 'Get an access token at the base address of the charges interface',
      description:
        'Same as `/oauth/token` with a shorter lifetime, at the path where apps written for the service look for it.',
      answers: { ...answers, 200: CHARGES_TOKEN, ...failures({ schema: chargesErrorSchema }) },
      run: issueToken(options, CHARGES_TOKEN_LIFETIME_S),
    }),
  }
}

function issueToken(options: TokenEndpointsOptions, lifetimeS: number) {
  const { tokens, scopeNames, log } = options
  const login = createClientLogin(options)
  return async function run({ body, http }: Call) {
    if (http === null) throw new TypeError('unreachable: only callers over HTTP ask for tokens')
    const { headers, socket } = http.request
    const { credentials, scopes: requested } = readTokenRequest(body, headers.authorization)
    const client = login(credentials, addressOf(socket))
    if (isOfAnotherClient(socket, client.id)) throw new TokenError('invalid_client', OTHER_CLIENT)
    connectionAuthenticated(socket)
    const scopes = narrow(client, requested, scopeNames)
    const certificate = peerThumbprintOf(socket)
    const token = await tokens.issue(client, scopes, certificate, lifetimeS)
    log.info({ client: client.id, scopes, bound: certificate !== null }, 'token.issued')
    const scope = scopes.map(scopeNames.nameOf).join(' ')
    const json = { access_token: token, token_type: 'Bearer' as const, expires_in: lifetimeS, scope }
    return { headers: { pragma: 'no-cache' }, json }
  }
}

/** The requested scopes, all of which the client must have; by default all of the client's. */
function narrow(client: Client, requested: readonly string[] | null, names: ScopeNames): readonly Scope[] {
  if (requested === null) return client.scopes
  return requested.map((name) => {
    const scope = names.scopeOf(name)
    if (scope !== null && client.scopes.includes(scope)) return scope
    throw new TokenError('invalid_scope', `the client has no scope ${name}`)
  })
}

const requirePeerCertificate: RequestHandler = function requirePeerCertificate(request, _response, next) {
  if (peerThumbprintOf(request.socket) === null) throw new TokenError('invalid_client', CERTIFICATE_EXPECTED)
  next()
}

/** In the format of RFC 6749 section 5.2. */
export const answerTokenErrors: ErrorRequestHandler = function answerTokenErrors(
  error: unknown,
  _request,
  response,
  next,
) {
  const refused = tokenErrorOf(error)
  if (refused === null) return next(error)
  const { status, code, message, waitS } = refused
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="portaria", charset="UTF-8"')
  if (waitS !== null) response.setHeader('retry-after', String(waitS))
  response.status(status).setHeader('pragma', 'no-cache')
  sendJson(response, { error: code, error_description: message })
}

function tokenErrorOf(error: unknown): TokenError | null {
  if (error instanceof TokenError) return error
  const status = statusOfHttpError(error)
  return status === null
    ? null
    : new TokenError('invalid_request', `the body cannot be read: ${BODY_EXPECTED}`, { status })
}

const common = {
  method: 'post',
  access: 'public',
  tag: 'Tokens',
  errors: 'token',
  answerErrors: answerTokenErrors,
  body: {
    schema: tokenRequestSchema,
    // The credentials may be in a header: `readTokenRequest` checks both together.
    check: (given: unknown) => given,
    types: ['application/x-www-form-urlencoded', 'application/json'],
    isRequired: true,
    example: { grant_type: GRANT, scope: 'events.read' },
    read: readTokenBody,
  },
} as const

const answers = {
  401: {
    description: 'No client has this id and secret, or a client certificate is missing.',
    headers: { 'www-authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } },
  },
  429: {
    description: 'This client failed too often from this address.',
    headers: { 'retry-after': { description: 'Seconds to wait before the next request.', schema: { type: 'string' } } },
  },
} as const

const TOKEN = { description: 'An access token, valid for one hour.', schema: tokenSchema }

const CHARGES_TOKEN = {
  description: `An access token, valid for ${CHARGES_TOKEN_LIFETIME_S} seconds.`,
  schema: tokenSchema,
}

/** Errors that are not those of RFC 6749. @param problem their format at this path */
function failures(problem: Pick<Answer, 'schema' | 'type'>) {
  return {
    421: { description: MISDIRECTED, ...problem },
    500: { description: 'Internal error. The log has the details.', ...problem },
    503: { description: 'Too many request bodies are being read.', ...problem },
  }
}
