import type { Environment } from '../../domain/realm.ts'
import type { Catalogue } from '../../messages/catalogue.ts'

/** An environment, with the institution before it if that has a name. */
export function ownerText(
  { institution, environment }: { readonly institution: string | null; readonly environment: Environment },
  { certificates: { environments } }: Catalogue,
): string {
  return institution === null ? environments[environment] : `${institution}/${environments[environment]}`
}
