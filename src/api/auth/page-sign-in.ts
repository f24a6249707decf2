import { createHash, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Client } from '../../domain/client.ts'
import type { RefusedCaller } from '../../domain/refusal.ts'
import { addressOf, networkOf } from '../../tls/remote-address.ts'
import type { AccessTokens } from './access-tokens.ts'
import { connectionAuthenticated } from './authenticated-connections.ts'
import { type ClientLoginOptions, createClientLogin, createTokenRefusedLog } from './client-login.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { type Credentials, TokenError } from './token-request.ts'

export interface PageSignInOptions extends ClientLoginOptions {
  /** null: none is configured, so the operator cannot sign in. */
  readonly operatorToken: string | null
  readonly tokens: AccessTokens
  readonly onRefused: (remoteAddress: string, describe: () => RefusedCaller) => void
  /** Lifetime of the access tokens. */
  readonly seconds: number
}

/** Who has signed in to the pages, with a bearer token for the API. */
export type PageSignIn =
  | { readonly kind: 'client'; readonly client: Client; readonly token: string }
  | { readonly kind: 'operator'; readonly token: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'wait'; readonly seconds: number }

/** Like the token endpoint for a client; without an id, the secret is the operator token. Failures of both are throttled. */
export function createPageSignIn(options: PageSignInOptions) {
  const { operatorToken, tokens, onRefused, now, seconds } = options
  const login = createClientLogin(options)
  const operatorFailures = createLoginThrottle(now)
  const logRefused = createTokenRefusedLog(options)

  function asOperator(secret: string, address: string): PageSignIn {
    // The wait is for failures alone, because an attacker may share the address.
    if (operatorToken !== null && timingSafeEqual(sha256(secret), sha256(operatorToken)))
      return { kind: 'operator', token: operatorToken }
    const key = networkOf(address)
    const waitS = operatorFailures.waitOf(key)
    if (waitS > 0) return { kind: 'wait', seconds: waitS }
    operatorFailures.failed(key)
    logRefused(null, address)
    onRefused(address, () => ({ code: 'invalid_token', reason: WRONG, detail: 'POST /ui/sign-in' }))
    return { kind: 'refused' }
  }

  async function asClient(credentials: Credentials, address: string): Promise<PageSignIn> {
    try {
      const client = login(credentials, address)
      // Bound to no certificate: the session is.
      return { kind: 'client', client, token: await tokens.issue(client, client.scopes, null, seconds) }
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      return error.waitS === null ? { kind: 'refused' } : { kind: 'wait', seconds: error.waitS }
    }
  }

  return async function signIn(credentials: Credentials, socket: Socket): Promise<PageSignIn> {
    const address = addressOf(socket)
    const signed =
      credentials.id === '' ? asOperator(credentials.secret, address) : await asClient(credentials, address)
    if ('token' in signed) connectionAuthenticated(socket)
    return signed
  }
}

const WRONG = 'this is not the operator token'

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
