import { accessSync, constants, existsSync } from 'node:fs'
import { operatorToken } from '../../api/auth/operator-token.ts'
import { checkConfiguredCertificates } from '../../certificates/development/development.ts'
import { problemsOf, readCertificates } from '../../certificates/files/pem.ts'
import { loadServerCertificate } from '../../certificates/live/server-certificate.ts'
import { readAccountCertificate } from '../../certificates/live/service-files.ts'
import { startReaders } from '../../certificates/live/start-files.ts'
import { createTrustReader } from '../../certificates/trust/trust-reading.ts'
import type { Config, ServiceConfig } from '../../config/config.ts'
import { isMissingCredential } from '../../config/place.ts'
import { reasonOf } from '../../config/secret-files.ts'
import { serviceKeyOf } from '../../domain/realm.ts'
import { alarmFilesOf, keyFilesOf, type NamedFile, serviceFilesOf, trustedFilesOf } from './configured-files.ts'

/** What is wrong with the files that the configuration names, apart from the secrets that reading the configuration has looked at. */
export function mistakesOfFiles(config: Config): string[] {
  const named = [...keyFilesOf(config), ...trustedFilesOf(config), ...filesOfServiceAndAlarms(config)]
  const unreadable = named.flatMap((one) => mistakeOf(one, config) ?? [])
  const isLeftOut = (file: string) =>
    isAbsentForNow(file, config) || unreadable.some((mistake) => mistake.file === file)
  const mistakes = [
    ...unreadable.map(({ text }) => text),
    ...mistakesInside(config, isLeftOut),
    ...operatorTokenMistakes(config),
  ]
  return mistakes.length === 0 ? developmentMistakes(config) : mistakes
}

/** Most of them are named in other words already: said where nothing else is wrong. */
function developmentMistakes({ mode, callbacks }: Config): string[] {
  return mode === 'development' ? [...problemsOfReading(() => checkConfiguredCertificates(callbacks))] : []
}

/** The client secrets of the service are among those that reading the configuration has looked at. */
function filesOfServiceAndAlarms(config: Config): NamedFile[] {
  const ofService = config.service.flatMap((entry) =>
    serviceFilesOf(entry).filter(({ file }) => file !== entry.clientSecretFile),
  )
  return [...ofService, ...alarmFilesOf(config)]
}

/** Development creates missing certificates, chains and the operator token at start. Credentials exist only while the service runs. */
function isAbsentForNow(file: string, { mode }: Config): boolean {
  return isMissingCredential(file) || (mode === 'development' && !existsSync(file))
}

function mistakeOf({ name, file }: NamedFile, config: Config): { file: string; text: string } | null {
  if (isAbsentForNow(file, config)) return null
  try {
    accessSync(file, constants.R_OK)
    return null
  } catch (error) {
    return { file, text: `${name}: ${file} cannot be read: ${reasonOf(error, file)}` }
  }
}

/** What the start says of files that can be read. */
function mistakesInside(config: Config, isLeftOut: (file: string) => boolean): string[] {
  const { callbacks, chargeNotifications, api, forwarding } = config
  const readers = startReaders(config, createTrustReader())
  const pairOf = (files: { readonly certificate: string; readonly privateKey: string } | null | undefined) =>
    files ? [files.certificate, files.privateKey] : []
  const parts: { readonly files: readonly string[]; readonly read: () => unknown }[] = [
    { files: pairOf(callbacks), read: readers.serverCertificate },
    { files: pairOf(chargeNotifications?.tls), read: readers.charges },
    { files: pairOf(api.tls), read: readers.api },
    { files: [api.clientCa ?? [], api.clientCrl].flat(), read: readers.apiClients },
    { files: pairOf(forwarding.clientCertificate), read: () => readClientCertificate(config) },
    ...config.service.flatMap(partsOfService),
  ]
  return [
    ...mistakesOfTrust(config, readers.trust, isLeftOut),
    ...parts.flatMap(({ files, read }) => (files.some(isLeftOut) ? [] : problemsOfReading(read))),
  ]
}

/** One chain that cannot be used closes its own environment: the start goes on, and yet the file is wrong. */
function mistakesOfTrust(
  { callbacks }: Config,
  read: ReturnType<typeof startReaders>['trust'],
  isLeftOut: (file: string) => boolean,
): string[] {
  if (callbacks.trust.every(({ chain }) => isLeftOut(chain))) return []
  try {
    return read()
      .problems.filter(({ file }) => !isLeftOut(file))
      .map(({ environment, problem }) => `chain of ${environment}: ${problem}`)
  } catch (error) {
    return [...problemsOf(error)]
  }
}

function readClientCertificate({ forwarding }: Config): void {
  const { clientCertificate: files } = forwarding
  if (files !== null) loadServerCertificate(files, new Date(), 'forwarding.clientCertificate')
}

function partsOfService({ environment, certificate, authorities }: ServiceConfig) {
  const pair = certificate === null ? [] : Object.values(certificate).filter((file) => file !== null)
  return [
    { files: pair, read: () => certificate && readAccountCertificate(certificate, environment) },
    {
      files: authorities === null ? [] : [authorities],
      read: () => authorities && readCertificates(authorities, `${serviceKeyOf(environment)}.authorities`),
    },
  ]
}

function problemsOfReading(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    return problemsOf(error)
  }
}

function operatorTokenMistakes(config: Config): readonly string[] {
  const { operatorTokenFile: file } = config.api
  return file === null || isAbsentForNow(file, config) ? [] : problemsOfReading(() => operatorToken(file, false))
}
