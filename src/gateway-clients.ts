import { createAccessTokens, newTokenKey } from './api/access-tokens.ts'
import { openClientRegistry } from './api/client-registry.ts'
import type { Config } from './config/config.ts'
import { scopeNames } from './domain/scopes.ts'
import type { Store } from './domain/store.ts'

/** For the service's own contract; loopback without TLS is the exception. */
export function isCertificateNeeded({ tls, clientCertificates }: Config['api']): boolean {
  return tls !== null && (clientCertificates === null || clientCertificates === 'required')
}

/** The API's users, and what they show in place of their secrets. */
export async function openClients(config: Config, store: Store) {
  const names = scopeNames(config.api.servicePathSegment)
  const clients = await openClientRegistry(store, Date.now)
  const key = await store.keepTokenKey(newTokenKey())
  const tokens = createAccessTokens({ key, findClient: clients.find, names, now: Date.now })
  return { clients, tokens, scopeNames: names }
}
