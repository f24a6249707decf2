import type { QuietHours } from '../domain/alarms/quiet-hours.ts'
import type { SmtpServer } from '../domain/alarms/smtp-server.ts'
import type { DestinationSettings } from '../domain/destination.ts'
import type { KindRule, WantedAnswer } from '../domain/kinds.ts'
import { ENVIRONMENTS, type Environment, institutionOf, type Realm, realmOf } from '../domain/realm.ts'
import type { OutageRules } from '../domain/reconcile/outages.ts'
import type { RetrySchedule } from '../domain/reconcile/retry-windows.ts'
import type { GivingUp } from '../domain/refused-callbacks.ts'
import type { Retention } from '../domain/retention.ts'
import type { RetryPolicy } from '../domain/retry-schedule.ts'
import { type CallerRoutes, compileCallerRoutes } from '../domain/routes.ts'
import type { Scope } from '../domain/scopes.ts'
import type { QuestionPurpose } from '../domain/service/question-purpose.ts'
import type { ServiceInterface } from '../domain/service/service-interfaces.ts'
import type { CallerRules, CallerUsage, CrlExpired, DeniedCallers } from '../domain/trust.ts'
import { PortariaError } from '../platform/errors.ts'
import { type DatabaseAddress, nameOfDatabase } from '../platform/postgres/postgres-address.ts'
import { say } from '../platform/said.ts'
import type { MinFreeSpace } from '../platform/units.ts'
import type { AcceptedFinding } from './finding-codes.ts'

export const MODES = ['production', 'development'] as const
export type Mode = (typeof MODES)[number]

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The configuration without its secrets, deeply frozen. All paths are absolute, all times in ms, all sizes in bytes. */
export interface Config {
  /** The file that it was read from. */
  readonly file: string
  /** SHA-256 of that file, hexadecimal. */
  readonly sha256: string
  /** development: missing certificates and the operator token are created at start. */
  readonly mode: Mode
  readonly callbacks: CallbacksConfig
  /** The named ones. Their chains, kinds and services are in the lists of all: `callbacks.trust`, `callbacks.kinds`, `service`. */
  readonly institutions: readonly InstitutionConfig[]
  /** Of the charge listener, which takes callbacks without a client certificate; null: it is off. */
  readonly chargeNotifications: ChargeNotificationsConfig | null
  /** The folder of the private authority; null: the gateway renews no certificate. */
  readonly certificates: { readonly authority: string | null }
  readonly api: ApiConfig
  readonly storage: StorageConfig
  /** This gateway among several that share a PostgreSQL database. */
  readonly node: NodeConfig
  readonly forwarding: ForwardingConfig
  readonly destinations: readonly ConfiguredDestination[]
  /** The CA files of destinations. */
  readonly authorityFiles: readonly { readonly destination: string; readonly file: string }[]
  /** At most one entry per environment of an institution. */
  readonly service: readonly ServiceConfig[]
  readonly log: { readonly level: LogLevel }
  /** null: nothing is sent. */
  readonly alarms: AlarmsConfig | null
  /** Of `portaria check`. */
  readonly check: { readonly accepted: readonly AcceptedFinding[] }
}

/** The same with the secrets from their files: `serve` alone needs them. */
export interface ConfigWithSecrets extends Config {
  readonly api: ApiWithSecrets
  readonly chargeNotifications: ChargesWithTokens | null
  readonly destinations: readonly DestinationSettings[]
  readonly service: readonly ServiceWithSecret[]
}

/** With the client secrets of the section `service` alone: for the commands that call the service. */
export interface ConfigWithServiceSecrets extends Config {
  readonly service: readonly ServiceWithSecret[]
}

export type ConfiguredDestination = Omit<DestinationSettings, 'secrets'>

/** Paths of PEM files; the certificate's file holds the full chain. */
export interface TlsFiles {
  readonly certificate: string
  readonly privateKey: string
}

/** Of each listener. */
interface BehindProxies {
  /** Networks of load balancers in CIDR notation: from there, and from nowhere else, connections begin with a PROXY protocol header. */
  readonly proxyProtocol: readonly string[]
}

