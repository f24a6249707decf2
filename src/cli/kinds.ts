import { type Config, kindNamesOf } from '../config/config.ts'
import { PortariaError } from '../platform/errors.ts'
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
    throw new PortariaError('request_invalid', `there is no kind "${printable(kind)}": known are ${known.join(', ')}`)
  }
}
