import { readLocalTime } from '../../platform/local-time.ts'
import { iso } from '../../platform/time.ts'
import { withQuery } from '../frame/path-of.ts'

/** What a person typed and chose; '' where nothing. */
export type Typed = Readonly<Record<(typeof FIELDS)[number], string>>

export const FIELDS = ['search', 'kind', 'institution', 'environment', 'status', 'from', 'to'] as const
const PAGE_SIZE = 25

export function typedIn(query: URLSearchParams): Typed {
  const read = (name: string) => (query.get(name) ?? '').trim()
  return Object.fromEntries(FIELDS.map((name) => [name, read(name)])) as Typed
}

/** The query of the API for a page of results, or the fields that cannot be read. */
export function asked(typed: Typed, after: string | null) {
  const [from, to] = [momentOf(typed.from, 'first'), momentOf(typed.to, 'last')]
  const problems = (['from', 'to'] as const).filter((name) => (name === 'from' ? from : to) === null)
  if (problems.length > 0) return { problems }
  const filter = { ...typed, from, to, after }
  return { query: { ...filter, order: 'desc', include: 'deliveries', limit: PAGE_SIZE } }
}

/** Path of a page of results. */
export function pagePath(typed: Typed, after: string | null): string {
  return withQuery('/ui/', { ...typed, after })
}

/**
 * RFC 3339; '' where nothing was typed, null: it is no time. A date alone is a whole day of the gateway's zone.
 * @param edge `last`: the end of that day, which is exclusive in the API
 */
function momentOf(text: string, edge: 'first' | 'last'): string | null {
  if (text === '') return ''
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const reading = readLocalTime(isDay && edge === 'last' ? dayAfter(text) : text)
  return 'value' in reading ? iso(reading.value) : null
}

function dayAfter(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(time) ? day : new Date(time + 86_400_000).toISOString().slice(0, 10)
}
