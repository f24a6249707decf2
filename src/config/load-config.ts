import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import { type KindRule, kindDefaults } from '../domain/kinds.ts'
import { type Realm, realmOf } from '../domain/realm.ts'
import { type Retention, shortestWindowMs } from '../domain/retention.ts'
import { searchRuleOf } from '../domain/search/search-rule.ts'
import { PortariaError } from '../platform/errors.ts'
import { defaultConfigFile } from '../platform/installation.ts'
import type { DatabaseAddress } from '../platform/postgres/postgres-address.ts'
import { toAlarms } from './alarms-schema.ts'
import type {
  CallbacksConfig,
  ChargesWithTokens,
  Config,
  ConfigWithSecrets,
  ConfigWithServiceSecrets,
  InstitutionConfig,
  ListenerLimits,
  TlsFiles,
} from './config.ts'
import { describeMistakes, wordsForIssue } from './mistakes.ts'
import { toOidc } from './oidc-schema.ts'
import { withPresets } from './presets.ts'
import { configSchema, type ParsedConfig } from './schema.ts'
import { readAuthorities, readToken, type SecretReading } from './secret-files.ts'
import { toService } from './service-schema.ts'
import { readYaml, type YamlSource } from './yaml-source.ts'

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

function withoutSecrets({
  api,
  chargeNotifications: charges,
  destinations,
  service,
  ...config
}: ConfigWithSecrets): Config {
  return {
    ...config,
    api: { ...api, oidc: api.oidc && withoutSecret(api.oidc) },
    chargeNotifications: charges && {
      ...charges,
      tokens: charges.tokens.map(({ token, ...entry }) => entry),
      pathTokens: charges.pathTokens.map(({ token, ...entry }) => entry),
    },
    destinations: destinations.map(({ secrets, ...destination }) => destination),
    service: service.map(withoutSecret),
  }
}

function withoutSecret<T extends { readonly clientSecret: string }>({ clientSecret, ...others }: T) {
  return others
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
  return toConfig(file, source.sha256, check(file, source, reading, ofService))
}

function check(file: string, source: YamlSource, reading: SecretReading, ofService: SecretReading): ParsedConfig {
  if (source.value === null) throw invalid(`the configuration file ${file} is empty: begin with config/portaria.yaml`)
  const schema = configSchema(dirname(file), reading, ofService)
  const result = schema.safeParse(withPresets(source.value), { error: wordsForIssue })
  if (result.success) return result.data
  const copied = source.copiedCharacters()
  const details = copied.length > 0 ? copied : describeMistakes(result.error.issues, schema, source)
  const count = details.length === 1 ? 'one mistake' : `${details.length} mistakes`
  throw invalid(`the configuration file ${file} has ${count}: config/portaria.yaml explains every key`, details)
}

function invalid(message: string, details: readonly string[] = []): PortariaError {
  return new PortariaError('configuration_invalid', message, { details })
}

