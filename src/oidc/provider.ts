import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { ClientAuth, Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { isUnreachable } from './failure.ts'
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

/** The OpenID provider. Errors are `ProviderUnreachable`; all others mean that the provider refused, or that its answer is not valid. */
export interface Provider {
  newSecrets(): Promise<Secrets>
  /** Where the browser signs in. */
  addressOf(secrets: Secrets, redirectUri: string): Promise<string>
  /** Exchanges the code of an authorization response. @param query of the callback, with its `?` */
  exchange(query: string, secrets: Secrets, redirectUri: string): Promise<Granted>
  refresh(refreshToken: string, before: Granted['claims']): Promise<Granted>
  /** Another grant than those above. @param ask sends the token request */
  grant(ask: (configuration: Configuration) => Promise<TokenAnswer>): Promise<Granted>
  configuration(): Promise<Configuration>
  /** @throws also for a token that is no valid logout token */
  readLogout(token: string, now: number): Promise<LogoutClaims>
  /** Asks for the provider's metadata if they are not known. */
  discover(): Promise<true>
  close(): Promise<void>
}

type TokenAnswer = TokenEndpointResponse & TokenEndpointResponseHelpers

interface Discovered {
  readonly configuration: Configuration
  readonly keys: JWTVerifyGetKey
}

/** Signatures that only the provider can make. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** A forged key id must not lead to a question each time. */
const KEYS_COOLDOWN_MS = 1_000
const METADATA_MS = 3_600_000

export function createProvider(settings: OidcSettings, now: () => number): Provider {
  const { issuer, clientId, clientSecret, claim, scopes } = settings
  const { send, close } = createProviderFetch(settings.authorities?.pem ?? null)
  let known: (Discovered & { readonly at: number }) | null = null
  let underWay: Promise<Discovered> | null = null

  async function discover(): Promise<Discovered> {
    const { clockTolerance, customFetch: fetchOf, discovery, ...client } = await import('openid-client')
    const authenticate: ClientAuth = (server, ...request) => {
      // Without a list it is client_secret_basic (OpenID Connect Discovery 1.0, section 3).
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const isBasic = methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
      return (isBasic ? client.ClientSecretBasic : client.ClientSecretPost)(clientSecret)(server, ...request)
    }
    const metadata = { [clockTolerance]: CLOCK_TOLERANCE_S }
    const configuration = await discovery(new URL(issuer), clientId, metadata, authenticate, { [fetchOf]: send })
    const { jwks_uri: address } = configuration.serverMetadata()
    if (address === undefined) throw new Error('the metadata of the provider name no jwks_uri')
    const keys = createRemoteJWKSet(new URL(address), { [customFetch]: send, cooldownDuration: KEYS_COOLDOWN_MS })
    known = { configuration, keys, at: now() }
    return known
  }

  /** Metadata that are old stay in use while the provider cannot be reached. */
  async function discovered(): Promise<Discovered> {
    const age = known === null ? Number.POSITIVE_INFINITY : Math.abs(now() - known.at)
    if (known !== null && age < METADATA_MS) return known
    underWay ??= discover().finally(() => {
      underWay = null
    })
    try {
      return await underWay
    } catch (error) {
      if (known === null || !isUnreachable(error)) throw error
      return known
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
    async addressOf({ state, nonce, verifier }, redirectUri) {
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
    },
    async exchange(query, { state, nonce, verifier }, redirectUri) {
      const { authorizationCodeGrant } = await import('openid-client')
      const url = new URL(redirectUri)
      url.search = query
      const expected = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      return granted((configuration) => authorizationCodeGrant(configuration, url, expected), null)
    },
    async refresh(refreshToken, before) {
      const { refreshTokenGrant } = await import('openid-client')
      const renewed = await granted((configuration) => refreshTokenGrant(configuration, refreshToken), before)
      return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken }
    },
    grant: (ask) => granted(ask, null),
    configuration: async () => (await discovered()).configuration,
    async readLogout(token, time) {
      const { configuration, keys } = await discovered()
      // As the provider writes it: with or without a slash at the end.
      const expected = { issuer: configuration.serverMetadata().issuer, audience: clientId, algorithms: ALGORITHMS }
      return logoutIn(token, keys, { ...expected, now: time })
    },
    async discover() {
      await discovered()
      return true
    },
    close,
  }
}
