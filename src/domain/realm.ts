export const ENVIRONMENTS = ['production', 'sandbox'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** In lower case and without accents: our names, and those of the service's documents. */
const ENVIRONMENT_NAMES: Readonly<Record<string, Environment>> = {
  production: 'production',
  producao: 'production',
  sandbox: 'sandbox',
  homologacao: 'sandbox',
}

/** The environment that people name as they are used to: `Produção`, `homologacao`, `SANDBOX`. null: none has this name. */
export function environmentNamed(text: string): Environment | null {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return Object.hasOwn(ENVIRONMENT_NAMES, plain) ? (ENVIRONMENT_NAMES[plain] ?? null) : null
}

/**
 * An environment of one institution: `production`, or `bank-a/production` of the institution `bank-a`. Callers, tokens, duplicates and order never
 * cross it, so it is stored and compared as one value.
 */
export type Realm = Environment | `${string}/${Environment}`

/** @param institution null: that of a configuration which names none */
export function realmOf(institution: string | null, environment: Environment): Realm {
  return institution === null ? environment : `${institution}/${environment}`
}

/** null: the unnamed one. */
export function institutionOf(realm: Realm): string | null {
  const slash = realm.indexOf('/')
  return slash === -1 ? null : realm.slice(0, slash)
}

export function environmentOf(realm: Realm): Environment {
  return realm.slice(realm.indexOf('/') + 1) as Environment
}

/** Both parts, as they are shown. */
export function partsOf(realm: Realm): { readonly institution: string | null; readonly environment: Environment } {
  return { institution: institutionOf(realm), environment: environmentOf(realm) }
}

/** As options of commands. */
export function optionsOf(realm: Realm): string {
  const { institution, environment } = partsOf(realm)
  return `${institution === null ? '' : `--institution ${institution} `}--environment ${environment}`
}

/** Where the configuration has a key of an institution, in texts. */
export function keyOf(institution: string | null, key: 'trust' | 'kinds' | 'suffixes' | 'service'): string {
  if (institution !== null) return `institutions.${institution}.${key}`
  return key === 'service' ? key : `callbacks.${key}`
}

/** The same for the chains of a realm. */
export function trustKeyOf(realm: Realm): string {
  return keyOf(institutionOf(realm), 'trust')
}

/** The same for calls of the service. */
export function serviceKeyOf(realm: Realm): string {
  const { institution, environment } = partsOf(realm)
  return `${keyOf(institution, 'service')}.${environment}`
}

/** By which the rule of a kind is found: names of kinds are unique within an institution. */
export function kindKey(institution: string | null, kind: string): string {
  return institution === null ? kind : `${institution}/${kind}`
}

/** null: unknown, or of none. */
export function partsOrNull(realm: Realm | null): {
  readonly institution: string | null
  readonly environment: Environment | null
} {
  return realm === null ? { institution: null, environment: null } : partsOf(realm)
}

/** The parts of a filter: left out, every institution or environment matches. */
export interface RealmFilter {
  readonly institution?: string | undefined
  readonly environment?: Environment | undefined
}

export function isInRealm({ institution, environment }: RealmFilter, realm: Realm): boolean {
  return (
    (environment === undefined || environment === environmentOf(realm)) &&
    (institution === undefined || institution === institutionOf(realm))
  )
}

/** The parts for a line of the log, where the unnamed institution is left out. */
export function namedParts(realm: Realm): { readonly institution?: string; readonly environment: Environment } {
  const { institution, environment } = partsOf(realm)
  return institution === null ? { environment } : { institution, environment }
}
