import { X509Certificate } from 'node:crypto'
import { dirname } from 'node:path'
import { watchFiles } from '../certificates/files/file-watch.ts'
import { explainOutOfDate } from '../certificates/files/pem.ts'
import { type ClientCertificate, loadClientCertificate } from '../certificates/live/client-certificate.ts'
import { lostUseOf } from '../certificates/live/client-use.ts'
import { createRenewals, type Loaded, type Renewal } from '../certificates/live/renewal.ts'
import { loadServerCertificate } from '../certificates/live/server-certificate.ts'
import { activeFilesOf, isShortOfDescriptors, observedFoldersOf } from '../certificates/trust/chain-folder.ts'
import { loadClientTrust } from '../certificates/trust/client-trust.ts'
import { watchExpiry } from '../certificates/trust/expiry-watch.ts'
import { identityOfIssuing, loadTrust } from '../certificates/trust/trust.ts'
import type { Config, ConfigWithSecrets, TlsFiles } from '../config/config.ts'
import { withAuthoritiesReadAnew } from '../config/load-config.ts'
import { ENVIRONMENTS, type Environment } from '../domain/event.ts'
import type { Trust } from '../domain/trust.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { ServerKeyPair } from '../tls/server-tls-options.ts'
import type { CertificatesInUse } from './inventory.ts'
import {
  certificateOfService,
  identityOfService,
  readNextService,
  readService,
  type ServiceInUse,
  serviceFilesOf,
} from './service-in-use.ts'

/** The users of certificates, and how each one takes up a renewed certificate. */
export interface CertificateUsers {
  readonly callbacks: { setServerCertificate(serverCertificate: ServerKeyPair): void; renewTrust(trust: Trust): number }
  readonly charges: { setServerCertificate(serverCertificate: ServerKeyPair): void } | null
  readonly api: {
    setServerCertificate(serverCertificate: ServerKeyPair): void
    renewClientTrust(authorities: readonly string[]): void
  }
  readonly sender: { renew(): void }
  /** Their private authorities were read again; the current configuration has them. */
  readonly destinations: { renew(): void }
  /** The entry of an environment in the section `service`, or one of its files, has changed; also where it is new or gone. */
  readonly service: { renew(environment: Environment): void }
  /** A certificate or a chain was renewed. */
  readonly onRenewed: () => void
}

/** The certificates and chains of a running gateway, and their renewal without a restart. */
export interface GatewayCertificates {
  /** Of the callback listener. */
  readonly serverCertificate: ServerKeyPair
  readonly trust: Trust
  readonly charges: ServerKeyPair | null
  readonly api: ServerKeyPair | null
  /** PEM of the authorities of the API's clients; null: the API requests no client certificate. */
  readonly apiClients: readonly string[] | null
  /** The client certificate for destinations now; null: none. */
  client(): ClientCertificate | null
  /** The entry of an environment in the section `service`, and its files; null: it has none. */
  service(environment: Environment): ServiceInUse | null
  /** The configuration that was read last, and the certificates in use. */
  current(): { readonly config: ConfigWithSecrets; readonly inUse: CertificatesInUse }
  /** Takes up changed files from now on; returns how to stop. */
  watch(users: CertificateUsers): Promise<() => void>
  /** Reads all files again, those of another configuration if one is given. */
  reload(config?: ConfigWithSecrets): Renewal
}

