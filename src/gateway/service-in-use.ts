import { dirname } from 'node:path'
import { lostUseOf } from '../certificates/live/client-use.ts'
import type { Loaded } from '../certificates/live/renewal.ts'
import { loadServiceFiles, problemsOfServiceFiles, type ServiceFiles } from '../certificates/live/service-files.ts'
import type { Config, ConfigWithSecrets, ServiceWithSecret } from '../config/config.ts'
import { readClientSecret } from '../config/secret-files.ts'
import type { Realm } from '../domain/realm.ts'
import { PortariaError } from '../platform/errors.ts'

/** An entry of the section `service` as it is in use. */
export interface ServiceInUse {
  readonly settings: ServiceWithSecret
  readonly files: ServiceFiles
}

/** A problem of its files is one of the calls to the service only: receiving and forwarding go on. */
export function readService(config: ConfigWithSecrets, environment: Realm): Loaded<ServiceInUse | null> {
  const entry = config.service.find((one) => one.environment === environment)
  if (entry === undefined) return { value: null, warnings: [] }
  const files = loadServiceFiles(entry)
  const problems = problemsOfServiceFiles(files, Date.now())
  const secret = readClientSecret(dirname(config.file), entry.clientSecretFile)
  if ('value' in secret)
    return { value: { settings: { ...entry, clientSecret: secret.value }, files }, warnings: problems }
  const words = `service.${environment}.clientSecret, ${entry.clientSecretFile}, ${secret.problem}`
  return { value: { settings: entry, files }, warnings: [...problems, words] }
}

/** @throws PortariaError for files that cannot be used where usable ones are in use */
export function readNextService(
  config: ConfigWithSecrets,
  environment: Realm,
  inUse: ServiceInUse | null,
): Loaded<ServiceInUse | null> {
  const loaded = readService(config, environment)
  const [certificates, known] = [certificateOfService(loaded.value), certificateOfService(inUse)]
  const lost = lostUseOf(certificates, known)
  const problems = [...loaded.warnings, ...(lost === null ? [] : [lost])]
  const [problem] = problems
  if (problem !== undefined && isUsable(inUse))
    throw new PortariaError('certificate_invalid', problem, { details: problems })
  return loaded
}

function isUsable(inUse: ServiceInUse | null): boolean {
  if (inUse === null || inUse.settings.clientSecret === '') return false
  return problemsOfServiceFiles(inUse.files, Date.now()).length === 0
}

export function identityOfService(inUse: ServiceInUse | null): string {
  if (inUse === null) return ''
  const { certificate, authorities, authoritiesProblem } = inUse.files
  // A certificate that cannot be used has a problem at all times.
  return JSON.stringify([inUse.settings, certificate?.tls ?? certificate?.problem(0), authorities, authoritiesProblem])
}

export function certificateOfService(inUse: ServiceInUse | null | undefined): string[] {
  return [inUse?.files.certificate?.tls?.cert ?? []].flat()
}

/** The files of the section, to be watched. */
export function serviceFilesOf({ service }: Config): string[] {
  return service.flatMap(({ certificate: files, authorities, clientSecretFile }) => {
    const own = files === null ? [] : 'pkcs12' in files ? [files.pkcs12, files.passwordFile] : Object.values(files)
    return [...own, authorities, clientSecretFile].filter((file) => file !== null)
  })
}
