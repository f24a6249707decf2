import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import { type Caller, clientOf, type Principal, principalOf } from '../../domain/client.ts'
import type { RefusedCaller } from '../../domain/refusal.ts'
import type { ScopeNames } from '../../domain/scopes.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { addressOf, networkOf } from '../../tls/remote-address.ts'
import type { Access } from '../http/endpoint.ts'
import type { AccessTokens, RejectedToken } from './access-tokens.ts'
import { connectionAuthenticated } from './authenticated-connections.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { isOfAnotherClient, OTHER_CLIENT, peerThumbprintOf } from './peer-certificate.ts'

/** Identifies the principal of a request, or passes an error to the next error handler. */
export type Authentication = RequestHandler

const OPERATOR: Principal = { kind: 'operator' }
const OF_ANOTHER_CLIENT: RejectedToken = { kind: 'void', reason: OTHER_CLIENT }

const principals = new WeakMap<IncomingMessage, Principal>()

/** Who sent the request. HEAD reads, as GET does. */
export function callerOf(request: IncomingMessage): Caller {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  return { principal: principals.get(request) ?? null, isReading }
}

/** Of requests whose credentials may lose their validity. */
const revalidations = new WeakMap<IncomingMessage, () => Promise<boolean>>()

/** Whether the credentials of a request are valid now: an answer may last longer than its token. */
export async function isStillAuthenticated(request: IncomingMessage): Promise<boolean> {
  return (await revalidations.get(request)?.()) ?? true
}

interface Revocation {
  isRevoked(): boolean
  /** @throws PortariaError `unauthorized` if it is revoked */
  check(response: Response): void
}

/** Of requests whose client may be revoked. */
const revocations = new WeakMap<IncomingMessage, Revocation>()

/**
 * For a request that has waited: its client may have been revoked meanwhile.
 * @throws PortariaError `unauthorized`, as for a new request with its token
 */
export function requireUnrevoked(request: IncomingMessage, response: Response): void {
  revocations.get(request)?.check(response)
}

/** For an answer in parts: its client may have been revoked, or have got a new secret, since the part before. */
export function isRevoked(request: IncomingMessage): boolean {
  return revocations.get(request)?.isRevoked() ?? false
}

/** As `clientOf`; null: the request passed no authentication. */
export function knownClientOf(request: IncomingMessage): string | null {
  return principals.has(request) ? clientOf(callerOf(request)) : null
}

/** For the control socket, whose file mode is the authentication. */
export const authenticateAsOperator: Authentication = function authenticateAsOperator(request, _response, next) {
  principals.set(request, OPERATOR)
  next()
}

export interface TokenFailures {
  /** Called for every invalid token. */
  readonly onRefused: (remoteAddress: string, describe: () => RefusedCaller) => void
  readonly now: () => number
}

/**
 * Accepts bearer tokens (RFC 6750): the operator's, and access tokens of clients. Errors are `unauthorized`, with the challenge set. Unknown tokens
 * throttle their address (`too_many_requests`). Valid tokens are accepted even then, because an attacker may share the address.
 * @param operatorToken null: no token is configured
 */
export function requireToken(
  operatorToken: string | null,
  tokens: AccessTokens,
  { onRefused, now }: TokenFailures,
): Authentication {
  const failures = createLoginThrottle(now)
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
    async function verify(found: string) {
      const principal = await tokens.verify(found, peerThumbprintOf(request.socket))
      if ('reason' in principal || principal.person !== undefined) return principal
      return isOfAnotherClient(request.socket, principal.id) ? OF_ANOTHER_CLIENT : principal
    }
    const principal = isOperators(token) ? OPERATOR : await verify(token)
    if ('reason' in principal) throw rejection(request, response, principal)
    principals.set(request, principal)
    if (principal.kind === 'client') {
      revalidations.set(request, async () => !('reason' in (await verify(token))))
      revocations.set(request, {
        isRevoked: () => tokens.revocationOf(principal) !== null,
        check(response) {
          const revoked = tokens.revocationOf(principal)
          if (revoked !== null) throw rejection(request, response, revoked)
        },
      })
    }
    connectionAuthenticated(request.socket)
    next()
  }

  /** Expired tokens are not recorded: every client sends one sooner or later, and then gets a new one. */
  function rejection(request: Request, response: Response, { kind, reason }: RejectedToken): PortariaError {
    const address = addressOf(request.socket)
    const { method, baseUrl, path } = request
    const detail = `${method} ${baseUrl}${path}`
    if (kind !== 'expired') onRefused(address, () => ({ code: 'invalid_token', reason, detail }))
    response.setHeader('www-authenticate', 'Bearer error="invalid_token"')
    if (kind !== 'unknown') return new PortariaError('unauthorized', reason)
    const waitS = failures.waitOf(networkOf(address))
    if (waitS === 0) {
      failures.failed(networkOf(address))
      return new PortariaError('unauthorized', reason)
    }
    response.setHeader('retry-after', String(waitS))
    return new PortariaError(
      'too_many_requests',
      say`${{ reason }}, and too many such tokens came from this address: wait ${{ seconds: waitS }} s; a valid token is accepted at once`,
    )
  }
}

const SEND_A_TOKEN =
  'send the operator\'s token (api.operatorTokenFile), or an access token from POST /oauth/token, as "Authorization: Bearer …"'
const NO_OPERATOR_TOKEN = 'no operator token is configured: set api.operatorTokenFile'

/** Behind an authentication, unless the access is public. Errors are those of `requireAccess`, with the challenge set. */
export function accessCheck(access: Access, names: ScopeNames): RequestHandler {
  return function checkAccess(request, response, next) {
    try {
      if (access !== 'public') requireAccess(access, principalOf(callerOf(request)), names)
    } catch (error) {
      const scope = Array.isArray(access) ? `, scope="${names.nameOf(access[0])}"` : ''
      response.setHeader('www-authenticate', `Bearer error="insufficient_scope"${scope}`)
      throw error
    }
    next()
  }
}

/** Who may call an endpoint: the operator, or a client whose token has one of the scopes. @throws PortariaError `insufficient_scope` */
export function requireAccess(access: Access, principal: Principal, names: ScopeNames): void {
  if (access === 'public' || principal.kind === 'operator') return
  if (access === 'operator')
    throw new PortariaError('insufficient_scope', say`only the operator may do this: no scope permits it to clients`)
  if (access.some((scope) => principal.scopes.has(scope))) return
  const list = access.map(names.nameOf).join(' or ')
  const supported = principal.scopes.has('support.read') ? `; ${SUPPORT_READS}` : ''
  throw new PortariaError(
    'insufficient_scope',
    `the access token lacks the scope ${list}: ask for a token that has it${supported}`,
  )
}

const SUPPORT_READS =
  'support.read opens GET /v1/events, /v1/events/:id, /v1/events/:id/deliveries and /v1/subjects alone'

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
