import type { ClientEnvironment } from '../../domain/client.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/realm.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { type Field, type Option, select } from './fields.ts'

export const ENVIRONMENT_TEXTS: Readonly<Record<ClientEnvironment, Said>> = {
  production: say`production`,
  sandbox: say`sandbox`,
  any: say`all environments`,
}

export function environmentText(environment: ClientEnvironment, t: Speaker): string {
  return t.of(ENVIRONMENT_TEXTS[environment])
}

/** An environment, with the institution before it if that has a name. */
export function realmText(
  { institution, environment }: { readonly institution: string | null; readonly environment: Environment },
  t: Speaker,
): string {
  return institution === null ? environmentText(environment, t) : `${institution}/${environmentText(environment, t)}`
}

/** For a select. */
export function environmentOptions(t: Speaker): readonly Option[] {
  return ENVIRONMENTS.map((one) => [one, environmentText(one, t)])
}

/** A filter by environment. */
export function environmentSelect(t: Speaker, chosen: string): Field {
  return select('environment', t`Environment`, { options: [['', t`any`], ...environmentOptions(t)], chosen })
}

/** A filter by institution, only where one has a name. @param chosen a link may name one that is no longer configured */
export function institutionSelect(
  { institutions, t }: { readonly institutions: readonly string[]; readonly t: Speaker },
  chosen: string,
): Field | null {
  const names = [...new Set([...institutions, chosen])].filter((name) => name !== '')
  if (names.length === 0) return null
  const options = [['', t`every institution`] as const, ...names.map((name) => [name, name] as const)]
  return select('institution', t`Institution`, { options, chosen })
}
