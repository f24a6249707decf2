import type { Config } from '../config/config.ts'
import { PortariaError } from '../platform/errors.ts'
import { printable } from './output.ts'

/**
 * A slip of the pen in `--kind` would look as if nothing had come. A kind that has left the configuration is known while something of it is kept.
 * @throws PortariaError `request_invalid` for a kind that is not known
 */
export async function checkKinds(
  kinds: readonly string[] | undefined,
  { callbacks }: Config,
  { beside = [], isKept }: { beside?: readonly string[]; isKept: (kind: string) => Promise<boolean> },
): Promise<void> {
  const known = [...callbacks.kinds.map(({ name }) => name), ...beside]
  for (const kind of kinds ?? []) {
    if (known.includes(kind) || (await isKept(kind))) continue
    throw new PortariaError('request_invalid', `there is no kind "${printable(kind)}": known are ${known.join(', ')}`)
  }
}
