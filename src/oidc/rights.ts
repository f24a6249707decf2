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
  const found = claimAt(claims, claim)
  if (found === undefined || found === null) return undefined
  return (Array.isArray(found) ? found : [found]).filter((one) => typeof one === 'string')
}

/** What came as this claim, in words, for a person who has no role. */
export function formOf(claims: Claims, claim: string): string {
  const found = claimAt(claims, claim)
  // OpenID Connect Core 1.0, section 5.6.2: Entra ID does so where a person is in many groups.
  if (memberAt(claims, ['_claim_names', claim]) !== undefined)
    return 'not in the token: it names another place (_claim_names)'
  if (found === undefined || found === null) return 'did not come'
  if (!Array.isArray(found))
    return typeof found === 'object' ? 'an object, not a text or a list of texts' : kindOf(found)
  if (found.length === 0) return 'an empty list'
  const kinds = [...new Set(found.map((one) => (Array.isArray(one) ? 'a list' : kindOf(one))))]
  return `a list of ${found.length}, in which is ${kinds.join(', ')}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  const kind = typeof value
  return kind === 'string' ? 'a text' : kind === 'object' ? 'an object' : `a ${kind}`
}

function claimAt(claims: Claims, claim: string): unknown {
  return Object.hasOwn(claims, claim) ? claims[claim] : memberAt(claims, claim.split('.'))
}

function memberAt(value: unknown, [name, ...more]: readonly string[]): unknown {
  if (name === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return memberAt((value as Claims)[name], more)
}
