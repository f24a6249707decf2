import type { Socket } from 'node:net'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Client } from '../../domain/client.ts'
import type { Scope, ScopeNames } from '../../domain/scopes.ts'
import { addressOf } from '../../tls/remote-address.ts'
import { type AccessTokens, CHARGES_TOKEN_LIFETIME_S } from '../auth/access-tokens.ts'
import { connectionAuthenticated } from '../auth/authenticated-connections.ts'
import { type ClientLoginOptions, createClientLogin } from '../auth/client-login.ts'
import { createDeviceGrants, type DeviceGrantsOptions } from '../auth/device-grants.ts'
import { CERTIFICATE_EXPECTED, isOfAnotherClient, OTHER_CLIENT, peerThumbprintOf } from '../auth/peer-certificate.ts'
import {
  deviceAuthorizationSchema,
  deviceRequestSchema,
  GRANT,
  grantedTokenSchema,
  grantRequestSchema,
  revocationSchema,
  tokenRequestSchema,
  tokenSchema,
} from '../auth/schema.ts'
import { readTokenBody } from '../auth/token-body.ts'
import {
  BODY_EXPECTED,
  readDeviceRequest,
  readRevocation,
  readTokenRequest,
  TokenError,
} from '../auth/token-request.ts'
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
  /** As in `DeviceGrantsOptions`. */
  readonly devices: DeviceGrantsOptions['devices']
}

/**
 * The client credentials grant (RFC 6749 section 4.4). Apps written for the service look for their token endpoint below the base addresses of
 * its API.
 */
export function tokenEndpoints(options: TokenEndpointsOptions) {
  const run = issueToken(options, options.tokens.lifetimeS)
  const people = createDeviceGrants(options)
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
      description:
        'For a client by its id and secret. For a person by a device code (RFC 8628), of which every answer but the first few is `authorization_pending`, and after that by the refresh token, which each answer replaces.',
      body: { ...common.body, schema: grantRequestSchema },
      answers: { ...answers, 200: GRANTED_TOKEN, ...failures(PROBLEM) },
      async run(call: Call) {
        const asked = readDeviceRequest(call.body)
        if (asked === null) return run(call)
        return { headers: NOT_STORED, json: await people.tokenFor(asked, socketOf(call)) }
      },
    }),
    authorizeDevice: endpoint({
      ...common,
      path: '/oauth/device_authorization',
      summary: 'Begin the sign-in of a person on a device without a browser',
      description:
        'RFC 8628, where `api.oidc` is set up and its provider permits it: the person opens `verification_uri` on any machine and enters `user_code`, while the device asks `/oauth/token`.',
      body: { ...common.body, schema: deviceRequestSchema, isRequired: false, example: { client_id: 'portaria' } },
      answers: {
        200: { description: 'Codes for the device and the person.', schema: deviceAuthorizationSchema },
        429: { ...answers[429], description: 'Too many sign-ins were begun from this address.' },
        ...failures(PROBLEM),
      },
      run: async (call: Call) => ({ headers: NOT_STORED, json: await people.begin(socketOf(call)) }),
    }),
    revokeToken: endpoint({
      ...common,
      path: '/oauth/revoke',
      summary: 'End the sign-in of a person on a device',
      description:
        'RFC 7009, at the OpenID provider, with the latest refresh token. Its last access token ends within a minute.',
      body: { ...common.body, schema: revocationSchema, example: { token: 'eyJhbGciOiJkaXIi…' } },
      answers: { 200: { description: 'It has ended.' }, ...failures(PROBLEM) },
      async run(call: Call) {
        await people.revoke(readRevocation(call.body), socketOf(call))
        return { headers: NOT_STORED }
      },
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
    const socket = socketOf({ http })
    const { credentials, scopes: requested } = readTokenRequest(body, http?.request.headers.authorization)
    const client = login(credentials, addressOf(socket))
    if (isOfAnotherClient(socket, client.id)) throw new TokenError('invalid_client', OTHER_CLIENT)
    connectionAuthenticated(socket)
    const scopes = narrow(client, requested, scopeNames)
    const certificate = peerThumbprintOf(socket)
    const token = await tokens.issue(client, scopes, certificate, lifetimeS)
    log.info({ client: client.id, scopes, bound: certificate !== null }, 'token.issued')
    const scope = scopes.map(scopeNames.nameOf).join(' ')
    const json = { access_token: token, token_type: 'Bearer' as const, expires_in: lifetimeS, scope }
    return { headers: NOT_STORED, json }
  }
}

function socketOf({ http }: Pick<Call, 'http'>): Socket {
  if (http === null) throw new TypeError('unreachable: only callers over HTTP ask for tokens')
  return http.request.socket
}

const NOT_STORED = { pragma: 'no-cache' }

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

const GRANTED_TOKEN = {
  description: 'An access token, valid for one hour; for a person for a minute.',
  schema: grantedTokenSchema,
}

const CHARGES_TOKEN = {
  description: `An access token, valid for ${CHARGES_TOKEN_LIFETIME_S} seconds.`,
  schema: tokenSchema,
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' }

/** Errors that are not those of RFC 6749. @param problem their format at this path */
function failures(problem: Pick<Answer, 'schema' | 'type'>) {
  return {
    421: { description: MISDIRECTED, ...problem },
    500: { description: 'Internal error. The log has the details.', ...problem },
    503: { description: 'Too many request bodies are being read.', ...problem },
  }
}
