import type { Destination } from '../../domain/destination.ts'
import { numberedId, parseNumberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'

/**
 * Finds a destination by id or name. Names are unique per owner; those of `owner` take precedence.
 * With `removed`, the last removed destination of a name is found if no other has it.
 * @throws PortariaError `not_found`; `request_invalid` for a name that several clients use
 */
export async function findDestination(
  store: StoreReader,
  idOrName: string,
  options: { removed?: boolean; owner?: string | null } = {},
): Promise<Destination> {
  const { owner = null, ...selection } = options
  const id = parseNumberedId('dst', idOrName)
  const all = await store.listDestinations(selection)
  const found = id === null ? pickNamed(all, idOrName, owner) : all.find((d) => d.id === id)
  if (found === undefined) {
    throw new PortariaError(
      'not_found',
      say`there is no destination ${{ id: idOrName.slice(0, 64) }}: ${{ command: COMMAND }} destinations list shows all`,
    )
  }
  return found
}

/** @throws PortariaError `request_invalid` for an ambiguous name */
export function pickNamed(all: readonly Destination[], name: string, owner: string | null): Destination | undefined {
  const named = all.filter((d) => d.name === name)
  const own = named.filter((d) => d.owner === owner)
  const meant = own.length > 0 ? own : named
  const present = meant.filter(({ state }) => state === 'active' || state === 'paused')
  if (present.length <= 1) return present[0] ?? meant.at(-1)
  const ids = present.map((d) => `${numberedId('dst', d.id)} of ${d.owner ?? 'the operator'}`).join(', ')
  throw new PortariaError(
    'request_invalid',
    say`several clients have a destination named ${{ name }}: use the id (${{ names: ids }})`,
  )
}
