import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import type { ClientAuth, Configuration } from 'openid-client'
import { isUnreachable } from './failure.ts'
import type { ProviderFetch } from './provider-fetch.ts'
import { CLOCK_TOLERANCE_S, type OidcSettings } from './settings.ts'

export interface Discovered {
  readonly configuration: Configuration
  readonly keys: JWTVerifyGetKey
}

/** A forged key id must not lead to a question each time. */
const KEYS_COOLDOWN_MS = 1_000
const METADATA_MS = 3_600_000

/** The provider's metadata and keys, asked for when they are needed. Metadata that are old stay in use while the provider cannot be reached. */
export function createDiscovery(
  { issuer, clientId, clientSecret }: OidcSettings,
  send: ProviderFetch,
  now: () => number,
): () => Promise<Discovered> {
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

  return async function discovered(): Promise<Discovered> {
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
}
