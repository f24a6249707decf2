import { DESTINATION_LIMIT } from '../../domain/destination.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf } from '../frame/answers.ts'
import type { PageRequest } from '../frame/page.ts'
import { sendsManyBy } from '../frame/viewer-rights.ts'
import { type Option, select, textField } from '../parts/fields.ts'
import type { Html } from '../parts/html.ts'

/** Questions to the API at one time. */
const AT_ONCE = 8

interface Had {
  readonly name: string
  /** Of the events, those with a delivery to it. */
  readonly events: readonly string[]
  /** Of these, those that have arrived. */
  readonly delivered: readonly string[]
}

/** The destinations that have deliveries of the events, by their ids. */
async function destinationsOf({ ask }: PageRequest, events: readonly string[]): Promise<ReadonlyMap<string, Had>> {
  const had = new Map<string, Had>()
  for (let from = 0; from < events.length; from += AT_ONCE) {
    const some = events.slice(from, from + AT_ONCE)
    const answers = await Promise.all(some.map((id) => ask('listEventDeliveries', { params: { id } })))
    // An event that was removed meanwhile has none.
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 404) continue
      const event = some[index] ?? ''
      for (const { destination, destinationName: name, state } of jsonOf(answer).data) {
        const { events: earlier, delivered } = had.get(destination) ?? { events: [], delivered: [] }
        const isDelivered = state === 'delivered'
        had.set(destination, {
          name,
          events: [...earlier, event],
          delivered: isDelivered ? [...delivered, event] : delivered,
        })
      }
    }
  }
  return had
}

/** Which of the events a destination has had. @param target its id */
export async function eventsWith(request: PageRequest, events: readonly string[], target: string): Promise<Had> {
  return (await destinationsOf(request, events)).get(target) ?? { name: target, events: [], delivered: [] }
}

/** The destinations to choose from: all that the viewer lists, or those that have had the events. */
function targetsOf(request: PageRequest, events: readonly string[]): Promise<readonly Known[]> {
  const isListed = sendsManyBy(request.viewer) === 'replay' && request.viewer.can('destinations.read')
  return isListed ? allDestinations(request) : destinationsHad(request, events)
}

/** The id of a destination to choose from, by its id or name; null: there is none, or several have the name. */
export async function targetNamed(
  request: PageRequest,
  events: readonly string[],
  value: string,
): Promise<string | null> {
  if (value === '') return null
  const known = (await targetsOf(request, events)).filter(([id, , name]) => id === value || name === value)
  return known.length === 1 ? (known[0]?.[0] ?? null) : null
}

/** Where no destination is known, a field for a name. */
export async function targetField(request: PageRequest, events: readonly string[], value: string): Promise<Html> {
  const { viewer, t } = request
  const known = await targetsOf(request, events)
  const chosen = known.find(([id, , name]) => id === value || name === value)?.[0] ?? ''
  if (known.length === 0 && sendsManyBy(viewer) === 'replay')
    return textField('target', t`Destination`, { value, hint: t`Its name or id.`, isRequired: true })
  const options: readonly Option[] = [['', t`Choose a destination`], ...known.map(([id, text]) => [id, text] as const)]
  return select('target', t`Destination`, { options, chosen, isRequired: true })
}

type Known = readonly [id: string, text: string, name: string]

async function allDestinations({ ask }: PageRequest): Promise<readonly Known[]> {
  const { data } = jsonOf(await ask('listDestinations', { query: { limit: DESTINATION_LIMIT } }))
  return data.map(({ id, name }) => [id, printable(name), name])
}

async function destinationsHad(request: PageRequest, events: readonly string[]): Promise<readonly Known[]> {
  const had = await destinationsOf(request, events)
  const { t } = request
  return [...had].map(([id, one]) => [
    id,
    t`${{ name: printable(one.name) }}: had ${{ count: one.events.length }} of ${{ all: events.length }}`,
    one.name,
  ])
}
