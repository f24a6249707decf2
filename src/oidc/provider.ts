import { jwtVerify } from 'jose'
import type { Configuration, IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { createDiscovery, type Discovered } from './discovery.ts'
import { isUnreachable, ProviderRefused } from './failure.ts'
import { type LogoutClaims, logoutIn } from './logout-token.ts'
import { createProviderFetch } from './provider-fetch.ts'
import { valuesAt } from './rights.ts'
import { CLOCK_TOLERANCE_S, type Claims, type OidcSettings } from './settings.ts'

/** What only this browser knows of a sign-in that it began. */
export interface Secrets {
  readonly state: string
  readonly nonce: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
}

export interface Granted {
  /** Of the ID token; where it lacks the claim with the roles, with those of the userinfo endpoint. */
  readonly claims: Claims & { readonly sub: string }
  /** null: the provider gave none. */
  readonly refreshToken: string | null
}

/** The OpenID provider. Errors are `ProviderUnreachable`, or `ProviderRefused`: the provider refused, or its answer is not valid. */
export interface Provider {
  newSecrets(): Promise<Secrets>
  /** Where the browser signs in. */
  addressOf(secrets: Secrets, redirectUri: string): Promise<string>
  /** Exchanges the code of an authorization response. @param query of the callback, with its `?` */
  exchange(query: string, secrets: Secrets, redirectUri: string): Promise<Granted>
  refresh(refreshToken: string, before: Granted['claims']): Promise<Granted>
  /** Another grant than those above. @param secret in the token request that `ask` sends */
  grant(secret: string, ask: (configuration: Configuration) => Promise<TokenAnswer>): Promise<Granted>
  /** Another question. @param secret in the request; null: none beside the client secret */
  ask<T>(secret: string | null, ask: (configuration: Configuration) => Promise<T>): Promise<T>
  /** @throws also for a token that is no valid logout token */
  readLogout(token: string, now: number): Promise<LogoutClaims>
  /** Asks for the provider's metadata if they are not known. */
  discover(): Promise<true>
  close(): Promise<void>
}

type TokenAnswer = TokenEndpointResponse & TokenEndpointResponseHelpers

/** Signatures that only the provider can make. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** OpenID Connect Core 1.0, section 2: of a subject. */
const LONGEST_SUBJECT = 255

export function createProvider(settings: OidcSettings, now: () => number): Provider {
  const { clientId, clientSecret, claim, scopes } = settings
  const { send, close } = createProviderFetch(settings.authorities?.pem ?? null)
  const discovered = createDiscovery(settings, send, now)

  /** A refusal in `ask` is an error of ours. @param secrets in its requests beside the client secret */
  async function inWords<T>(secrets: readonly (string | null)[], ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (isUnreachable(error)) throw error
      throw new ProviderRefused(error, [clientSecret, ...secrets.filter((one) => one !== null)])
    }
  }

  /** The ID token came over TLS from the provider. Its signature is evidence beyond that, and a key that the provider withdrew ends here. */
  async function verify(idToken: string, { keys }: Discovered): Promise<void> {
    await jwtVerify(idToken, keys, { algorithms: ALGORITHMS, audience: clientId, clockTolerance: CLOCK_TOLERANCE_S })
  }

  async function granted(
    ask: (configuration: Configuration) => Promise<TokenAnswer>,
    before: Granted['claims'] | null,
  ): Promise<Granted> {
    const at = await discovered()
    const answer = await ask(at.configuration)
    if (answer.id_token !== undefined) await verify(answer.id_token, at)
    const own = answer.claims()
    const subject = (own ?? before)?.sub
    if (subject === undefined) throw new Error('the provider gave no ID token')
    if (before !== null && subject !== before.sub) throw new Error('the new ID token is of another subject')
    if (own !== undefined) checkOwner(own, clientId)
    const refreshToken = answer.refresh_token ?? null
    if (own !== undefined && valuesAt(own, claim) !== undefined) return { claims: own, refreshToken }
    const { userinfo_endpoint: endpoint } = at.configuration.serverMetadata()
    if (endpoint === undefined) return { claims: own ?? before ?? { sub: subject }, refreshToken }
    const { fetchUserInfo } = await import('openid-client')
    const info = await fetchUserInfo(at.configuration, answer.access_token, subject)
    return { claims: { ...info, ...own, sub: subject }, refreshToken }
  }

  return {
    async newSecrets() {
      const { randomNonce, randomPKCECodeVerifier, randomState } = await import('openid-client')
      return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
    },
    addressOf: ({ state, nonce, verifier }, redirectUri) =>
      inWords([], async () => {
        const { configuration } = await discovered()
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
        const parameters = {
          redirect_uri: redirectUri,
          scope: scopes.join(' '),
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }
        return buildAuthorizationUrl(configuration, parameters).href
      }),
    exchange: (query, { state, nonce, verifier }, redirectUri) =>
      inWords([verifier, state, nonce, new URLSearchParams(query).get('code')], async () => {
        const { authorizationCodeGrant } = await import('openid-client')
        const url = new URL(redirectUri)
        url.search = query
        const expected = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        }
        return granted((configuration) => authorizationCodeGrant(configuration, url, expected), null)
      }),
    refresh: (refreshToken, before) =>
      inWords([refreshToken], async () => {
        const { refreshTokenGrant } = await import('openid-client')
        const renewed = await granted((configuration) => refreshTokenGrant(configuration, refreshToken), before)
        return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken }
      }),
    grant: (secret, ask) => inWords([secret], () => granted(ask, null)),
    ask: (secret, ask) => inWords([secret], async () => ask((await discovered()).configuration)),
    readLogout: (token, time) =>
      inWords([], async () => {
        const { configuration, keys } = await discovered()
        // As the provider writes it: with or without a slash at the end.
        const expected = { issuer: configuration.serverMetadata().issuer, audience: clientId, algorithms: ALGORITHMS }
        return logoutIn(token, keys, { ...expected, now: time })
      }),
    discover: () =>
      inWords([], async () => {
        await discovered()
        return true as const
      }),
    close,
  }
}

/** OpenID Connect Core 1.0, sections 2 and 3.1.3.7: whom the token is about, and for which client it was made. @throws Error */
function checkOwner({ sub, azp }: IDToken, clientId: string): void {
  if (sub === '' || sub.length > LONGEST_SUBJECT)
    throw new Error(`the ID token has a subject of ${sub.length} characters: 1 to ${LONGEST_SUBJECT} are valid`)
  if (azp !== undefined && azp !== clientId)
    throw new Error('the ID token was made for another client, which its claim azp names')
}
