import { createHash } from 'node:crypto'
import type { Config, OidcConfig } from '../../config/config.ts'
import type { ConfigurationState } from '../../domain/configuration-state.ts'
import { configurationFacts } from '../../domain/nodes/differences.ts'
import type { NodeIdentity } from '../../domain/nodes/node.ts'
import { VERSION } from '../../platform/version.ts'
import type { GatewayCertificates } from '../certificates.ts'

/** What this node says about itself now. The fingerprints tell whether its files and kinds are those of the others. */
export function nodeIdentity(
  started: Config,
  certificates: Pick<GatewayCertificates, 'current'>,
  configuration: ConfigurationState,
): NodeIdentity {
  const { config, inUse } = certificates.current()
  const files = Object.entries(inUse).flatMap(([name, pems]) => (pems.length === 0 ? [] : [[name, [...pems].sort()]]))
  const compared = {
    ...Object.fromEntries(files),
    // A restart applies others.
    kinds: started.callbacks.kinds,
    destinations: config.destinations,
    'api.oidc': signInOf(started.api.oidc),
  }
  return {
    name: config.node.name,
    version: VERSION,
    configured: config.destinations.map(({ name }) => name),
    facts: {
      ...Object.fromEntries(Object.entries(compared).map(([name, value]) => [name, fingerprintOf(value)])),
      ...configurationFacts(configuration),
    },
  }
}

/** Without the files of a machine, whose paths may be others on each. */
function signInOf(oidc: OidcConfig | null) {
  if (oidc === null) return null
  const { issuer, clientId, scopes, claim, roles } = oidc
  return { issuer, clientId, scopes, claim, roles }
}

function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}
