import { X509Certificate } from 'node:crypto'
import { dirname } from 'node:path'
import { watchFiles } from '../certificates/files/file-watch.ts'
import { explainOutOfDate } from '../certificates/files/pem.ts'
import { type ClientCertificate, loadClientCertificate } from '../certificates/live/client-certificate.ts'
import { clientUseProblemOf } from '../certificates/live/client-use.ts'
import { isForClients } from '../certificates/live/key-usage.ts'
import { createRenewals, type Loaded, type Renewal } from '../certificates/live/renewal.ts'
import { loadServerCertificate } from '../certificates/live/server-certificate.ts'
import { activeFilesOf, isShortOfDescriptors, observedFoldersOf } from '../certificates/trust/chain-folder.ts'
import { loadClientTrust } from '../certificates/trust/client-trust.ts'
import { identityOfIssuing, loadTrust } from '../certificates/trust/trust.ts'
import type { Config, TlsFiles } from '../config/config.ts'
import { withAuthoritiesReadAnew } from '../config/load-config.ts'
import type { Trust } from '../domain/trust.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { ServerKeyPair } from '../tls/server-tls-options.ts'
import type { CertificatesInUse } from './inventory.ts'

/** Those that use certificates, and how each takes up another one. */
export interface CertificateUsers {
  readonly callbacks: { setServerCertificate(own: ServerKeyPair): void; renewTrust(trust: Trust): number }
  readonly charges: { setServerCertificate(own: ServerKeyPair): void } | null
  readonly api: {
    setServerCertificate(own: ServerKeyPair): void
    renewClientTrust(authorities: readonly string[]): void
  }
  readonly sender: { renew(): void }
  /** Private authorities of theirs were read anew: they are in the current configuration. */
  readonly destinations: { renew(): void }
  /** Something was taken up. */
  readonly onRenewed: () => void
}

/** Every certificate and chain of a running gateway: what is in use, and how it is exchanged without a restart. */
export interface GatewayCertificates {
  readonly own: ServerKeyPair
  readonly trust: Trust
  readonly charges: ServerKeyPair | null
  readonly api: ServerKeyPair | null
  /** PEM of the authorities of the API's clients; null: none of them is asked for a certificate. */
  readonly apiClients: readonly string[] | null
  /** What is shown to destinations now; null: nothing. */
  client(): ClientCertificate | null
  /** What is in use now, and the configuration that it comes from. */
  current(): { readonly config: Config; readonly inUse: CertificatesInUse }
  /** From now on changed files are taken up; returns how to stop that. */
  watch(users: CertificateUsers): Promise<() => void>
  /** Reads all files anew, those of another configuration if one is given. */
  reload(config?: Config): Renewal
}

