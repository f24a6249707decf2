import { ENVIRONMENTS, institutionOf, type Realm, realmOf } from '../domain/realm.ts'
import type { OutageRules } from '../domain/reconcile/outages.ts'
import type { GivingUp } from '../domain/refused-callbacks.ts'
import { type CallerRoutes, compileCallerRoutes } from '../domain/routes.ts'
import { PortariaError } from '../platform/errors.ts'
import { nameOfDatabase } from '../platform/postgres/postgres-address.ts'
import { say } from '../platform/said.ts'
import type { ConfigWithSecrets, Frozen, withoutSecrets } from './schema.ts'

export type { AlarmFormat } from './alarms-schema.ts'
export type { TlsFiles } from './listener-schema.ts'
export type { ConfigWithSecrets } from './schema.ts'

/** The configuration without its secrets, deeply frozen. */
export type Config = Frozen<ReturnType<typeof withoutSecrets>>

/** With the client secrets of the section `service` alone: for the commands that call the service. */
export type ConfigWithServiceSecrets = Omit<Config, 'service'> & Pick<ConfigWithSecrets, 'service'>

export type ConfiguredDestination = Config['destinations'][number]
export type TrustConfig = Config['callbacks']['trust'][number]
export type ChargeNotificationsConfig = NonNullable<Config['chargeNotifications']>
export type ChargesWithTokens = NonNullable<ConfigWithSecrets['chargeNotifications']>
export type OidcConfig = NonNullable<Config['api']['oidc']>
export type StorageConfig = Config['storage']
export type ServiceConfig = Config['service'][number]
export type ServiceWithSecret = ConfigWithSecrets['service'][number]
export type AlarmsConfig = NonNullable<Config['alarms']>
export type AlarmChannelConfig = AlarmsConfig['channels'][number]
export type Mode = Config['mode']
export type LogLevel = Config['log']['level']

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

/** The path of the SQLite database. @throws PortariaError `request_invalid` where the database is PostgreSQL's: with what to do instead */
export function sqliteFileOf({ storage }: Pick<Config, 'storage'>, instead: string): string {
  if ('file' in storage.database) return storage.database.file
  throw new PortariaError(
    'request_invalid',
    say`the database is ${{ database: nameOfDatabase(storage.database) }}: ${{ instead }}`,
  )
}
