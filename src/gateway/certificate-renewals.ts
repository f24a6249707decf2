import { X509Certificate } from 'node:crypto'
import { explainOutOfDate } from '../certificates/files/pem.ts'
import { type ClientCertificate, loadClientCertificate } from '../certificates/live/client-certificate.ts'
import { lostUseOf } from '../certificates/live/client-use.ts'
import type { createRenewals, Loaded } from '../certificates/live/renewal.ts'
import { readPair } from '../certificates/live/start-files.ts'
import { loadClientTrust } from '../certificates/trust/client-trust.ts'
import { identityOfIssuing } from '../certificates/trust/trust.ts'
import type { TrustReader, TrustReading } from '../certificates/trust/trust-reading.ts'
import type { Config, ConfigWithSecrets } from '../config/config.ts'
import { withAuthoritiesReadAnew } from '../config/load-config.ts'
import { namedParts, type Realm } from '../domain/realm.ts'
import type { ClientTrust, Trust } from '../domain/trust.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { say } from '../platform/said.ts'
import type { ServerKeyPair } from '../tls/server-tls-options.ts'
import { identityOfService, readNextService, type ServiceInUse } from './service-in-use.ts'

/** The users of certificates, and how each one takes up a renewed certificate. */
export interface CertificateUsers {
  readonly callbacks: { setServerCertificate(serverCertificate: ServerKeyPair): void; renewTrust(trust: Trust): number }
  readonly charges: { setServerCertificate(serverCertificate: ServerKeyPair): void } | null
  readonly api: {
    setServerCertificate(serverCertificate: ServerKeyPair): void
    renewClientTrust(trust: ClientTrust): void
  }
  readonly sender: { renew(): void }
  /** Their private authorities were read again; the current configuration has them. */
  readonly destinations: { renew(): void }
  /** The entry of an environment in the section `service`, or one of its files, has changed; also where it is new or gone. */
  readonly service: { renew(environment: Realm): void }
  /** A certificate or a chain was renewed. */
  readonly onRenewed: () => void
}

/** What the gateway uses now. Each renewal replaces its own member; a reload replaces the configuration. */
export interface InUse {
  config: ConfigWithSecrets
  client: ClientCertificate | null
  readonly service: Map<Realm, ServiceInUse | null>
  serverCertificate: ServerKeyPair
  trust: Trust
  /** Of the chains that callers are verified by. */
  readonly reader: TrustReader
  reading: TrustReading
  charges: ServerKeyPair | null
  api: ServerKeyPair | null
  apiClients: ClientTrust | null
}

type Renewals = Pick<ReturnType<typeof createRenewals>, 'add'>

/** Says of each certificate and chain how it is read again, and who takes it up. */
export function addRenewals(renewals: Renewals, inUse: InUse, users: CertificateUsers, log: Log): void {
  addListeners(renewals, inUse, users)
  addTrust(renewals, inUse, users, log)
  addClients(renewals, inUse, users)
  renewals.add(
    {
      name: 'the private authorities of destinations',
      load: () => ({ value: withAuthoritiesReadAnew(inUse.config), warnings: [] }),
      identityOf: identityOfAuthorities,
      apply(next) {
        inUse.config = next
        users.destinations.renew()
      },
    },
    inUse.config,
  )
}

/** Whether a listener uses TLS changes only with a restart. */
function addListeners(
  renewals: Renewals,
  inUse: InUse,
  { callbacks, charges, api, onRenewed }: CertificateUsers,
): void {
  function addPair(
    name: 'serverCertificate' | 'charges' | 'api',
    what: string,
    { read, apply }: { readonly read: () => Loaded<ServerKeyPair>; readonly apply: PairUser },
  ): void {
    const known = inUse[name]
    if (known === null) return
    renewals.add(
      {
        name: what,
        load: (known) => refusingOutOfDate(read(), known, new Date()),
        identityOf: JSON.stringify,
        apply(pair) {
          apply(pair)
          inUse[name] = pair
          onRenewed()
        },
      },
      known,
    )
  }

  const { chargeNotifications, api: initialApi } = inUse.config
  const [chargeFiles, apiFiles] = [chargeNotifications?.tls ?? null, initialApi.tls]
  addPair('serverCertificate', "the callback listener's certificate", {
    read: () => readPair(inUse.config.callbacks, 'callbacks'),
    apply: (pair) => callbacks.setServerCertificate(pair),
  })
  if (chargeFiles !== null && charges !== null)
    addPair('charges', "the charge listener's certificate", {
      read: () => readPair(inUse.config.chargeNotifications?.tls ?? chargeFiles, 'chargeNotifications'),
      apply: (pair) => charges.setServerCertificate(pair),
    })
  if (apiFiles !== null)
    addPair('api', "the API's certificate", {
      read: () => readPair(inUse.config.api.tls ?? apiFiles, 'api'),
      apply: (pair) => api.setServerCertificate(pair),
    })
}

