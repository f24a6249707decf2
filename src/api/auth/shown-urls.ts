import { type Caller, principalOf } from '../../domain/client.ts'
import type { Destination } from '../../domain/destination.ts'
import { shownUrl } from '../../domain/masking/shown-url.ts'
import type { Scope } from '../../domain/scopes.ts'

/**
 * The URL of a destination as the caller may read it: whole for who may change the destination, else with masked values in its query.
 * @param writing scopes that change it
 */
export function urlFor(
  caller: Caller,
  { url, owner }: Pick<Destination, 'url' | 'owner'>,
  writing: readonly Scope[] = ['destinations.write'],
): string {
  const principal = principalOf(caller)
  if (principal.kind === 'operator') return url
  const { id, scopes } = principal
  const mayChange = writing.some((scope) => scopes.has(scope)) && (owner === id || scopes.has('operations.write'))
  return mayChange ? url : shownUrl(url)
}
