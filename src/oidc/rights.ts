import type { ClientEnvironment } from '../domain/client.ts'
import { opensBothEnvironments, type Scope } from '../domain/scopes.ts'
import type { Claims, OidcRole, OidcSettings } from './settings.ts'

export interface Rights {
  readonly scopes: ReadonlySet<Scope>
  readonly environment: ClientEnvironment
}

/**
 * What a person may do. Of a role with `operations.*`, the configuration demands both environments. The first matching role of the list sets the environments. Further ones add their scopes where they count in all of these
 * environments, so that no scope counts in an environment for which no role gives it: `operations.*` opens both, and is added to both alone.
 * @returns null: no role matches
 */
export function rightsOf(claims: Claims, { claim, roles }: Pick<OidcSettings, 'claim' | 'roles'>): Rights | null {
  const values = valuesAt(claims, claim) ?? []
  const matching = roles.filter(({ value }) => values.includes(value))
  const [first] = matching
  if (first === undefined) return null
  const environment = environmentOf(first)
  const added = matching.filter(
    ({ environments, scopes }) =>
      first.environments.every((one) => environments.includes(one)) &&
      (environment === 'any' || !opensBothEnvironments(scopes)),
  )
  return { scopes: new Set(added.flatMap(({ scopes }) => scopes)), environment }
}

function environmentOf({ environments: [first, ...others] }: OidcRole): ClientEnvironment {
  if (first === undefined) throw new Error('a role without environments')
  return others.some((one) => one !== first) ? 'any' : first
}

/**
 * The texts of a claim: a text alone, or those of a list.
 * @param claim its name, or a path with dots between names (`realm_access.roles`); a claim with exactly this name comes first
 * @returns undefined: there is no such claim
 */
export function valuesAt(claims: Claims, claim: string): readonly string[] | undefined {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : memberAt(claims, claim.split('.'))
  if (found === undefined || found === null) return undefined
  return (Array.isArray(found) ? found : [found]).filter((one) => typeof one === 'string')
}

function memberAt(value: unknown, [name, ...more]: readonly string[]): unknown {
  if (name === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return memberAt((value as Claims)[name], more)
}