function toConfig(file: string, sha256: string, parsed: ParsedConfig): ConfigWithSecrets {
  return {
    file,
    sha256,
    mode: parsed.mode,
    callbacks: toCallbacks(parsed),
    institutions: parsed.institutions.map(toInstitution),
    chargeNotifications: toChargeNotifications(parsed.chargeNotifications),
    certificates: { authority: parsed.certificates.authority ?? null },
    api: {
      host: parsed.api.host,
      port: parsed.api.port,
      tls: toTlsFiles(parsed.api),
      hostNames: parsed.api.hostNames.map((name) => name.toLowerCase()),
      publicUrl: parsed.api.publicUrl ?? null,
      clientCertificates: parsed.api.clientCertificates ?? null,
      clientCa: parsed.api.clientCa ?? null,
      clientCrl: parsed.api.clientCrl,
      clientCrlExpired: parsed.api.clientCrlExpired,
      operatorTokenFile: parsed.api.operatorTokenFile ?? null,
      // Without TLS the API is reachable from this machine only.
      metrics: parsed.api.metrics ?? (toTlsFiles(parsed.api) === null ? 'open' : 'protected'),
      pages: parsed.api.pages === 'on' ? { idleEndMs: parsed.api.pagesIdleEnd } : null,
      oidc: parsed.api.oidc === undefined ? null : toOidc(parsed.api.oidc),
      limits: toListenerLimits(parsed.api.limits),
      proxyProtocol: parsed.api.proxyProtocol,
      servicePathSegment: parsed.api.servicePathSegment,
    },
    storage: {
      database: toDatabase(parsed.storage),
      queue: parsed.storage.queue,
      ...toRetention(parsed.storage),
      minFreeSpace: parsed.storage.minFreeSpace,
    },
    node: { name: parsed.node.name ?? hostname(), folder: parsed.node.folder },
    forwarding: toForwarding(parsed.forwarding),
    destinations: parsed.destinations.map((destination) => toDestination(destination, parsed.forwarding)),
    authorityFiles: parsed.destinations.flatMap(({ name, ca }) => (ca ? [{ destination: name, file: ca.file }] : [])),
    service: [
      ...parsed.service.map((entry) => toService(entry, null, Object.keys(parsed.callbacks.kinds ?? {}))),
      ...parsed.institutions.flatMap(({ name, kinds, service }) =>
        service.map((entry) => toService(entry, name, Object.keys(kinds))),
      ),
    ],
    log: parsed.log,
    alarms: toAlarms(parsed.alarms),
    check: { accepted: parsed.check.accepted.map(({ what = null, ...entry }) => ({ ...entry, what })) },
  }
}

function toDatabase({ url, passwordFile, authorities }: ParsedConfig['storage']): DatabaseAddress {
  return 'file' in url
    ? url
    : { url: url.url, passwordFile: passwordFile ?? null, authorities: authorities?.file ?? null }
}

/** A repetition of a removed callback is not recognized, so the default is no longer than retention. */
function toRetention({ retention: { payload, metadata, kinds }, deduplicationWindow }: ParsedConfig['storage']) {
  const ofKind = ([kind, window]: [string, (typeof kinds)[string]]) =>
    [kind, { payloadMs: window.payload ?? payload, metadataMs: window.metadata ?? metadata }] as const
  const retention: Retention = {
    payloadMs: payload,
    metadataMs: metadata,
    kinds: Object.fromEntries(Object.entries(kinds).map(ofKind)),
  }
  const longest = Math.min(DEDUPLICATION_WINDOW_MS, shortestWindowMs(retention))
  return { retention, deduplicationWindowMs: deduplicationWindow ?? longest }
}

const DEDUPLICATION_WINDOW_MS = 40 * 86_400_000

function toCallbacks({ callbacks: parsed, institutions }: ParsedConfig): CallbacksConfig {
  const { trust = [], kinds = {}, limits, ...callbacks } = parsed
  return {
    ...callbacks,
    publicUrl: callbacks.publicUrl ?? null,
    trust: [null, ...institutions].flatMap((one) =>
      (one === null ? trust : (one.trust ?? [])).map((chain) => toChain(one?.name ?? null, chain)),
    ),
    kinds: [null, ...institutions].flatMap((one) =>
      Object.entries(one?.kinds ?? kinds).map((entry) => toKind(one?.name ?? null, entry)),
    ),
    limits: { bodyBytes: limits.body, ...toListenerLimits(limits) },
  }
}

type Institution = ParsedConfig['institutions'][number]

function toChain(
  owner: string | null,
  { environment, certificateUrl, ...chain }: NonNullable<Institution['trust']>[number],
) {
  return { ...chain, environment: realmOf(owner, environment), certificateUrl: certificateUrl ?? null }
}

