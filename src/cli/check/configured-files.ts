import { dirname } from 'node:path'
import { activeFilesOf } from '../../certificates/trust/chain-folder.ts'
import type { Config, ServiceConfig, TlsFiles } from '../../config/config.ts'
import { placeOf } from '../../config/place.ts'
import { at } from '../../config/section-checks.ts'
import { readYaml } from '../../config/yaml-source.ts'
import { serviceKeyOf } from '../../domain/realm.ts'

export interface NamedFile {
  /** The key of the configuration. */
  readonly name: string
  readonly file: string
}

/** One of our own certificates, with its key. */
export interface ServerKeyPair extends TlsFiles {
  /** The section of the configuration that names both. */
  readonly section: string
  readonly usage: 'server' | 'client'
  /** Whether it is sent to callers of the service, which trust only public CAs. */
  readonly isSeenByService: boolean
}

/** Without duplicates of files that several sections name. */
export function ownCertificatesOf({ callbacks, chargeNotifications, api, forwarding }: Config): ServerKeyPair[] {
  const of = (section: string, files: TlsFiles | null, rest: Pick<ServerKeyPair, 'usage' | 'isSeenByService'>) =>
    files === null ? [] : [{ section, certificate: files.certificate, privateKey: files.privateKey, ...rest }]
  const all = [
    ...of('callbacks', callbacks, { usage: 'server', isSeenByService: true }),
    ...of('chargeNotifications', chargeNotifications?.tls ?? null, { usage: 'server', isSeenByService: true }),
    ...of('api', api.tls, { usage: 'server', isSeenByService: false }),
    ...of('forwarding.clientCertificate', forwarding.clientCertificate, { usage: 'client', isSeenByService: false }),
  ]
  const isSame = (one: ServerKeyPair, other: ServerKeyPair) =>
    one.certificate === other.certificate && one.privateKey === other.privateKey && one.usage === other.usage
  return all.filter((pair, index) => all.findIndex((other) => isSame(pair, other)) === index)
}

/** A reader of one of these files could impersonate the gateway, its operator or the service. */
export function secretFilesOf(config: Config): NamedFile[] {
  const { operatorTokenFile, oidc } = config.api
  const operator = operatorTokenFile === null ? [] : [{ name: 'api.operatorTokenFile', file: operatorTokenFile }]
  const ofService = config.service.flatMap(serviceFilesOf).filter(({ isSecret }) => isSecret)
  const ofDatabase = databaseFilesOf(config, 'passwordFile')
  return uniqueFiles([
    ...keyFilesOf(config),
    ...operator,
    ...(oidc === null ? [] : [{ name: 'api.oidc.clientSecretFile', file: oidc.clientSecretFile }]),
    ...ofDatabase,
    ...ofService,
    ...alarmFilesOf(config).filter(({ isSecret }) => isSecret),
    ...filesReadAtStart(config.file),
  ])
}

/** A file that PostgreSQL needs. */
function databaseFilesOf({ storage }: Config, key: 'passwordFile' | 'authorities'): NamedFile[] {
  const file = 'file' in storage.database ? null : storage.database[key]
  return file === null || file === undefined ? [] : [{ name: `storage.${key}`, file }]
}

interface UsedFile extends NamedFile {
  readonly isSecret: boolean
}

/** The files of an entry of the section `service`. */
export function serviceFilesOf(entry: ServiceConfig): UsedFile[] {
  const { environment, certificate: files, authorities, clientSecretFile } = entry
  const of = (key: string, file: string | null, isSecret: boolean) =>
    file === null ? [] : [{ name: `${serviceKeyOf(environment)}.${key}`, file, isSecret }]
  const all = [...of('clientSecret', clientSecretFile, true), ...of('authorities', authorities, false)]
  if (files === null) return all
  if ('pkcs12' in files)
    return [...all, ...of('certificate', files.pkcs12, true), ...of('passwordFile', files.passwordFile, true)]
  return [...all, ...of('certificate', files.certificate, false), ...of('privateKey', files.privateKey, true)]
}

