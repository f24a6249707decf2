import { dirname, resolve } from 'node:path'
import type { Realm } from '../domain/realm.ts'
import { PortariaError } from '../platform/errors.ts'
import { defaultConfigFile } from '../platform/installation.ts'
import type { Config, ConfigWithServiceSecrets } from './config.ts'
import { describeMistakes, wordsForIssue } from './mistakes.ts'
import { withPresets } from './presets.ts'
import { type ConfigWithSecrets, configSchema, toConfig, withoutSecrets } from './schema.ts'
import { readAuthorities, readToken, type SecretReading } from './secret-files.ts'
import { readYaml } from './yaml-source.ts'

/** Path of the configuration file: the option, or PORTARIA_CONFIG, or the file of this installation or clone. */
export function configFile(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return resolve(option || environment.PORTARIA_CONFIG || defaultConfigFile())
}

/**
 * Reads and checks the configuration file and the secrets that it names. The result is deeply frozen. A client secret of the section `service` that
 * cannot be used is empty and no mistake, because it must not stop receiving.
 * @throws PortariaError `configuration_invalid`, with every mistake in its details and never with a secret
 */
export function loadConfig(file: string): ConfigWithSecrets {
  const path = resolve(file)
  return deepFreeze(readFile(path, 'secrets too', 'usable secrets'))
}

/**
 * The same without reading a secret, for commands that use none: a secret that cannot be read is no mistake here. Neither is a CA file of a
 * destination that cannot be used.
 * @throws PortariaError `configuration_invalid`, with every other mistake in its details
 */
export function loadWithoutSecrets(file: string): Config {
  const path = resolve(file)
  return deepFreeze(withoutSecrets(readFile(path, 'no secrets')))
}

/**
 * The same with the client secrets of the section `service`: every other secret is left unread, so that it cannot fail a command that calls the service.
 * @throws PortariaError `configuration_invalid`, with every other mistake in its details
 */
export function loadWithServiceSecrets(file: string): ConfigWithServiceSecrets {
  const path = resolve(file)
  const config = readFile(path, 'no secrets', 'secrets too')
  return deepFreeze({ ...withoutSecrets(config), service: config.service })
}

/**
 * The last token of an environment in `chargeNotifications.tokens`, which new notification URLs get; no other secret is read.
 * @throws PortariaError `configuration_invalid` if there is none, or its file cannot be used
 */
export function loadChargeToken(file: string, environment: Realm): string {
  const path = resolve(file)
  const { chargeNotifications } = readFile(path, 'no secrets')
  const entry = chargeNotifications?.tokens.findLast((one) => one.environment === environment)
  if (entry === undefined) throw invalid(`${path} has no token of ${environment} under chargeNotifications.tokens`)
  // Without reading secrets, the path of the file takes the place of the token.
  const read = readToken(dirname(path), entry.token)
  if ('value' in read) return read.value
  throw invalid(`chargeNotifications.tokens: tokenFile of ${environment} ${read.problem}`)
}

/**
 * Every mistake, those of secrets too; of credentials only while a service runs that could have loaded them. The configuration is null where a
 * mistake is in the file itself.
 */
export function findMistakes(file: string): { readonly config: Config | null; readonly mistakes: readonly string[] } {
  const path = resolve(file)
  const read = (reading: SecretReading) => withoutSecrets(readFile(path, reading))
  try {
    return { config: deepFreeze(read('loaded secrets')), mistakes: [] }
  } catch (error) {
    const mistakes = mistakesOf(error)
    try {
      return { config: deepFreeze(read('no secrets')), mistakes }
    } catch (other) {
      mistakesOf(other)
      return { config: null, mistakes }
    }
  }
}

/** @throws every error that is not of the configuration */
function mistakesOf(error: unknown): readonly string[] {
  if (!(error instanceof PortariaError)) throw error
  return error.details.length > 0 ? error.details : [error.message]
}

/**
 * The same, with the CA files of its destinations read again.
 * @throws PortariaError `configuration_invalid`, with every file that cannot be used
 */
export function withAuthoritiesReadAnew(config: ConfigWithSecrets): ConfigWithSecrets {
  const read = config.authorityFiles.map((place) => ({
    ...place,
    ...readAuthorities(dirname(config.file), place.file),
  }))
  const problems = read.flatMap((one) =>
    'problem' in one ? [`ca of destination ${one.destination}: ${one.file} ${one.problem}`] : [],
  )
  if (problems.length > 0) throw invalid('CA files of destinations cannot be used', problems)
  const pems = new Map(read.map((one) => [one.destination, 'value' in one ? one.value : null]))
  const destinations = config.destinations.map((settings) => {
    return { ...settings, authorities: pems.get(settings.name) ?? settings.authorities }
  })
  return deepFreeze({ ...config, destinations })
}

function readFile(file: string, reading: SecretReading, ofService = reading): ConfigWithSecrets {
  const source = readYaml(file)
  if (source.value === null) throw invalid(`the configuration file ${file} is empty: begin with config/portaria.yaml`)
  const schema = configSchema(dirname(file), reading, ofService)
  const result = schema.safeParse(withPresets(source.value), { error: wordsForIssue })
  if (result.success) return toConfig({ file, sha256: source.sha256 }, schema, result.data)
  const copied = source.copiedCharacters()
  const details = copied.length > 0 ? copied : describeMistakes(result.error.issues, schema, source)
  const count = details.length === 1 ? 'one mistake' : `${details.length} mistakes`
  throw invalid(`the configuration file ${file} has ${count}: config/portaria.yaml explains every key`, details)
}

function invalid(message: string, details: readonly string[] = []): PortariaError {
  return new PortariaError('configuration_invalid', message, { details })
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