/** @throws PortariaError for every certificate and chain that cannot be used */
export function loadCertificates(initial: Config, log: Log): GatewayCertificates {
  let config = initial
  let client = loadClient(config, log)
  const renewals = createRenewals(log)
  const readOwn = () => readPair(config.callbacks, 'callbacks')
  const [chargeFiles, apiFiles] = [initial.chargeNotifications?.tls ?? null, initial.api.tls]
  const clientCaFile = initial.api.clientCa
  const inUse = {
    own: warned(readOwn(), log),
    trust: warned(readTrust(config), log),
    charges: chargeFiles && warned(readPair(chargeFiles, 'chargeNotifications'), log),
    api: apiFiles && warned(readPair(apiFiles, 'api'), log),
    apiClients: clientCaFile === null ? null : warned(loadClientTrust(clientCaFile, new Date()), log),
  }

  function addPair(name: string, load: () => Loaded<ServerKeyPair>, inUse: ServerKeyPair, apply: PairUser): void {
    const loadBetter = (known: ServerKeyPair) => refusingOutOfDate(load(), known, new Date())
    renewals.add({ name, load: loadBetter, identityOf: JSON.stringify, apply }, inUse)
  }

  function use({ callbacks, charges, api, sender, destinations, onRenewed }: CertificateUsers): void {
    function take(next: Partial<typeof inUse>): void {
      Object.assign(inUse, next)
      onRenewed()
    }
    addPair("the callback listener's certificate", readOwn, inUse.own, (own) => {
      callbacks.setServerCertificate(own)
      take({ own })
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
    // A listener that began without TLS, or with it, stays so until a restart.
    if (chargeFiles !== null && inUse.charges !== null && charges !== null) {
      const read = () => readPair(config.chargeNotifications?.tls ?? chargeFiles, 'chargeNotifications')
      addPair("the charge listener's certificate", read, inUse.charges, (own) => {
        charges.setServerCertificate(own)
        take({ charges: own })
      })
    }
    if (apiFiles !== null && inUse.api !== null) {
      const read = () => readPair(config.api.tls ?? apiFiles, 'api')
      addPair("the API's certificate", read, inUse.api, (own) => {
        api.setServerCertificate(own)
        take({ api: own })
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
        load: (inUse) => readClientAnew(config, inUse),
        identityOf: identityOfClient,
        apply(next) {
          client = next
          sender.renew()
          onRenewed()
        },
      },
      client,
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
    current: () => ({
      config,
      inUse: {
        server: [inUse.own, inUse.charges, inUse.api].flatMap((own) => own?.cert ?? []),
        'service-chain': inUse.trust.authorities,
        client: certificateOf(client),
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
      // What changed since it was read for the start.
      renewals.renewSoon()
      return () => {
        watched.close()
        renewals.close()
      }
    },
    reload(next = config) {
      config = next
      return renewals.renew()
    },
  }
}

type PairUser = (own: ServerKeyPair) => void

/** With its warnings in the log. */
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

/** At start one that is out of date is better than none; in place of a good one it would be an outage. */
function refusingOutOfDate(loaded: Loaded<ServerKeyPair>, inUse: ServerKeyPair, now: Date): Loaded<ServerKeyPair> {
  const problem = explainOutOfDate(new X509Certificate(loaded.value.cert), now)
  if (problem === null || explainOutOfDate(new X509Certificate(inUse.cert), now) !== null) return loaded
  throw new PortariaError(
    'certificate_invalid',
    `the certificate in the file ${problem}, the one in use is in date: install a current one, or check this machine's clock`,
  )
}

/** For commands, too, that send a test event. */
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
 * One that cannot be shown is taken up in place of none: from now on nothing may be sent without it, as after a start.
 * @throws PortariaError for one that cannot be shown in place of another
 */
function readClientAnew(config: Config, inUse: ClientCertificate | null): Loaded<ClientCertificate | null> {
  const client = readClient(config)
  const problem = client?.problem(new Date()) ?? lostUseOf(client, inUse)
  if (problem === null) return { value: client, warnings: [] }
  if (inUse !== null) throw new PortariaError('certificate_invalid', problem)
  return { value: client, warnings: [problem] }
}

/** In place of one that is for clients and in date, one that is not would be an outage. */
function lostUseOf(client: ClientCertificate | null, inUse: ClientCertificate | null): string | null {
  const [next, known] = [client, inUse].map((one) => certificateOf(one).map((pem) => new X509Certificate(pem))[0])
  if (next === undefined || known === undefined || isForClients(next) || !isForClients(known)) return null
  return explainOutOfDate(known, new Date()) === null ? clientUseProblemOf(next) : null
}

/** None of one that cannot be used. */
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
    // Whatever can be read later is a renewal, and so is none.
    return 'unusable'
  }
}

function identityOfTrust({ authorities, issuing }: Trust): string {
  return JSON.stringify([authorities, issuing.map((issuer) => [issuer.file, identityOfIssuing(issuer)])])
}

function identityOfAuthorities({ authorityFiles, destinations }: Config): string {
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
    ...pairsOf(config).flatMap(({ certificate, privateKey }) => [certificate, privateKey]),
    ...config.callbacks.trust.flatMap(({ chain, crl }) => [...readableOr(chain, [chain], activeFilesOf), ...crl]),
    ...(config.api.clientCa === null ? [] : [config.api.clientCa]),
    ...config.authorityFiles.map(({ file }) => file),
  ]
}

/** A folder that cannot be read is a change like others: what reads the chains tells of it, and the other files are watched all the same. */
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
    ...pairsOf(config).flatMap(({ certificate, privateKey }) => [dirname(certificate), dirname(privateKey)]),
    ...config.callbacks.trust.flatMap(({ chain, crl }) => [
      ...readableOr(chain, [chain, dirname(chain)], observedFoldersOf),
      ...crl.map((file) => dirname(file)),
    ]),
    ...(config.api.clientCa === null ? [] : [dirname(config.api.clientCa)]),
    ...config.authorityFiles.map(({ file }) => dirname(file)),
  ]
}
