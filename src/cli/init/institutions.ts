import { join } from 'node:path'
import { PRESETS, type PresetName, readPreset } from '../../config/presets.ts'
import type { Environment } from '../../domain/realm.ts'
import { hasVariable } from '../../domain/routes.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { suggestion } from '../../platform/suggestion.ts'

/** An institution with a name, to be written. */
export interface NewInstitution {
  readonly name: string
  /** null: none, so its kinds are written. */
  readonly preset: PresetName | null
  readonly kinds: readonly { readonly name: string; readonly path: string }[]
}

/** @param given `bank-a`, or `bank-a:instant-payment` @returns or the mistake, in words */
export function institutionFrom(given: string): NewInstitution | string {
  const [name = '', wanted] = given.split(':', 2)
  if (wanted === undefined) return { name, preset: null, kinds: [{ name: 'payment', path: `/${name}/payment` }] }
  const preset = PRESETS.find((one) => one === wanted)
  if (preset === undefined)
    return `--institution ${given}: there is no preset "${wanted}"${suggestion(wanted, PRESETS)}`
  const kinds = Object.entries(readPreset(preset).institution.kinds)
  return { name, preset, kinds: kinds.map(([kind, { path }]) => ({ name: kind, path: `/${name}${path}` })) }
}

/** Paths of the URLs that are registered: where paths vary, the institution appends them to the URL. */
export function registeredPaths({ name, kinds }: NewInstitution): string[] {
  return [...new Set(kinds.map(({ path }) => (hasVariable(path) ? `/${name}` : path)))]
}

/** A path that its callbacks may have. */
export function samplePath({ kinds }: NewInstitution): string {
  return (kinds[0]?.path ?? '/').replaceAll(/\{[^}]*\}/g, '1')
}

/** The section `institutions`; '': there are none. */
export function institutionsSection(
  institutions: readonly NewInstitution[],
  environments: readonly Environment[],
  t: Speaker,
): string {
  if (institutions.length === 0) return ''
  return `# ${t`Institutions with an account of yours, each with its own chains and kinds. config/portaria.yaml has their other keys.`}
institutions:
${institutions.map((one) => entryOf(one, environments, t)).join('')}
`
}

function entryOf({ name, preset, kinds }: NewInstitution, environments: readonly Environment[], t: Speaker): string {
  const chains = environments.map(
    (environment) => `      - environment: ${environment}\n        chain: ${chainFile(name, environment)}\n`,
  )
  const own =
    preset === null
      ? `    kinds:\n${kinds.map((kind) => `      ${kind.name}: { path: ${kind.path} }\n`).join('')}`
      : `    # ${t`The kinds and the answer, from config/institutions/${{ preset }}.yaml of the program.`}\n    preset: ${preset}\n`
  return `  - name: ${JSON.stringify(name)}\n${own}    trust:\n${chains.join('')}`
}

/** No chain of the unnamed institution has such a file, or one in the folder beside it. */
function chainFile(name: string, environment: Environment): string {
  return join('certs/trust', `${name}-${environment}.pem`)
}

/** Where the chains of institutions are to be had, as far as it is known, as a list; '': it is not. */
export function chainSources(institutions: readonly NewInstitution[], t: Speaker): string {
  const sources = institutions.flatMap(({ name, preset }) =>
    preset === null ? [] : [`- ${name}: ${t.template(readPreset(preset).about.chain)}.\n`],
  )
  return sources.length === 0 ? '' : `${sources.join('')}\n`
}
