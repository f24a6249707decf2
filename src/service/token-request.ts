import type { ServiceInterface } from '../domain/service/service-interfaces.ts'
import { VERSION } from '../platform/version.ts'
import { jsonOf, membersOf, refusalOf, refusalText } from './answer.ts'
import { garbage, repeatedly, send, withinLimits } from './call.ts'
import type { Call, Calling, ObservedRequest } from './calling.ts'
import type { Exchanged, ExchangeRequest } from './exchange.ts'
import { interfaceText, ServiceFailure } from './failure.ts'
import type { FetchedToken } from './tokens.ts'

/** Behind the base address (service-decisions.md, Interfaces and base addresses). */
const TOKEN_PATHS: Readonly<Record<ServiceInterface, string>> = {
  account: '/oauth/token',
  payment: '/v1/oauth/token',
  registration: '/v1/oauth/token',
  openBanking: '/v1/oauth/token',
  charges: '/v1/authorize',
}

/** For an answer without a usable `expires_in`. */
const DEFAULT_LIFETIME_MS = 300_000

interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

interface Credentials extends ClientCredentials {
  readonly onTokenFetched?: (request: ObservedRequest) => void
}

/** Client credentials grant with HTTP Basic (RFC 6749 section 4.4), without `scope`: the token has all scopes of the application. @throws ServiceFailure */
export async function fetchToken(calling: Calling, credentials: Credentials): Promise<FetchedToken> {
  const { on } = calling
  const observe = credentials.onTokenFetched ?? (() => {})
  // A token changes nothing at the service, so that the fetch can be repeated.
  const options = { isRepeatable: true, isPatient: true, isChange: false, signal: undefined }
  const request = tokenRequest(calling, credentials)
  try {
    const token = await withinLimits({ ...shorter(calling), onRequest: () => {} }, options, (call) =>
      repeatedly(call, async () => tokenOf(call, await send(call, request))),
    )
    observe({ on, outcome: 'success' })
    return token
  } catch (error) {
    if (error instanceof ServiceFailure) observe({ on, outcome: error.code })
    throw error
  }
}

/** It ends before the calls that wait for the token, so that they know why there is none. */
function shorter(calling: Calling): Calling {
  return { ...calling, timeoutMs: calling.timeoutMs * 0.9, callTimeoutMs: calling.callTimeoutMs * 0.9 }
}

function tokenRequest({ on, connection }: Calling, { clientId, clientSecret }: Credentials): ExchangeRequest {
  return {
    method: 'POST',
    path: `${connection.prefix}${TOKEN_PATHS[on]}`,
    headers: {
      authorization: `Basic ${basicOf({ clientId, clientSecret })}`,
      accept: 'application/json',
      'user-agent': `Portaria/${VERSION}`,
      'content-type': 'application/json',
    },
    body: '{"grant_type":"client_credentials"}',
  }
}

/** RFC 7617 section 2. */
export function basicOf({ clientId, clientSecret }: ClientCredentials): string {
  return Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
}

function tokenOf(call: Call, answer: Exchanged): FetchedToken {
  const { environment, on } = call
  const { status, body } = answer
  const refusal = refusalOf(answer, call.clean)
  const options = { environment, on, status, refusal }
  const what = interfaceText(on, environment)
  if (status >= 500)
    throw new ServiceFailure('unavailable', `${what} gave no access token (${refusalText(refusal)})`, options)
  if (status >= 300 && status < 400)
    throw garbage(call, status, `answered with a redirect (HTTP ${status}), which is not followed`)
  if (status === 404) throw garbage(call, status, 'has no token endpoint below its base address (HTTP 404)')
  if (status >= 400) {
    const text = `${what} refused the credentials (${refusalText(refusal)}): check service.clientId and clientSecret; they are valid in one environment, and only with a certificate of their account`
    throw new ServiceFailure('credentials_refused', text, { ...options, isFinal: true })
  }
  const { access_token: value, expires_in: seconds } = membersOf(jsonOf(body))
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(value))
    throw garbage(call, status, `answered HTTP ${status} without an access token`)
  const lifetimeMs = Number(seconds) * 1000
  return { value, lifetimeMs: lifetimeMs > 0 ? lifetimeMs : DEFAULT_LIFETIME_MS }
}
