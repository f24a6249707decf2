/** A token request (RFC 6749 section 4.4.2). */
export interface TokenRequest {
  readonly credentials: Credentials
  /** null: the request names none. */
  readonly scopes: readonly string[] | null
}

export interface Credentials {
  readonly id: string
  readonly secret: string
}

/** RFC 6749 section 5.2. */
export class TokenError extends Error {
  readonly code: TokenErrorCode
  readonly status: number
  /** Seconds to wait before the next attempt; null: none. */
  readonly waitS: number | null

  constructor(code: TokenErrorCode, message: string, options: { status?: number; waitS?: number } = {}) {
    super(message)
    this.code = code
    this.status = options.status ?? TOKEN_ERROR_STATUS[code]
    this.waitS = options.waitS ?? null
  }
}

export const TOKEN_ERROR_STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  // From RFC 7009.
  unsupported_token_type: 400,
  invalid_scope: 400,
  // From RFC 8628: RFC 6749 has no code for this. An answer to a device that asks too often has 400.
  slow_down: 429,
  authorization_pending: 400,
  access_denied: 400,
  expired_token: 400,
  invalid_grant: 400,
  // From RFC 6749 section 4.1.2.1.
  temporarily_unavailable: 400,
}
export type TokenErrorCode = keyof typeof TOKEN_ERROR_STATUS
export const TOKEN_ERROR_CODES = Object.keys(TOKEN_ERROR_STATUS) as readonly TokenErrorCode[]

/**
 * @param body from JSON, or from a form
 * @throws TokenError
 */
export function readTokenRequest(body: unknown, authorization: string | undefined): TokenRequest {
  const parameters = readParameters(body)
  const grantType = parameters.get('grant_type')
  if (grantType === undefined) throw new TokenError('invalid_request', 'grant_type is missing: send client_credentials')
  if (grantType !== 'client_credentials')
    throw new TokenError('unsupported_grant_type', 'the only grant_type here is client_credentials')
  return { credentials: readCredentials(parameters, authorization), scopes: readScopes(parameters.get('scope')) }
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const REFRESH_GRANT = 'refresh_token'

/** What a person's device asks for (RFC 8628 section 3.4, RFC 6749 section 6). */
export interface DeviceRequest {
  readonly grant: typeof DEVICE_GRANT | typeof REFRESH_GRANT
  /** The device code or the refresh token. */
  readonly given: string
}

/** RFC 7009 section 2.1. @returns the token @throws TokenError */
export function readRevocation(body: unknown): string {
  const token = readParameters(body).get('token')
  if (token === undefined) throw new TokenError('invalid_request', 'token is missing: send the refresh token')
  return token
}

/** @returns null: the request has another grant @throws TokenError */
export function readDeviceRequest(body: unknown): DeviceRequest | null {
  const parameters = readParameters(body)
  const grant = parameters.get('grant_type')
  if (grant !== DEVICE_GRANT && grant !== REFRESH_GRANT) return null
  const name = grant === DEVICE_GRANT ? 'device_code' : 'refresh_token'
  const given = parameters.get(name)
  if (given === undefined) throw new TokenError('invalid_request', `${name} is missing`)
  return { grant, given }
}

const PARAMETERS = ['grant_type', 'scope', 'client_id', 'client_secret', 'device_code', 'refresh_token', 'token']

/** Parameters without a value count as omitted, and unknown ones are ignored (RFC 6749 section 3.2). */
function readParameters(body: unknown): ReadonlyMap<string, string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TokenError('invalid_request', BODY_EXPECTED)
  const known = Object.entries(body).filter(([name, value]) => PARAMETERS.includes(name) && value !== null)
  for (const [name, value] of known) {
    if (Array.isArray(value)) throw new TokenError('invalid_request', `${name} is there more than once`)
    if (typeof value !== 'string') throw new TokenError('invalid_request', `${name} must be text`)
  }
  return new Map(known.filter(([, value]) => value !== ''))
}

export const BODY_EXPECTED =
  'send grant_type=client_credentials as application/x-www-form-urlencoded, or {"grant_type":"client_credentials"} as application/json'

/** From HTTP Basic or from the body, never from both (RFC 6749 section 2.3). */
function readCredentials(parameters: ReadonlyMap<string, string>, authorization: string | undefined): Credentials {
  const [id, secret] = [parameters.get('client_id'), parameters.get('client_secret')]
  if (authorization !== undefined) {
    const basic = readBasic(authorization)
    if (secret !== undefined || (id !== undefined && id !== basic.id))
      throw new TokenError(
        'invalid_request',
        'there are credentials in the Authorization header and in the body: send one of them',
      )
    return basic
  }
  if (id === undefined || secret === undefined)
    throw new TokenError(
      'invalid_client',
      'no credentials: send client id and secret by HTTP Basic, or as client_id and client_secret',
    )
  return { id, secret }
}

function readBasic(authorization: string): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  const [id, secret] = [formDecoded(pair.slice(0, Math.max(0, colon))), formDecoded(pair.slice(colon + 1))]
  if (encoded === undefined || colon < 1 || id === null || secret === null)
    throw new TokenError('invalid_client', 'the Authorization header is not HTTP Basic with client id and secret')
  return { id, secret }
}

/** Id and secret are form-urlencoded before they are joined (RFC 6749 section 2.3.1); null: the encoding is invalid. */
function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // The caller reports it.
    return null
  }
}

/** RFC 6749 section 3.3. */
function readScopes(text: string | undefined): string[] | null {
  if (text === undefined) return null
  const names = text.split(' ').filter((name) => name !== '')
  if (names.length === 0 || !names.every((name) => /^[!#-[\]-~]{1,100}$/.test(name)))
    throw new TokenError('invalid_scope', 'scope must be names of scopes with spaces between them')
  return [...new Set(names)]
}
