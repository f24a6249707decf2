import { timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
import type { Application, Applications } from '../applications.ts'
import type { Interface } from '../interfaces.ts'
import { fieldsOf } from './body.ts'
import { Refusal, ServiceError } from './service-error.ts'
import type { Token, Tokens } from './tokens.ts'

/** What decides who may call an interface. */
export interface AccessRules {
  readonly interface: Interface
  readonly applications: Applications
  readonly tokens: Tokens
  readonly lifetimeSeconds: number
  readonly realNow: () => number
}

/**
 * The token endpoint: client credentials grant with HTTP Basic (RFC 6749 sections 2.3.1 and 4.4). Without `scope` a token has all scopes of the application.
 * @param fingerprint of the account certificate, to which the token is bound; null where none is required
 * @throws ServiceError 400 and 401 as in RFC 6749 section 5.2
 */
export function issueToken(rules: AccessRules, request: Request, fingerprint: string | null): object {
  const { applications, tokens, lifetimeSeconds } = rules
  const application = authenticate(rules, request, fingerprint)
  const { grant_type: grantType, scope } = tokenRequestOf(request)
  if (grantType !== 'client_credentials')
    throw oauthError(400, grantType === undefined ? 'invalid_request' : 'unsupported_grant_type')
  const own = applications.scopesOf(application)
  const wanted = scope ?? ''
  if (typeof wanted !== 'string') throw oauthError(400, 'invalid_scope')
  const scopes = wanted.trim() === '' ? own : wanted.trim().split(/\s+/)
  if (scopes.some((one) => !own.includes(one))) throw oauthError(400, 'invalid_scope')
  const accessToken = tokens.issue({
    clientId: application.clientId,
    interface: rules.interface,
    scopes,
    fingerprint,
    expiresAt: rules.realNow() + lifetimeSeconds * 1000,
  })
  return { access_token: accessToken, token_type: 'Bearer', expires_in: lifetimeSeconds, scope: scopes.join(' ') }
}

/** A body that cannot be read is an error of OAuth too; one of another content type is 415. */
function tokenRequestOf(request: Request): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(request)
  } catch (error) {
    throw error instanceof Refusal && error.status === 400 ? oauthError(400, 'invalid_request') : error
  }
}

function authenticate(rules: AccessRules, request: Request, fingerprint: string | null): Application {
  const { id, secret } = basicOf(request)
  const application = rules.applications.find(id)
  const isKnown =
    application !== undefined &&
    isEqual(secret, application.clientSecret) &&
    application.interfaces.includes(rules.interface) &&
    isCertificateOf(rules.applications, application, fingerprint)
  if (!isKnown) throw oauthError(401, 'invalid_client', { 'www-authenticate': 'Basic realm="oauth"' })
  return application
}

/**
 * Id and secret of HTTP Basic, '' without. Clients that keep to RFC 6749 section 2.3.1 encode both as forms do, some of them `_` as %5F.
 * Others send them as they are. That is the same after decoding: ids and secrets have letters, digits, `_` and `-` only.
 */
function basicOf({ headers: { authorization = '' } }: Request): { id: string; secret: string } {
  const [, encoded = ''] = /^Basic +(\S+)$/i.exec(authorization) ?? []
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  return { id: formDecoded(id), secret: formDecoded(secret) }
}

/** Text that no form encodes stays. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

const OAUTH_TEXTS = {
  invalid_request: 'no grant_type could be read: send grant_type=client_credentials as a form or as JSON',
  unsupported_grant_type: 'only client_credentials is supported',
  invalid_scope: 'scope is a text of scopes that the application has, with spaces between them',
  invalid_client:
    'the credentials of HTTP Basic are missing, or not valid for this interface, environment and certificate',
} as const

function oauthError(status: number, error: keyof typeof OAUTH_TEXTS, headers?: Record<string, string>): ServiceError {
  return new ServiceError(status, { error, error_description: OAUTH_TEXTS[error] }, headers)
}

/** A request's bearer token (RFC 6750) and its application. @throws Refusal 401 */
export function bearerOf(
  rules: AccessRules,
  request: Request,
  fingerprint: string | null,
): { token: Token; application: Application } {
  const [, value] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (value === undefined) throw unauthorized('Bearer')
  const token = rules.tokens.find(value)
  const application = token === undefined ? undefined : rules.applications.find(token.clientId)
  if (
    token === undefined ||
    application === undefined ||
    token.interface !== rules.interface ||
    token.fingerprint !== fingerprint
  )
    throw unauthorized('Bearer error="invalid_token"')
  return { token, application }
}

/** @throws ServiceError 403 (RFC 6750 section 3.1) when the token lacks the scope */
export function requireScope(token: Token, scope: string): void {
  if (token.scopes.includes(scope)) return
  throw new ServiceError(
    403,
    { error: 'insufficient_scope', error_description: `the token needs the scope ${scope}` },
    { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  )
}

function unauthorized(challenge: string): Refusal {
  return new Refusal(401, 'nao_autorizado', 'O token de acesso não é válido.', {
    headers: { 'www-authenticate': challenge },
  })
}

/** The application of a request's valid bearer token, or the one that its Basic credentials name; '' without. */
export function clientOf(request: Request, tokens: Tokens): string {
  const [, bearer = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  return tokens.find(bearer)?.clientId ?? basicOf(request).id
}

function isCertificateOf(applications: Applications, application: Application, fingerprint: string | null): boolean {
  return fingerprint === null || applications.fingerprintsOf(application).includes(fingerprint)
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
