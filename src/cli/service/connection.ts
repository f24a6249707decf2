import { loadServiceFiles, type ServiceFiles } from '../../certificates/live/service-files.ts'
import type { ConfigWithServiceSecrets, ServiceWithSecret } from '../../config/config.ts'
import { createGuardedConnector } from '../../delivery/guarded-connect.ts'
import { createNameResolver } from '../../delivery/name-resolver.ts'
import { compileAddressRules } from '../../domain/address-rules.ts'
import { institutionOf, keyOf, type Realm } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { say } from '../../platform/said.ts'
import { createServiceClient, type ServiceClient, type ServiceClientOptions } from '../../service/client.ts'
import { ServiceFailure } from '../../service/failure.ts'

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }
/** Of name look-up, connection and handshake together. */
const CONNECT_MS = 10_000

type Limits = Pick<ServiceClientOptions, 'timeoutMs' | 'callTimeoutMs' | 'retryMs'>

export interface OpenedService {
  readonly settings: ServiceWithSecret
  readonly files: ServiceFiles
  readonly client: ServiceClient
}

/**
 * Calls the service from this process, through the address rules of deliveries.
 * @throws PortariaError `configuration_invalid` for an environment without an entry, `certificate_invalid` for authorities that cannot be used, and
 * what `use` throws
 */
export async function withServiceClient<T>(
  config: ConfigWithServiceSecrets,
  environment: Realm,
  use: (client: ServiceClient) => Promise<T>,
  limits: Limits = {},
): Promise<T> {
  const settings = config.service.find((entry) => entry.environment === environment)
  if (settings === undefined)
    throw new PortariaError(
      'configuration_invalid',
      say`${{ file: config.file }} has no entry for ${{ environment }} under ${{ service: keyOf(institutionOf(environment), 'service') }}: add one as config/portaria.yaml shows it`,
    )
  const { client, files } = openService(config, settings, limits)
  try {
    if (files.authoritiesProblem !== null) throw new PortariaError('certificate_invalid', files.authoritiesProblem)
    return await use(client)
  } finally {
    await client.close()
  }
}

/** The failure of a change without an answer: what the service holds then tells whether it was made. null: it was. @throws what `change` throws else */
export async function lostAnswerOf(change: Promise<unknown>): Promise<ServiceFailure | null> {
  try {
    await change
    return null
  } catch (error) {
    if (error instanceof ServiceFailure && error.isOutcomeUnknown) return error
    throw error
  }
}

/** Connects with the first call only. To be closed. */
export function openService(
  config: ConfigWithServiceSecrets,
  settings: ServiceWithSecret,
  limits: Limits = {},
): OpenedService {
  const files = loadServiceFiles(settings)
  const { certificate, authorities } = files
  const guard = { rules: compileAddressRules(config.forwarding.allowedNetworks), resolve: createNameResolver() }
  const client = createServiceClient({
    ...settings,
    certificate,
    authorities,
    servicePathSegment: config.api.servicePathSegment,
    connect: (tls) => createGuardedConnector({ ...guard, connectTimeoutMs: CONNECT_MS, tls }),
    now: Date.now,
    random: Math.random,
    log: SILENT,
    ...limits,
  })
  return { settings, files, client }
}