/** The chains that callers are verified by. */
function addTrust(renewals: Renewals, inUse: InUse, { callbacks, api, onRenewed }: CertificateUsers, log: Log): void {
  renewals.add(
    {
      name: 'the chains of the service',
      load() {
        inUse.reading = inUse.reader.read(inUse.config.callbacks.trust, new Date())
        return loadedOf(inUse.reading)
      },
      identityOf: identityOfTrust,
      apply(trust) {
        const closed = callbacks.renewTrust(trust)
        log.warn({ issuing: trust.issuing.map(describeIssuer), closed }, 'trust.renewed')
        inUse.trust = trust
        onRenewed()
      },
    },
    inUse.trust,
    loadedOf(inUse.reading).problems,
  )
  const { clientCa } = inUse.config.api
  if (clientCa === null || inUse.apiClients === null) return
  renewals.add(
    {
      name: "the authorities of the API's clients",
      load: () => {
        const { api } = inUse.config
        return loadClientTrust({ ...api, clientCa: api.clientCa ?? clientCa }, new Date())
      },
      identityOf: ({ identity }) => identity,
      apply(apiClients) {
        api.renewClientTrust(apiClients)
        inUse.apiClients = apiClients
        onRenewed()
      },
    },
    inUse.apiClients,
  )
}

/** The certificates that the gateway shows as a client: to destinations, and to the service. */
function addClients(renewals: Renewals, inUse: InUse, { sender, service, onRenewed }: CertificateUsers): void {
  renewals.add(
    {
      name: 'the client certificate for destinations',
      load: (known) => readNextClient(inUse.config, known),
      identityOf: identityOfClient,
      apply(next) {
        inUse.client = next
        sender.renew()
        onRenewed()
      },
    },
    inUse.client,
  )
  for (const environment of inUse.service.keys())
    renewals.add(
      {
        name: `the client of the service (${environment})`,
        load: (known) => readNextService(inUse.config, environment, known),
        identityOf: identityOfService,
        apply(next) {
          inUse.service.set(environment, next)
          service.renew(environment)
          onRenewed()
        },
      },
      inUse.service.get(environment) ?? null,
    )
}

type PairUser = (serverCertificate: ServerKeyPair) => void

/** Logs the warnings. */
export function warned<T>({ value, warnings }: Loaded<T>, log: Log): T {
  for (const warning of warnings) log.error({ warning }, 'certificate.warning')
  return value
}

function loadedOf({ trust, warnings, problems }: TrustReading): Loaded<Trust> {
  return {
    value: trust,
    warnings,
    problems: problems.map(({ environment, file, problem, use }) => {
      return { what: `a chain of ${environment}`, file, problem, use }
    }),
  }
}

/** At the start a certificate that is out of date is better than none. In place of a valid one it would be an outage. */
function refusingOutOfDate(loaded: Loaded<ServerKeyPair>, inUse: ServerKeyPair, now: Date): Loaded<ServerKeyPair> {
  const problem = explainOutOfDate(new X509Certificate(loaded.value.cert), now)
  if (problem === null || explainOutOfDate(new X509Certificate(inUse.cert), now) !== null) return loaded
  throw new PortariaError(
    'certificate_invalid',
    say`the certificate in the file ${{ now: problem }}, the one in use is valid: install a current one, or check this machine's clock`,
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
export function certificateOf(client: ClientCertificate | null): string[] {
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
  return { ...namedParts(environment), subject: certificate.subject, fingerprint: certificate.fingerprint256, file }
}
