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
  readonly count: number
}

/** The destinations that have deliveries of the events, by their ids. */
async function destinationsOf({ ask }: PageRequest, events: readonly string[]): Promise<ReadonlyMap<string, Had>> {
  const had = new Map<string, Had>()
  for (let from = 0; from < events.length; from += AT_ONCE) {
    const some = events.slice(from, from + AT_ONCE)
    const answers = await Promise.all(some.map((id) => ask('listEventDeliveries', { params: { id } })))
    // An event that was removed meanwhile has none.
    for (const answer of answers.filter(({ status }) => status !== 404))
      for (const [id, name] of new Map(
        jsonOf(answer).data.map((one) => [one.destination, one.destinationName] as const),
      ))
        had.set(id, { name, count: (had.get(id)?.count ?? 0) + 1 })
  }
  return had
}

/** How many of the events a destination has had. @param target its id */
export async function eventsWith(request: PageRequest, events: readonly string[], target: string): Promise<Had> {
  return (await destinationsOf(request, events)).get(target) ?? { name: target, count: 0 }
}

/** The destinations to choose from: all that the viewer lists, or those that have had the events. Where neither is known, a field for a name. */
export async function targetField(request: PageRequest, events: readonly string[], value: string): Promise<Html> {
  const { viewer, words } = request
  const { replays } = words
  const isListed = sendsManyBy(viewer) === 'replay' && viewer.can('destinations.read')
  const known = isListed ? await allDestinations(request) : await destinationsHad(request, events)
  const chosen = known.find(([id, , name]) => id === value || name === value)?.[0] ?? ''
  if (known.length === 0 && sendsManyBy(viewer) === 'replay')
    return textField('target', replays.destination, { value, hint: replays.destinationHint, isRequired: true })
  const options: readonly Option[] = [
    ['', replays.chooseDestination],
    ...known.map(([id, text]) => [id, text] as const),
  ]
  return select('target', replays.destination, { options, chosen })
}

type Known = readonly [id: string, text: string, name: string]

async function allDestinations({ ask }: PageRequest): Promise<readonly Known[]> {
  const { data } = jsonOf(await ask('listDestinations', { query: { limit: DESTINATION_LIMIT } }))
  return data.map(({ id, name }) => [id, printable(name), name])
}

async function destinationsHad(request: PageRequest, events: readonly string[]): Promise<readonly Known[]> {
  const had = await destinationsOf(request, events)
  const { hadEvents } = request.words.replays
  return [...had].map(([id, { name, count }]) => [id, hadEvents(printable(name), count, events.length), name])
}
