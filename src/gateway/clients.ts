import { createAccessTokens, newTokenKey } from '../api/auth/access-tokens.ts'
import { openClientRegistry } from '../api/clients/registry.ts'
import type { Config } from '../config/config.ts'
import { instanceNameOf } from '../domain/forwarding/forwarding-loop.ts'
import { scopeNames } from '../domain/scopes.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../platform/log.ts'

/** Whether the service API demands a client certificate. Without TLS (loopback only) it cannot. */
export function isCertificateNeeded({ tls, clientCertificates }: Config['api']): boolean {
  return tls !== null && (clientCertificates === null || clientCertificates === 'required')
}

/** Without `api.clientCa` no client certificate is requested, so every registration would be refused. Logged at the start. */
export function warnOfMissingTrust({ api }: Config, log: Log): void {
  if (isCertificateNeeded(api) && api.clientCa === null)
    log.warn({ reason: NO_REGISTRATIONS, set: 'api.clientCa, or api.clientCertificates: off' }, 'registrations.off')
}

const NO_REGISTRATIONS =
  'under TLS, registration (/registration, /payment) needs a client certificate, and without api.clientCa none is requested'

/** As in `instanceNameOf`: the database's own secret is the key of its access tokens. */
export async function instanceName(store: Store): Promise<string> {
  return instanceNameOf(await store.keepTokenKey(newTokenKey()))
}

/** The API's clients and their access tokens. */
export async function openClients(config: Config, store: Store, now: () => number) {
  const names = scopeNames(config.api.servicePathSegment)
  const clients = await openClientRegistry(store, now)
  const key = await store.keepTokenKey(newTokenKey())
  const tokens = createAccessTokens({ key, findClient: clients.find, names, now })
  return { clients, tokens, scopeNames: names }
}
