import { type Config, kindNamesOf } from '../config/config.ts'
import { PortariaError } from '../platform/errors.ts'
import { say } from '../platform/said.ts'
import { suggestion } from '../platform/suggestion.ts'
import { printable } from './output.ts'

/**
 * A misspelt `--kind` would look as if nothing had been received. A kind that is no longer configured is known while data of it is stored.
 * @throws PortariaError `request_invalid` for an unknown kind
 */
export async function checkKinds(
  kinds: readonly string[] | undefined,
  config: Config,
  { beside = [], isKept }: { beside?: readonly string[]; isKept: (kind: string) => Promise<boolean> },
): Promise<void> {
  const known = [...kindNamesOf(config), ...beside]
  for (const kind of kinds ?? []) {
    if (known.includes(kind) || (await isKept(kind))) continue
    throw new PortariaError(
      'request_invalid',
      say`there is no kind "${{ kind: printable(kind) }}": known are ${{ names: known.join(', ') }}`,
    )
  }
}

/** As `checkKinds`. @throws PortariaError `request_invalid` for an unknown institution */
export async function checkInstitution(
  name: string | undefined,
  { institutions }: Config,
  isKept: (filter: { readonly institution: string }) => Promise<boolean>,
): Promise<void> {
  const known = institutions.map((one) => one.name)
  if (name === undefined || known.includes(name) || (await isKept({ institution: name }))) return
  const words = known.length === 0 ? ': the configuration names none' : suggestion(name, known)
  throw new PortariaError('request_invalid', `there is no institution "${printable(name)}"${words}`)
}