export interface CallbacksConfig extends TlsFiles, BehindProxies {
  readonly host: string
  readonly port: number
  /** What precedes the paths of callbacks in their registered URLs, https, without a slash at the end; null: unknown. */
  readonly publicUrl: string | null
  /** Of every institution; never empty. */
  readonly trust: readonly TrustConfig[]
  /** Of the unnamed institution. */
  readonly suffixes: readonly string[]
  /** Of every institution; never empty. */
  readonly kinds: readonly KindRule[]
  readonly limits: CallbackLimits
}

/** An institution with a name of its own. */
export interface InstitutionConfig {
  readonly name: string
  readonly suffixes: readonly string[]
  readonly answer: WantedAnswer
  /** How long it sends a callback again that was not taken; null: unknown. */
  readonly givesUpAfterMs: number | null
}

/** What the institution may append to a registered URL. */
export function suffixesOf({ callbacks, institutions }: Config, institution: string | null): readonly string[] {
  return institution === null
    ? callbacks.suffixes
    : (institutions.find(({ name }) => name === institution)?.suffixes ?? [])
}

/** Of every institution. */
export function givingUpOf({ institutions }: Pick<Config, 'institutions'>): GivingUp {
  return (realm) => institutions.find(({ name }) => name === institutionOf(realm))?.givesUpAfterMs ?? null
}

/** By which schedules the service sends callbacks again. */
export function outageRulesOf({ service }: Pick<Config, 'service'>): OutageRules {
  const retries = new Set(service.map(({ reconcile }) => reconcile.retries))
  return { retries: retries.size === 0 ? ['short'] : [...retries], isReconciled: service.length > 0 }
}

/** The kind of a caller's institution at a request target. */
export function routesOf(config: Config): CallerRoutes {
  return compileCallerRoutes(config.callbacks.kinds, (institution) => suffixesOf(config, institution))
}

/** Of every institution, each name once. */
export function kindNamesOf({ callbacks }: Config): string[] {
  return [...new Set(callbacks.kinds.map(({ name }) => name))]
}

/** Every realm that the configuration may have. */
export function realmsOf({ institutions }: Config): readonly Realm[] {
  return [null, ...institutions.map(({ name }) => name)].flatMap((institution) =>
    ENVIRONMENTS.map((environment) => realmOf(institution, environment)),
  )
}

export interface TrustConfig {
  readonly environment: Realm
  /** Path of a PEM file, which may have a folder of the same name with further chains beside it, or of such a folder. */
  readonly chain: string
  /** Where the service publishes the chain, https. */
  readonly certificateUrl: string | null
  readonly allow: CallerRules
  readonly deny: DeniedCallers
  /** any: only with an `allow` that is not empty. */
  readonly usage: CallerUsage
  /** Paths of revocation lists, PEM or DER. */
  readonly crl: readonly string[]
  readonly crlExpired: CrlExpired
}

export interface CallbackLimits extends ListenerLimits {
  readonly bodyBytes: number
}

export interface ListenerLimits {
  readonly headersBytes: number
  readonly handshakeTimeoutMs: number
  /** At most the request timeout: otherwise Node refuses to listen. */
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  readonly maxConnections: number
  /** From one IPv4 address, or from one IPv6 /64. */
  readonly connectionsPerAddress: number
}

export interface ChargeNotificationsConfig extends BehindProxies {
  readonly host: string
  readonly port: number
  /** What precedes /charges/TOKEN in the registered URL, https or http, without a slash at the end; null: unknown. */
  readonly publicUrl: string | null
  /** null: plain http. */
  readonly tls: TlsFiles | null
  /** Of charges, at /charges/TOKEN. */
  readonly tokens: readonly { readonly environment: Realm }[]
  /** Of the other kinds, behind their paths. */
  readonly pathTokens: readonly { readonly environment: Realm; readonly kind: string }[]
  /** Networks in CIDR notation; empty: every address. */
  readonly allowedAddresses: readonly string[]
}

