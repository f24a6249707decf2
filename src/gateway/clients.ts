import { createAccessTokens, newTokenKey } from '../api/auth/access-tokens.ts'
import { openClientRegistry } from '../api/clients/registry.ts'
import type { Config } from '../config/config.ts'
import { instanceNameOf } from '../domain/forwarding-loop.ts'
import { scopeNames } from '../domain/scopes.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../platform/log.ts'

/** For the service's own contract; loopback without TLS is the exception. */
export function isCertificateNeeded({ tls, clientCertificates }: Config['api']): boolean {
  return tls !== null && (clientCertificates === null || clientCertificates === 'required')
}

/** Whoever registers must show a certificate, and none is asked for: nobody can. Known at the start, not from an app's first failure. */
export function warnOfMissingTrust({ api }: Config, log: Log): void {
  if (isCertificateNeeded(api) && api.clientCa === null)
    log.warn({ reason: NOBODY_REGISTERS, set: 'api.clientCa, or api.clientCertificates: off' }, 'registrations.off')
}

const NOBODY_REGISTERS =
  'under TLS apps register (/registration, /payment) only with a client certificate, and without api.clientCa none is asked for'

/** As in `instanceNameOf`: the database's own secret is the key of its access tokens. */
export async function instanceName(store: Store): Promise<string> {
  return instanceNameOf(await store.keepTokenKey(newTokenKey()))
}

/** The API's users, and what they show in place of their secrets. */
export async function openClients(config: Config, store: Store) {
  const names = scopeNames(config.api.servicePathSegment)
  const clients = await openClientRegistry(store, Date.now)
  const key = await store.keepTokenKey(newTokenKey())
  const tokens = createAccessTokens({ key, findClient: clients.find, names, now: Date.now })
  return { clients, tokens, scopeNames: names }
}
