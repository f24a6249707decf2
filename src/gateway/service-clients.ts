import type { X509Certificate } from 'node:crypto'
import { createGuardedConnector } from '../delivery/guarded-connect.ts'
import { createNameResolver } from '../delivery/name-resolver.ts'
import type { AddressRules } from '../domain/address-rules.ts'
import { namedParts, type Realm } from '../domain/realm.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { ObservedRequest } from '../service/calling.ts'
import { createServiceClient, type ServiceClient } from '../service/client.ts'
import { createServiceHistory } from '../service/history.ts'
import { closeTogether } from './close.ts'
import type { ServiceInUse } from './service-in-use.ts'

/** The gateway's clients of the service, one per environment that the section `service` has. */
export interface ServiceClients {
  /** null: the section `service` has no entry for the environment. A renewal replaces the client: ask for it before each call. */
  of(environment: Realm): ServiceClient | null
  /** The entry of the environment, or one of its files, has changed. Calls under way end with the earlier client. */
  renew(environment: Realm): void
  /** As `renew`, for all: connections may lead to addresses that are not allowed any more. */
  renewAll(): void
  /** Aborts all calls under way. */
  close(): Promise<void>
}

export interface ServiceClientsOptions {
  readonly realms: readonly Realm[]
  readonly service: (environment: Realm) => ServiceInUse | null
  /** `api.servicePathSegment`. */
  readonly servicePathSegment: string
  readonly rules: AddressRules
  /** Path tokens of the charge listener, which are in addresses that the service is sent. */
  readonly otherSecrets?: readonly string[]
  readonly log: Log
  readonly onRequest?: (environment: Realm, request: ObservedRequest) => void
  readonly onTokenFetched?: (environment: Realm, request: ObservedRequest) => void
  /** The server certificate of a handshake in which it was trusted. */
  readonly onCertificate?: (environment: Realm, host: string, certificate: X509Certificate) => void
}

/** Look-up, connection and handshake together. */
const CONNECT_TIMEOUT_MS = 10_000

export function createServiceClients(options: ServiceClientsOptions): ServiceClients {
  const { realms, service, servicePathSegment, rules, otherSecrets, log, onRequest, onTokenFetched, onCertificate } =
    options
  const resolve = createNameResolver()
  const histories = new Map(realms.map((environment) => [environment, createServiceHistory()]))
  const retired = new Set<ServiceClient>()

  function open(environment: Realm): ServiceClient | null {
    const inUse = service(environment)
    if (inUse === null) return null
    const { settings, files } = inUse
    const history = histories.get(environment)
    return createServiceClient({
      environment,
      servicePathSegment,
      log,
      now: Date.now,
      random: Math.random,
      baseAddresses: settings.baseAddresses,
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      certificate: files.certificate,
      authorities: files.authorities,
      ...(otherSecrets && { otherSecrets }),
      connect: (tls, host) =>
        createGuardedConnector({
          rules,
          resolve,
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
          tls,
          onCertificate: (certificate) => onCertificate?.(environment, host, certificate),
        }),
      ...(history && { history }),
      onRequest: (request) => onRequest?.(environment, request),
      onTokenFetched: (request) => onTokenFetched?.(environment, request),
    })
  }
  function retire(client: ServiceClient): void {
    retired.add(client)
    client
      .retire()
      .catch((error: unknown) =>
        log.warn({ ...namedParts(client.environment), error: messageOf(error) }, 'service.not_closed'),
      )
      .finally(() => retired.delete(client))
  }
  function renew(environment: Realm): void {
    const earlier = clients.get(environment) ?? null
    clients.set(environment, open(environment))
    if (earlier !== null) retire(earlier)
  }

  const clients = new Map(realms.map((environment) => [environment, open(environment)]))
  return {
    of: (environment) => clients.get(environment) ?? null,
    renew,
    renewAll: () => realms.forEach(renew),
    async close() {
      const all = [...clients.values(), ...retired].filter((client) => client !== null)
      await closeTogether(all.map((client) => client.close))
    },
  }
}
