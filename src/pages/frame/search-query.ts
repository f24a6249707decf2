import { readLocalTime } from '../../platform/local-time.ts'
import { iso } from '../../platform/time.ts'
import { PAGE_ROWS } from './list-slices.ts'
import { withQuery } from './path-of.ts'

/** What a person typed and chose; '' where nothing. */
export type Typed = Readonly<Record<(typeof FIELDS)[number], string>>

export const FIELDS = [
  'search',
  'kind',
  'institution',
  'environment',
  'status',
  'deliveryState',
  'destination',
  'from',
  'to',
  /** `events`: single events; otherwise payments, each once. */
  'view',
] as const

export function typedIn(query: URLSearchParams): Typed {
  const read = (name: string) => (query.get(name) ?? '').trim()
  return Object.fromEntries(FIELDS.map((name) => [name, read(name)])) as Typed
}

/** The filter of a list of the API, or the fields that cannot be read. */
export function filterOf(typed: Typed) {
  const [from, to] = [momentOf(typed.from, 'first'), momentOf(typed.to, 'last')]
  const problems = (['from', 'to'] as const).filter((name) => (name === 'from' ? from : to) === null)
  if (problems.length > 0) return { problems }
  const deliveryState = typed.deliveryState === '' ? null : typed.deliveryState.split(',')
  const { view: _, ...rest } = typed
  return { filter: { ...rest, deliveryState, from, to } }
}

/** The query of the API for a page of results, or the fields that cannot be read. */
export function asked(typed: Typed, after: string | null) {
  const { filter, problems } = filterOf(typed)
  return filter === undefined ? { problems } : { query: { ...filter, after, limit: PAGE_ROWS } }
}

/** Where a page of results begins. */
export interface Place {
  /** null: at the newest event. */
  readonly after: string | null
  /** Results on the pages before it. */
  readonly seen: number
  /** The pages before it, without the first: their cursors and what was seen before them. */
  readonly back: readonly (readonly [after: string, seen: number])[]
}

const FIRST: Place = { after: null, seen: 0, back: [] }
/** Longer addresses are refused by some programs. */
const MOST_BACK = 50

export function placeIn(query: URLSearchParams): Place {
  const after = query.get('after')
  if (after === null || after === '') return FIRST
  const back = (query.get('back') ?? '').split(',').flatMap((one) => {
    const [cursor = '', seen = ''] = one.split('.')
    return cursor === '' ? [] : [[cursor, countIn(seen)] as const]
  })
  return { after, seen: countIn(query.get('seen')), back: back.slice(-MOST_BACK) }
}

function countIn(text: string | null): number {
  return /^[0-9]{1,9}$/.test(text ?? '') ? Number(text) : 0
}

export function nextPlace({ after, seen, back }: Place, next: string, shown: number): Place {
  const behind = after === null ? [] : [...back, [after, seen] as const]
  return { after: next, seen: seen + shown, back: behind.slice(-MOST_BACK) }
}

/** null: there is no page before it. */
export function previousPlace({ after, back }: Place): Place | null {
  if (after === null) return null
  const [cursor, seen] = back.at(-1) ?? [null, 0]
  return { after: cursor, seen, back: back.slice(0, -1) }
}

/** Path of a page of results. */
export function pagePath(typed: Typed, { after, seen, back }: Place = FIRST): string {
  const chain = back.map(([cursor, before]) => `${cursor}.${before}`).join(',')
  return withQuery('/ui/', { ...typed, after, seen: seen === 0 ? null : seen, back: chain })
}

/** The moment of a time that was typed, as the API takes it; text that is no time stays. */
export function momentText(text: string, edge: 'first' | 'last'): string {
  return momentOf(text, edge) || text
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
