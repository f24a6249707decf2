import { ENVIRONMENTS, type Environment } from '../../domain/realm.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { type Field, type Option, select } from './fields.ts'

/** An environment, with the institution before it if that has a name. */
export function realmText(
  { institution, environment }: { readonly institution: string | null; readonly environment: Environment },
  { frame: { environments } }: Catalogue,
): string {
  return institution === null ? environments[environment] : `${institution}/${environments[environment]}`
}

/** For a select. */
export function environmentOptions({ frame }: Catalogue): readonly Option[] {
  return ENVIRONMENTS.map((one) => [one, frame.environments[one]])
}

/** A filter by institution, only where one has a name. @param chosen a link may name one that is no longer configured */
export function institutionSelect(
  { institutions, words: { common } }: { readonly institutions: readonly string[]; readonly words: Catalogue },
  chosen: string,
): Field | null {
  const names = [...new Set([...institutions, chosen])].filter((name) => name !== '')
  if (names.length === 0) return null
  const options = [['', common.everyInstitution] as const, ...names.map((name) => [name, name] as const)]
  return select('institution', common.institution, { options, chosen })
}
