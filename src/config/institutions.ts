import { type Environment, institutionOf, type Realm, realmOf } from '../domain/realm.ts'
import { PortariaError } from '../platform/errors.ts'
import { say } from '../platform/said.ts'
import { suggestion } from '../platform/suggestion.ts'
import type { Config } from './config.ts'

type WithInstitutions = Pick<Config, 'institutions' | 'service'> & {
  readonly callbacks: Pick<Config['callbacks'], 'trust'>
}

/** The named institutions, after the unnamed one (null) if it has chains or a service. */
export function institutionsOf({ institutions, callbacks, service }: WithInstitutions): (string | null)[] {
  const isUnnamed = [...callbacks.trust, ...service].some(({ environment }) => institutionOf(environment) === null)
  return [...(isUnnamed ? [null] : []), ...institutions.map(({ name }) => name)]
}

/**
 * The institution of this name. Without a name: the unnamed one, or the only one.
 * @throws PortariaError `request_invalid` with the known names
 */
export function institutionNamed(config: WithInstitutions, name: string | null | undefined): string | null {
  const all = institutionsOf(config)
  const known = all.filter((one) => one !== null)
  if (name !== undefined && name !== null) {
    if (known.includes(name)) return name
    const words = known.length === 0 ? ': the configuration names none' : suggestion(name, known)
    throw new PortariaError('request_invalid', `there is no institution "${name}"${words}`)
  }
  const [only] = known
  if (all.includes(null) || only === undefined) return null
  if (known.length === 1) return only
  throw new PortariaError(
    'request_invalid',
    say`institution is missing: the configuration has ${{ names: known.join(', ') }}`,
  )
}

/** @throws as `institutionNamed` */
export function realmNamed(
  config: WithInstitutions,
  { institution, environment }: { readonly institution?: string | null | undefined; readonly environment: Environment },
): Realm {
  return realmOf(institutionNamed(config, institution), environment)
}