/** @throws PortariaError for every certificate and chain that cannot be used */
export function loadCertificates(initial: ConfigWithSecrets, log: Log): GatewayCertificates {
  let config: ConfigWithSecrets = initial
  let client = loadClient(config, log)
  const service = new Map(
    ENVIRONMENTS.map((environment) => [environment, warned(readService(config, environment), log)]),
  )
  const renewals = createRenewals(log)
  const readCallbackPair = () => readPair(config.callbacks, 'callbacks')
  const [chargeFiles, apiFiles] = [initial.chargeNotifications?.tls ?? null, initial.api.tls]
  const clientCaFile = initial.api.clientCa
  const inUse = {
    serverCertificate: warned(readCallbackPair(), log),
    trust: warned(readTrust(config), log),
    charges: chargeFiles && warned(readPair(chargeFiles, 'chargeNotifications'), log),
    api: apiFiles && warned(readPair(apiFiles, 'api'), log),
    apiClients: clientCaFile === null ? null : warned(loadClientTrust(clientCaFile, new Date()), log),
  }

  function addPair(name: string, load: () => Loaded<ServerKeyPair>, inUse: ServerKeyPair, apply: PairUser): void {
    const loadBetter = (known: ServerKeyPair) => refusingOutOfDate(load(), known, new Date())
    renewals.add({ name, load: loadBetter, identityOf: JSON.stringify, apply }, inUse)
  }

  function use({ callbacks, charges, api, sender, destinations, service: clients, onRenewed }: CertificateUsers): void {
    function take(next: Partial<typeof inUse>): void {
      Object.assign(inUse, next)
      onRenewed()
    }
    addPair("the callback listener's certificate", readCallbackPair, inUse.serverCertificate, (serverCertificate) => {
      callbacks.setServerCertificate(serverCertificate)
      take({ serverCertificate })
    })
    renewals.add(
      {
        name: 'the chains of the service',
        load: () => readTrust(config),
        identityOf: identityOfTrust,
        apply(trust) {
          const closed = callbacks.renewTrust(trust)
          log.warn({ issuing: trust.issuing.map(describeIssuer), closed }, 'trust.renewed')
          take({ trust })
        },
      },
      inUse.trust,
    )
    // Whether a listener uses TLS changes only with a restart.
    if (chargeFiles !== null && inUse.charges !== null && charges !== null) {
      const read = () => readPair(config.chargeNotifications?.tls ?? chargeFiles, 'chargeNotifications')
      addPair("the charge listener's certificate", read, inUse.charges, (serverCertificate) => {
        charges.setServerCertificate(serverCertificate)
        take({ charges: serverCertificate })
      })
    }
    if (apiFiles !== null && inUse.api !== null) {
      const read = () => readPair(config.api.tls ?? apiFiles, 'api')
      addPair("the API's certificate", read, inUse.api, (serverCertificate) => {
        api.setServerCertificate(serverCertificate)
        take({ api: serverCertificate })
      })
    }
    if (clientCaFile !== null && inUse.apiClients !== null) {
      renewals.add(
        {
          name: "the authorities of the API's clients",
          load: () => loadClientTrust(config.api.clientCa ?? clientCaFile, new Date()),
          identityOf: JSON.stringify,
          apply(apiClients) {
            api.renewClientTrust(apiClients)
            take({ apiClients })
          },
        },
        inUse.apiClients,
      )
    }
    renewals.add(
      {
        name: 'the client certificate for destinations',
        load: (inUse) => readNextClient(config, inUse),
        identityOf: identityOfClient,
        apply(next) {
          client = next
          sender.renew()
          onRenewed()
        },
      },
      client,
    )
    for (const environment of ENVIRONMENTS)
      renewals.add(
        {
          name: `the client of the service (${environment})`,
          load: (inUse) => readNextService(config, environment, inUse),
          identityOf: identityOfService,
          apply(next) {
            service.set(environment, next)
            clients.renew(environment)
            onRenewed()
          },
        },
        service.get(environment) ?? null,
      )
    renewals.add(
      {
        name: 'the private authorities of destinations',
        load: () => ({ value: withAuthoritiesReadAnew(config), warnings: [] }),
        identityOf: identityOfAuthorities,
        apply(next) {
          config = next
          destinations.renew()
        },
      },
      config,
    )
  }

  return {
    ...inUse,
    client: () => client,
    service: (environment) => service.get(environment) ?? null,
    current: () => ({
      config,
      inUse: {
        server: [inUse.serverCertificate, inUse.charges, inUse.api].flatMap((pair) => pair?.cert ?? []),
        'service-chain': inUse.trust.authorities,
        client: certificateOf(client),
        'service.production': certificateOfService(service.get('production')),
        'service.sandbox': certificateOfService(service.get('sandbox')),
      },
    }),
    async watch(users) {
      use(users)
      const watched = await watchFiles({
        files: () => filesOf(config),
        folders: () => foldersOf(config),
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
    reload(next = config) {
      config = next
      return renewals.renew()
    },
  }
}

type PairUser = (serverCertificate: ServerKeyPair) => void

/** Logs the warnings. */
function warned<T>({ value, warnings }: Loaded<T>, log: Log): T {
  for (const warning of warnings) log.error({ warning }, 'certificate.warning')
  return value
}

function readPair(files: TlsFiles, section: string): Loaded<ServerKeyPair> {
  const { cert, key, warnings } = loadServerCertificate(files, new Date(), section)
  return { value: { cert, key }, warnings }
}

function readTrust(config: Config): Loaded<Trust> {
  const { trust, warnings } = loadTrust(config.callbacks.trust, new Date())
  return { value: trust, warnings }
}

/** At the start a certificate that is out of date is better than none. In place of a valid one it would be an outage. */
function refusingOutOfDate(loaded: Loaded<ServerKeyPair>, inUse: ServerKeyPair, now: Date): Loaded<ServerKeyPair> {
  const problem = explainOutOfDate(new X509Certificate(loaded.value.cert), now)
  if (problem === null || explainOutOfDate(new X509Certificate(inUse.cert), now) !== null) return loaded
  throw new PortariaError(
    'certificate_invalid',
    `the certificate in the file ${problem}, the one in use is valid: install a current one, or check this machine's clock`,
  )
}

/** Also for commands that send a test event. */
export function loadClient(config: Config, log: Log): ClientCertificate | null {
  const client = readClient(config)
  const problem = client?.problem(new Date()) ?? null
  if (problem !== null) log.error({ problem }, 'certificate.warning')
  return client
}

function readClient({ forwarding }: Config): ClientCertificate | null {
  const files = forwarding.clientCertificate
  return files === null ? null : loadClientCertificate(files, new Date())
}

/**
 * An unusable client certificate is taken up where there was none: like after a start, nothing may be sent without it.
 * @throws PortariaError for an unusable certificate where another one is in use
 */
function readNextClient(config: Config, inUse: ClientCertificate | null): Loaded<ClientCertificate | null> {
  const client = readClient(config)
  const problem = client?.problem(new Date()) ?? lostUseOf(certificateOf(client), certificateOf(inUse))
  if (problem === null) return { value: client, warnings: [] }
  if (inUse !== null) throw new PortariaError('certificate_invalid', problem)
  return { value: client, warnings: [problem] }
}

/** PEM; empty for a certificate that cannot be used. */
function certificateOf(client: ClientCertificate | null): string[] {
  try {
    return client === null ? [] : [client.tls.cert]
  } catch {
    return []
  }
}

function identityOfClient(client: ClientCertificate | null): string {
  try {
    return JSON.stringify(client?.tls ?? null)
  } catch {
    // Every certificate that can be used later is a renewal, and so is none.
    return 'unusable'
  }
}

function identityOfTrust({ authorities, issuing }: Trust): string {
  return JSON.stringify([authorities, issuing.map((issuer) => [issuer.file, identityOfIssuing(issuer)])])
}

function identityOfAuthorities({ authorityFiles, destinations }: ConfigWithSecrets): string {
  const names = authorityFiles.map(({ destination }) => destination)
  return JSON.stringify(
    destinations.filter(({ name }) => names.includes(name)).map((one) => [one.name, one.authorities]),
  )
}

function describeIssuer({ environment, certificate, file }: Trust['issuing'][number]) {
  return { environment, subject: certificate.subject, fingerprint: certificate.fingerprint256, file }
}

function pairsOf({ callbacks, chargeNotifications, api, forwarding }: Config): TlsFiles[] {
  return [callbacks, chargeNotifications?.tls, api.tls, forwarding.clientCertificate].filter((files) => files != null)
}

function filesOf(config: Config): string[] {
  return [
    ...serviceFilesOf(config),
    ...pairsOf(config).flatMap(({ certificate, privateKey }) => [certificate, privateKey]),
    ...config.callbacks.trust.flatMap(({ chain, crl }) => [...readableOr(chain, [chain], activeFilesOf), ...crl]),
    ...(config.api.clientCa === null ? [] : [config.api.clientCa]),
    ...config.authorityFiles.map(({ file }) => file),
  ]
}

/** A folder that cannot be read is a change: the reading of the chains reports it, and the other files are still watched. */
function readableOr(chain: string, otherwise: string[], list: (chain: string) => string[]): string[] {
  try {
    return list(chain)
  } catch (error) {
    if (isShortOfDescriptors(error)) throw error
    return otherwise
  }
}

function foldersOf(config: Config): string[] {
  return [
    ...serviceFilesOf(config).map((file) => dirname(file)),
    ...pairsOf(config).flatMap(({ certificate, privateKey }) => [dirname(certificate), dirname(privateKey)]),
    ...config.callbacks.trust.flatMap(({ chain, crl }) => [
      ...readableOr(chain, [chain, dirname(chain)], observedFoldersOf),
      ...crl.map((file) => dirname(file)),
    ]),
    ...(config.api.clientCa === null ? [] : [dirname(config.api.clientCa)]),
    ...config.authorityFiles.map(({ file }) => dirname(file)),
  ]
}