/** Who reads one of these can send in the name of the gateway, or silence who waits for its heartbeat. */
export function alarmFilesOf({ alarms }: Config): UsedFile[] {
  if (alarms === null) return []
  const of = (key: string, file: string | null, isSecret = true) =>
    file === null ? [] : [{ name: `alarms.${key}`, file, isSecret }]
  return [
    ...of('heartbeatFile', alarms.heartbeatFile),
    ...alarms.channels.flatMap((channel) => {
      if (channel.kind === 'webhook') return of(`${channel.name}.webhookFile`, channel.urlFile)
      if (channel.kind === 'command') return []
      const { passwordFile, authorities } = channel.smtp
      return [
        ...of(`${channel.name}.smtp.passwordFile`, passwordFile),
        ...of(`${channel.name}.smtp.authorities`, authorities, false),
      ]
    }),
  ]
}

export function keyFilesOf(config: Config): NamedFile[] {
  return ownCertificatesOf(config).map(({ section, privateKey }) => ({
    name: `${section}.privateKey`,
    file: privateKey,
  }))
}

/** A writer of one of these files decides which callers are accepted, or which certificate is sent. */
export function trustedFilesOf(config: Config): NamedFile[] {
  const chains = config.callbacks.trust.flatMap(({ chain, environment }) =>
    readableFilesOf(chain).map((file) => ({ name: `chain of ${environment}`, file })),
  )
  const certificates = ownCertificatesOf(config).map(({ section, certificate }) => ({
    name: `${section}.certificate`,
    file: certificate,
  }))
  const lists = config.callbacks.trust.flatMap(({ crl, environment }) =>
    crl.map((file) => ({ name: `revocation list of ${environment}`, file })),
  )
  const { clientCa, clientCrl } = config.api
  const clients = [
    ...(clientCa === null ? [] : [{ name: 'api.clientCa', file: clientCa }]),
    ...clientCrl.map((file) => ({ name: 'api.clientCrl', file })),
  ]
  return uniqueFiles([...chains, ...lists, ...certificates, ...clients, ...databaseFilesOf(config, 'authorities')])
}

/** The same of the sections `service` and `alarms`: without them the gateway starts nevertheless. */
export function trustedServiceFilesOf(config: Config): NamedFile[] {
  const all = [...config.service.flatMap(serviceFilesOf), ...alarmFilesOf(config)]
  return uniqueFiles(all.filter(({ isSecret }) => !isSecret))
}

/** Empty if the folder cannot be read, which the trust findings report. */
function readableFilesOf(chain: string): string[] {
  try {
    return activeFilesOf(chain)
  } catch {
    return []
  }
}

/** Whether the configuration file itself contains secrets. */
export function hasInlineSecrets(file: string): boolean {
  const alarms = at(readYaml(file).value, 'alarms')
  return (
    destinationsIn(file).some((destination) => at(destination, 'secret') !== undefined) ||
    at(alarms, 'heartbeat') !== undefined ||
    listAt(alarms, 'channels').some((channel) => at(channel, 'webhook') !== undefined)
  )
}

/** The loaded configuration has the content of these files, not their paths. */
function filesReadAtStart(file: string): NamedFile[] {
  const charges = at(readYaml(file).value, 'chargeNotifications')
  const tokensOf = (key: string) => listAt(charges, key).map((entry) => at(entry, 'tokenFile'))
  const secrets = destinationsIn(file).map((destination) => at(destination, 'secretFile'))
  const named = (name: string, paths: readonly unknown[]) =>
    paths.filter((path) => typeof path === 'string').map((path) => ({ name, file: placeOf(dirname(file), path) }))
  return [
    ...named('chargeNotifications.tokens', tokensOf('tokens')),
    ...named('chargeNotifications.pathTokens', tokensOf('pathTokens')),
    ...named('destinations.secretFile', secrets),
  ]
}

function destinationsIn(file: string): unknown[] {
  return listAt(readYaml(file).value, 'destinations')
}

function listAt(value: unknown, ...path: string[]): unknown[] {
  const list = at(value, ...path)
  return Array.isArray(list) ? list : []
}

function uniqueFiles(files: readonly NamedFile[]): NamedFile[] {
  return [...new Map(files.toReversed().map((named) => [named.file, named])).values()].toReversed()
}