function toKind(owner: string | null, [name, kind]: [string, Institution['kinds'][string]]): KindRule {
  const { split, subject, status, deduplicateBy, personalData } = kindDefaults(name)
  return {
    institution: owner,
    name,
    path: kind.path,
    split: kind.split ?? [...split],
    subject: kind.subject ?? [...subject],
    status: kind.status ?? [...status],
    deduplicateBy: kind.deduplicateBy ?? [...deduplicateBy],
    accounts: kind.accounts.allow,
    alertAfterMs: kind.alertAfter ?? null,
    search: searchRuleOf(kind.search.exclude, kind.split ?? split),
    personalData: kind.personalData ?? (personalData && [...personalData]),
  }
}

function toInstitution({ name, suffixes, answer, limits, givesUpAfter }: Institution): InstitutionConfig {
  const { status, body = String(status), echoHeaders, validation = null } = answer
  return {
    name,
    suffixes,
    answer: { status, body, echoHeaders, withinMs: limits.answerWithin ?? null, validation },
    givesUpAfterMs: givesUpAfter ?? null,
  }
}

function toListenerLimits(limits: ParsedConfig['api']['limits']): ListenerLimits {
  return {
    headersBytes: limits.headers,
    handshakeTimeoutMs: limits.handshakeTimeout,
    headersTimeoutMs: limits.headersTimeout,
    requestTimeoutMs: limits.requestTimeout,
    keepAliveTimeoutMs: limits.keepAliveTimeout,
    maxConnections: limits.maxConnections,
    connectionsPerAddress: limits.connectionsPerAddress ?? Math.ceil(limits.maxConnections / 4),
  }
}

function toChargeNotifications(parsed: ParsedConfig['chargeNotifications']): ChargesWithTokens | null {
  if (parsed === undefined) return null
  return {
    host: parsed.host,
    port: parsed.port,
    publicUrl: parsed.publicUrl ?? null,
    tls: toTlsFiles(parsed),
    tokens: parsed.tokens.map(toToken),
    pathTokens: parsed.pathTokens.map(({ kind, ...entry }) => ({ ...toToken(entry), kind })),
    allowedAddresses: parsed.allowedAddresses,
    proxyProtocol: parsed.proxyProtocol,
  }
}

function toToken({
  institution,
  environment,
  tokenFile,
}: NonNullable<ParsedConfig['chargeNotifications']>['tokens'][number]) {
  return { environment: realmOf(institution ?? null, environment), token: tokenFile }
}

function toTlsFiles(parsed: { certificate?: string | undefined; privateKey?: string | undefined }): TlsFiles | null {
  const { certificate, privateKey } = parsed
  return certificate === undefined || privateKey === undefined ? null : { certificate, privateKey }
}

function toForwarding(parsed: ParsedConfig['forwarding']): Config['forwarding'] {
  const { maxAge, retryAfterLimit, timeout, catchUpRate, circuit, clientCertificate, ...forwarding } = parsed
  return {
    ...forwarding,
    maxAgeMs: maxAge,
    retryAfterLimitMs: retryAfterLimit,
    timeoutMs: timeout,
    catchUpRate,
    circuit: { failures: circuit.failures, probeIntervalMs: circuit.probeInterval },
    clientCertificate: clientCertificate ?? null,
  }
}

function toDestination(
  parsed: ParsedConfig['destinations'][number],
  forwarding: ParsedConfig['forwarding'],
): ConfigWithSecrets['destinations'][number] {
  return {
    name: parsed.name,
    url: parsed.url,
    kinds: parsed.kinds ?? null,
    environments: parsed.environments ?? null,
    institutions: parsed.institutions ?? null,
    subjects: parsed.subjects ?? null,
    authentication: parsed.authentication,
    format: parsed.format,
    secrets: parsed.secretFile ?? (parsed.secret === undefined ? [] : [parsed.secret]),
    timeoutMs: parsed.timeout ?? forwarding.timeout,
    concurrency: parsed.concurrency ?? forwarding.concurrency,
    rateLimit: parsed.rateLimit ?? null,
    schedule: parsed.schedule ?? null,
    order: parsed.order,
    onExhausted: parsed.onExhausted,
    authorities: parsed.ca?.pem ?? null,
    headers: Object.entries(parsed.headers),
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
