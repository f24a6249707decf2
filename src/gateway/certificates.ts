import { watchFiles } from '../certificates/files/file-watch.ts'
import type { ClientCertificate } from '../certificates/live/client-certificate.ts'
import { createRenewals, type Loaded, type Renewal } from '../certificates/live/renewal.ts'
import { startReaders } from '../certificates/live/start-files.ts'
import { watchExpiry } from '../certificates/trust/expiry-watch.ts'
import { createTrustReader, type TrustReading } from '../certificates/trust/trust-reading.ts'
import { type ConfigWithSecrets, realmsOf, type TrustConfig } from '../config/config.ts'
import { type Environment, environmentOf, type Realm } from '../domain/realm.ts'
import type { ClientTrust, Trust } from '../domain/trust.ts'
import type { FileProblem } from '../domain/unused-files.ts'
import type { Log } from '../platform/log.ts'
import type { ServerKeyPair } from '../tls/server-tls-options.ts'
import { filesOf, foldersOf } from './certificate-files.ts'
import {
  addRenewals,
  type CertificateUsers,
  certificateOf,
  type InUse,
  loadClient,
  warned,
} from './certificate-renewals.ts'
import type { CertificatesInUse } from './inventory.ts'
import { certificateOfService, readService, type ServiceInUse } from './service-in-use.ts'

/** The certificates and chains of a running gateway, and their renewal without a restart. */
export interface GatewayCertificates {
  /** Of the callback listener. */
  readonly serverCertificate: ServerKeyPair
  readonly trust: Trust
  readonly charges: ServerKeyPair | null
  readonly api: ServerKeyPair | null
  /** The authorities of the API's clients; null: the API requests no client certificate. */
  readonly apiClients: ClientTrust | null
  /** The client certificate for destinations now; null: none. */
  client(): ClientCertificate | null
  /** The entry of an environment in the section `service`, and its files; null: it has none. */
  service(environment: Realm): ServiceInUse | null
  /** The configuration that was read last, and the certificates in use. */
  current(): { readonly config: ConfigWithSecrets; readonly inUse: CertificatesInUse }
  /** The chains in use, and the files that cannot be used, as they were read last. */
  readonly chains: () => TrustReading
  /** Files whose content is not in use, once that was logged. */
  readonly problems: () => readonly FileProblem[]
  /** Takes up changed files from now on; returns how to stop. */
  watch(users: CertificateUsers): Promise<() => void>
  /** Reads all files again, those of another configuration if one is given. */
  reload(config?: ConfigWithSecrets): Renewal
  /** The same with other chains, and rules for their callers. */
  reloadTrust(trust: readonly TrustConfig[]): Renewal
}

/** @throws PortariaError for every certificate and chain that cannot be used */
export function loadCertificates(config: ConfigWithSecrets, log: Log): GatewayCertificates {
  const inUse = readAll(config, log)
  const renewals = createRenewals(log)
  return {
    ...inUse,
    client: () => inUse.client,
    service: (environment) => inUse.service.get(environment) ?? null,
    current: () => ({
      config: inUse.config,
      inUse: {
        server: [inUse.serverCertificate, inUse.charges, inUse.api].flatMap((pair) => pair?.cert ?? []),
        'service-chain': inUse.trust.authorities,
        client: certificateOf(inUse.client),
        'service.production': certificatesOfServices(inUse, 'production'),
        'service.sandbox': certificatesOfServices(inUse, 'sandbox'),
      },
    }),
    chains: () => inUse.reading,
    problems: renewals.problems,
    async watch(users) {
      addRenewals(renewals, inUse, users, log)
      const watched = await watchFiles({
        files: () => filesOf(inUse.config),
        folders: () => foldersOf(inUse.config),
        onChange: async () => renewals.renewSoon(),
        log,
      })
      // Files may have changed since the start read them.
      renewals.renewSoon()
      const stopWatching = watchExpiry({
        authorities: () => inUse.trust.authorities,
        onExpired: renewals.renewSoon,
        log,
      })
      return () => {
        watched.close()
        stopWatching()
        renewals.close()
      }
    },
    reload(next = inUse.config) {
      inUse.config = next
      return renewals.renew()
    },
    reloadTrust(trust) {
      inUse.config = { ...inUse.config, callbacks: { ...inUse.config.callbacks, trust } }
      return renewals.renew()
    },
  }
}

function readAll(config: ConfigWithSecrets, log: Log): InUse {
  const reader = createTrustReader()
  const readers = startReaders(config, reader)
  const warnedOf = <T>(loaded: Loaded<T> | null) => loaded && warned(loaded, log)
  const reading = readers.trust()
  return {
    config,
    client: loadClient(config, log),
    service: new Map(
      realmsOf(config).map((environment) => [environment, warned(readService(config, environment), log)]),
    ),
    serverCertificate: warned(readers.serverCertificate(), log),
    reader,
    reading,
    trust: warned({ value: reading.trust, warnings: reading.warnings }, log),
    charges: warnedOf(readers.charges()),
    api: warnedOf(readers.api()),
    apiClients: warnedOf(readers.apiClients()),
  }
}

/** Of every institution. */
function certificatesOfServices({ service }: InUse, environment: Environment): string[] {
  return [...service].flatMap(([realm, inUse]) =>
    environmentOf(realm) === environment ? certificateOfService(inUse) : [],
  )
}