export interface ChargesWithTokens extends ChargeNotificationsConfig {
  /** No token occurs twice, here and in `pathTokens` together; one of the two is not empty. */
  readonly tokens: readonly { readonly environment: Realm; readonly token: string }[]
  readonly pathTokens: readonly { readonly environment: Realm; readonly kind: string; readonly token: string }[]
}

export const CLIENT_CERTIFICATES = ['off', 'optional', 'required'] as const
export type ClientCertificates = (typeof CLIENT_CERTIFICATES)[number]

export const PAGES_SWITCH = ['on', 'off'] as const

export const METRICS_ACCESS = ['open', 'protected'] as const
export type MetricsAccess = (typeof METRICS_ACCESS)[number]

export interface ApiConfig extends BehindProxies {
  readonly host: string
  readonly port: number
  /** null: plain http; then the host is a loopback address. */
  readonly tls: TlsFiles | null
  /** Host names for requests without TLS, besides localhost and loopback addresses, in lower case. */
  readonly hostNames: readonly string[]
  /** What precedes /ui/ for people, without a slash at the end; null: unknown. */
  readonly publicUrl: string | null
  /** null: as `optional`, but `required` for the service's own contract below /registration and /payment; only where there is TLS. */
  readonly clientCertificates: ClientCertificates | null
  /** Path of the PEM file with the CAs of client certificates; null: none is requested. */
  readonly clientCa: string | null
  /** Revocation lists of these authorities; empty: nothing is revoked. */
  readonly clientCrl: readonly string[]
  readonly clientCrlExpired: CrlExpired
  /** Path of the file, which is read when the API starts. */
  readonly operatorTokenFile: string | null
  /** Who may read `/metrics`: every caller of the API, or only those with a token. */
  readonly metrics: MetricsAccess
  /** Of the pages below /ui; null: they are not served. */
  readonly pages: { readonly idleEndMs: number } | null
  /** Where people sign in to the pages; null: only here. */
  readonly oidc: OidcConfig | null
  readonly limits: ListenerLimits
  /** The service's name in paths and scopes, `svc` in its documents. */
  readonly servicePathSegment: string
}

/** The sign-in at an OpenID provider. */
export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  /** Path of the file with the client secret. */
  readonly clientSecretFile: string
  /** null: the public authorities. */
  readonly authorities: { readonly file: string; readonly pem: string | null } | null
  /** Of the authorization request. */
  readonly scopes: readonly string[]
  /** Name of the claim with a person's roles, or its path. */
  readonly claim: string
  readonly roles: readonly {
    readonly value: string
    readonly scopes: readonly Scope[]
    readonly environments: readonly Environment[]
  }[]
}

export interface OidcWithSecret extends OidcConfig {
  readonly clientSecret: string
}

export interface ApiWithSecrets extends ApiConfig {
  readonly oidc: OidcWithSecret | null
}

export interface StorageConfig {
  readonly database: DatabaseAddress
  readonly queue: { readonly events: number; readonly bytes: number }
  /** At most the shortest retention window. */
  readonly deduplicationWindowMs: number
  readonly retention: Retention
  /** Free space to keep on the file system of an SQLite database. */
  readonly minFreeSpace: MinFreeSpace
}

export interface NodeConfig {
  /** In logs, metrics and lists; default: the name of the machine. */
  readonly name: string
  /** Folder of this machine that holds the control socket with PostgreSQL. With SQLite it is beside the database. */
  readonly folder: string
}

/** The path of the SQLite database. @throws PortariaError `request_invalid` where the database is PostgreSQL's: with what to do instead */
export function sqliteFileOf({ storage }: Pick<Config, 'storage'>, instead: string): string {
  if ('file' in storage.database) return storage.database.file
  throw new PortariaError(
    'request_invalid',
    say`the database is ${{ database: nameOfDatabase(storage.database) }}: ${{ instead }}`,
  )
}

