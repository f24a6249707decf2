import { dirname } from 'node:path'
import { activeFilesOf, watchedFoldersOf } from './certificates/chain-folder.ts'
import { type ClientCertificate, loadClientCertificate } from './certificates/client-certificate.ts'
import { watchFiles } from './certificates/file-watch.ts'
import { createRenewals, type Renewal } from './certificates/renewal.ts'
import { loadServerCertificate } from './certificates/server-certificate.ts'
import { loadTrust } from './certificates/trust.ts'
import type { Config, TlsFiles } from './config/config.ts'
import type { Log } from './domain/log.ts'
import type { Trust } from './domain/trust.ts'

export interface OwnCertificate {
  readonly cert: string
  readonly key: string
}

/** Those that use certificates, and how each takes up another one. */
export interface CertificateUsers {
  readonly callbacks: { renewOwn(own: OwnCertificate): void; renewTrust(trust: Trust): number }
  readonly charges: { renewOwn(own: OwnCertificate): void } | null
  readonly api: { renewOwn(own: OwnCertificate): void }
  readonly sender: { renew(): void }
}

/** Every certificate and chain of a running gateway: what is in use, and how it is exchanged without a restart. */
export interface GatewayCertificates {
  readonly own: OwnCertificate
  readonly trust: Trust
  readonly charges: OwnCertificate | null
  readonly api: OwnCertificate | null
  /** What is shown to destinations now; null: nothing. */
  client(): ClientCertificate | null
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
  const load = {
    own: () => loadOwn(config.callbacks, 'callbacks', log),
    trust: () => loadInstalledTrust(config, log),
    charges: () => loadOptional(config.chargeNotifications?.tls ?? null, 'chargeNotifications', log),
    api: () => loadOptional(config.api.tls, 'api', log),
  }
  const inUse = { own: load.own(), trust: load.trust(), charges: load.charges(), api: load.api() }

  function use({ callbacks, charges, api, sender }: CertificateUsers): void {
    const identityOf = (own: OwnCertificate | null) => JSON.stringify(own)
    renewals.add(
      { name: "the callback listener's certificate", load: load.own, identityOf, apply: callbacks.renewOwn },
      inUse.own,
    )
    renewals.add(
      {
        name: 'the chains of the service',
        load: load.trust,
        identityOf: identityOfTrust,
        apply(trust) {
          const closed = callbacks.renewTrust(trust)
          log.warn({ issuing: trust.issuing.map(describeIssuer), closed }, 'trust.renewed')
        },
      },
      inUse.trust,
    )
    renewals.add(
      {
        name: "the charge listener's certificate",
        load: load.charges,
        identityOf,
        apply: (own) => own !== null && charges?.renewOwn(own),
      },
      inUse.charges,
    )
    renewals.add(
      { name: "the API's certificate", load: load.api, identityOf, apply: (own) => own !== null && api.renewOwn(own) },
      inUse.api,
    )
    renewals.add(
      {
        name: 'the client certificate for destinations',
        load: () => loadOptional(config.forwarding.clientCertificate, 'forwarding.clientCertificate', log),
        identityOf,
        apply() {
          client = loadClient(config, log)
          sender.renew()
        },
      },
      usableOf(client),
    )
  }

  return {
    ...inUse,
    client: () => client,
    async watch(users) {
      use(users)
      const watched = await watchFiles({
        files: () => filesOf(config),
        folders: () => foldersOf(config),
        onChange: async () => void renewals.renew(),
      })
      return () => watched.close()
    },
    reload(next = config) {
      config = next
      return renewals.renew()
    },
  }
}

function loadOwn(files: TlsFiles, section: string, log: Log): OwnCertificate {
  const { cert, key, warnings } = loadServerCertificate(files, new Date(), section)
  for (const warning of warnings) log.error({ warning }, 'certificate.trouble')
  return { cert, key }
}

function loadOptional(files: TlsFiles | null, section: string, log: Log): OwnCertificate | null {
  return files === null ? null : loadOwn(files, section, log)
}

function loadInstalledTrust(config: Config, log: Log): Trust {
  const { trust, warnings } = loadTrust(config.callbacks.trust, new Date())
  for (const warning of warnings) log.error({ warning }, 'certificate.trouble')
  return trust
}

/** For commands, too, that send a test event. */
export function loadClient(config: Config, log: Log): ClientCertificate | null {
  const files = config.forwarding.clientCertificate
  if (files === null) return null
  const client = loadClientCertificate(files, new Date())
  const problem = client.problem(new Date())
  if (problem !== null) log.error({ problem }, 'certificate.trouble')
  return client
}

/** null where it could not be read: whatever can be read later is a renewal. */
function usableOf(client: ClientCertificate | null): OwnCertificate | null {
  try {
    return client === null ? null : { cert: client.tls.cert, key: client.tls.key }
  } catch {
    return null
  }
}

function identityOfTrust({ authorities, issuing }: Trust): string {
  return JSON.stringify([authorities, issuing.map((issuer) => [describeIssuer(issuer), issuer.allow])])
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
    ...config.callbacks.trust.flatMap(({ chain }) => activeFilesOf(chain)),
  ]
}

function foldersOf(config: Config): string[] {
  return [
    ...pairsOf(config).flatMap(({ certificate, privateKey }) => [dirname(certificate), dirname(privateKey)]),
    ...config.callbacks.trust.flatMap(({ chain }) => watchedFoldersOf(chain)),
  ]
}