export interface ForwardingConfig extends RetryPolicy {
  /** Networks in CIDR notation. */
  readonly allowedNetworks: readonly string[]
  readonly timeoutMs: number
  readonly concurrency: number
  /** Deliveries per second of the backlog of a destination that was down; null: unlimited. */
  readonly catchUpRate: number | null
  readonly circuit: { readonly failures: number; readonly probeIntervalMs: number }
  /** Client certificate for destinations; null: none. */
  readonly clientCertificate: TlsFiles | null
}

/** Our side of the conversation with the service, in one environment. */
export interface ServiceConfig {
  readonly environment: Realm
  /** Without a slash at the end; null: the interface is not used. */
  readonly baseAddresses: Readonly<Record<ServiceInterface, string | null>>
  readonly clientId: string
  /** Path of the file with the client secret. */
  readonly clientSecretFile: string
  readonly certificate: ServiceCertificateFiles | null
  /** Path of a PEM file with the authorities of the service's server certificates; null: the public ones. */
  readonly authorities: string | null
  /** Most questions of a purpose in a UTC day; null: unlimited. */
  readonly dailyBudgets: Readonly<Record<QuestionPurpose, number | null>>
  /** Whether tokens of charge callbacks are resolved; false: they are forwarded as they came. */
  readonly resolveTokens: boolean
  /** After this time a token that is not resolved becomes an event. */
  readonly resolveWithinMs: number
  readonly reconcile: ReconcileConfig
}

/** The kinds of an institution by what the service is asked about; null: it is not asked. */
export interface ReconciledKinds {
  readonly payments: string | null
  readonly openings: string | null
  /** Of charges, subscriptions and carnets. */
  readonly charges: string | null
  /** Of received instant payments, which the account's statement counts. */
  readonly statement: string | null
}

/** How the service is asked for what callbacks have not told. Each kind has an interface with a base address. */
export interface ReconcileConfig extends ReconciledKinds {
  readonly everyMs: number
  /** Whether openings are asked about: the answer is the secret of an account. */
  readonly readCredentials: boolean
  /** After this time without an event an expected id is silent; null: it is learned. */
  readonly silentAfterMs: number | null
  /** After this time an id that the service does not know is asked about no more. */
  readonly giveUpAfterMs: number
  /** How the service sends a callback again that was not taken. */
  readonly retries: RetrySchedule
}

/** A PEM pair, or a .p12 file with both. */
export type ServiceCertificateFiles =
  | TlsFiles
  | {
      readonly pkcs12: string
      /** Path of the file with its password; null: the empty password. */
      readonly passwordFile: string | null
    }

export interface ServiceWithSecret extends ServiceConfig {
  /** Empty: its file cannot be used. */
  readonly clientSecret: string
}

export const ALARM_LANGUAGES = ['en', 'pt'] as const

export const ALARM_FORMATS = ['slack', 'teams', 'telegram', 'discord', 'json'] as const
export type AlarmFormat = (typeof ALARM_FORMATS)[number]

export interface AlarmsConfig {
  readonly language: (typeof ALARM_LANGUAGES)[number]
  readonly groupMs: number
  readonly quietHours: QuietHours | null
  /** Counts as a secret; null: none is sent, or its file has it. */
  readonly heartbeat: string | null
  /** Path of a file with the address, which is read for each beat. */
  readonly heartbeatFile: string | null
  readonly heartbeatEveryMs: number
  readonly channels: readonly AlarmChannelConfig[]
}

export type AlarmChannelConfig = EmailChannel | WebhookChannel | CommandChannel

export interface EmailChannel {
  readonly name: string
  readonly kind: 'email'
  readonly to: readonly string[]
  readonly from: string
  readonly smtp: SmtpServer
}

export interface WebhookChannel {
  readonly name: string
  readonly kind: 'webhook'
  /** Counts as a secret; null: its file has it. */
  readonly url: string | null
  /** Path of a file with the address, which is read for each message. */
  readonly urlFile: string | null
  readonly format: AlarmFormat
}

export interface CommandChannel {
  readonly name: string
  readonly kind: 'command'
  /** The whole path of a program, and its arguments. */
  readonly command: readonly string[]
}
