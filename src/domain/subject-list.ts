import type { DeliveryRecord } from './delivery.ts'
import type { EventFilter, EventWithBody, SubjectEvents, SubjectKey } from './event-record.ts'
import type { StoreReader } from './store-reader.ts'

/** A payment, charge or registration as it is now. An event without a subject is one by itself. */
export interface ListedSubject {
  /** Newest first, at least one, at most `MOST_EVENTS`. */
  readonly events: readonly EventWithBody[]
  /** It has older events. */
  readonly hasOlder: boolean
  /** Of these events, newest first. */
  readonly deliveries: readonly DeliveryRecord[]
}

export interface SubjectPage {
  readonly subjects: readonly ListedSubject[]
  /** The next page starts with the events before this position. */
  readonly next: number
  /** The list has not reached its end. A page may be short or empty although it is true. */
  readonly more: boolean
}

export interface SubjectListOptions {
  readonly limit: number
  /** Leaves out events as if they did not exist; left out: none. */
  readonly isShown?: (event: EventWithBody) => boolean
  /** Whether the reader sees the subject of the event, and with it that others belong to it; left out: of each event. */
  readonly isNamed?: (event: EventWithBody) => boolean
}

/** Events of a subject in a list. */
const MOST_EVENTS = 10
/** Deliveries of each event of a page, on average. */
const DELIVERIES_EACH = 100
/** Subjects whose events are read at once before it is known how large they are: those of a page of 25. */
const FIRST_SUBJECTS = 64
/** Bytes of payloads that are read for one page, and of the events of its subjects, if the filter names no other number. */
const PAGE_BYTES = 4 * 1024 * 1024
/** Reads of events for one page: a list with few subjects among many events is short, and goes on in the next page. */
const MOST_READS = 20

type Reader = Pick<StoreReader, 'listEvents' | 'listSubjectEvents' | 'listDeliveries'>

interface Found {
  /** Of the event at which the subject has its place in the list. */
  readonly position: number
  readonly events: readonly EventWithBody[]
  readonly hasOlder: boolean
}

/**
 * The subjects that have an event of the filter, each once, at the newest of these events, newest first. A filter by status is one by the newest event of
 * the subject. A subject that changes while a reader goes from page to page moves to the first page.
 */
export async function listSubjects(
  store: Reader,
  filter: EventFilter,
  { limit, isShown = () => true, isNamed = () => true }: SubjectListOptions,
): Promise<SubjectPage> {
  const { mostBytes = PAGE_BYTES, ...rest } = filter
  const walk = { store, filter: rest, isShown, isNamed }
  const found: Found[] = []
  const seen = new Set<string>()
  let { before = Number.MAX_SAFE_INTEGER } = filter
  let bytes = 0
  for (let read = 1; ; read++) {
    const page = await store.listEvents({ ...filter, newestFirst: true, before }, 2 * (limit + 1))
    const fresh = page.events.filter((event) => isShown(event) && isFirst(event, seen, isNamed))
    const { places, left, bytes: ofSubjects } = await placesWithin(mostBytes, fresh, walk)
    found.push(...places)
    bytes += bytesOf(page.events) + ofSubjects
    before = left === null ? page.next : left.position + 1
    const isFull = found.length > limit
    const more = left !== null || page.more
    if (!isFull && more && read < MOST_READS && bytes < mostBytes) continue
    const shown = found.slice(0, limit)
    const subjects = await withDeliveries(store, shown)
    return isFull ? { subjects, next: shown.at(-1)?.position ?? 0, more: true } : { subjects, next: before, more }
  }
}

/** Whether no newer event of the page is about the same subject. */
function isFirst(event: EventWithBody, seen: Set<string>, isNamed: (event: EventWithBody) => boolean): boolean {
  const { subject } = event
  if (subject === null || !isNamed(event)) return true
  const key = textOf({ ...event, subject })
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

function textOf({ kind, environment, subject }: SubjectKey): string {
  return JSON.stringify([kind, environment, subject])
}

interface Walk extends Required<Pick<SubjectListOptions, 'isShown' | 'isNamed'>> {
  readonly store: Reader
  readonly filter: EventFilter
}

/** As many of these events as the bytes allow, at least one. @returns `left`: the first of the others; null: there is none */
async function placesWithin(mostBytes: number, events: readonly EventWithBody[], walk: Walk) {
  const places: Found[] = []
  let bytes = 0
  let taken = 0
  // So large is a subject, as far as its newest event shows.
  let each = (MOST_EVENTS * bytesOf(events)) / events.length
  while (taken < events.length && (taken === 0 || bytes < mostBytes)) {
    const count = Math.min(FIRST_SUBJECTS + 4 * taken, Math.max(1, Math.floor((mostBytes - bytes) / Math.max(1, each))))
    const read = await placesOf(events.slice(taken, taken + count), walk)
    places.push(...read.places)
    bytes += read.bytes
    taken += count
    each = bytes / taken
  }
  return { places, bytes, left: events[taken] ?? null }
}

/** The subjects that have their place in the list at one of these events, and the bytes that were read for them. */
async function placesOf(events: readonly EventWithBody[], walk: Walk): Promise<{ places: Found[]; bytes: number }> {
  const { store, filter, isNamed } = walk
  const keys = events.map((event) =>
    event.subject === null || !isNamed(event) ? null : { ...keyOf(event), subject: event.subject },
  )
  const named = keys.filter((key) => key !== null)
  const histories = named.length === 0 ? [] : await store.listSubjectEvents(named, MOST_EVENTS)
  const byKey = new Map(named.map((key, at) => [textOf(key), histories[at]]))
  const withHistory = events.map((event, at) => ({ event, history: keys[at] ? byKey.get(textOf(keys[at])) : null }))
  const isPlace = await placeTest(withHistory, walk)
  const places = withHistory.flatMap(({ event, history }): Found[] => {
    const { position } = event
    const alone = { position, events: [event], hasOlder: false }
    if (history === null) return [alone]
    // Retention removed them meanwhile.
    if (history === undefined || history.events.length === 0) return []
    const shown = history.events.filter(isNamed)
    // All that are read hide the subject, which this event names.
    if (shown.length === 0) return [alone]
    const isCurrent = shown[0]?.position === position
    if (!isCurrent && (filter.status !== undefined || !isPlace(position, history.positions))) return []
    // Where newer ones are hidden, the number of all would tell of them.
    const isWhole = shown.length === history.events.length
    return [{ position, events: shown, hasOlder: isWhole && history.positions.length > shown.length }]
  })
  return { places, bytes: bytesOf(histories.flatMap((history) => history.events)) }
}

function keyOf({ kind, environment }: EventWithBody) {
  return { kind, environment }
}

interface WithHistory {
  readonly event: EventWithBody
  readonly history: SubjectEvents | null | undefined
}

/** Tells of an event that is not the newest of its subject whether it is the newest that the filter selects. */
async function placeTest(all: readonly WithHistory[], { store, filter, isShown, isNamed }: Walk) {
  const { search, delivery, receivedFrom, receivedTo } = filter
  // Otherwise the filter selects all events of a subject, or none.
  const isByEvent = [search, delivery, receivedFrom, receivedTo].some((one) => one !== undefined)
  const later = all.flatMap(({ event, history }) => laterThan(event.position, history?.positions ?? []))
  const selected = new Set<number>()
  const { before: _, ...rest } = filter
  let before = Math.max(...later) + 1
  for (let read = 0; isByEvent && later.length > 0 && read < MOST_READS; read++) {
    const within = { positions: later, after: Math.min(...later) - 1, before, newestFirst: true }
    const page = await store.listEvents({ ...rest, ...within }, later.length)
    for (const event of page.events) if (isShown(event) && isNamed(event)) selected.add(event.position)
    if (!page.more) break
    before = page.next
  }
  return (position: number, positions: readonly number[]) =>
    isByEvent && !laterThan(position, positions).some((one) => selected.has(one))
}

function laterThan(position: number, positions: readonly number[]): number[] {
  return positions.filter((one) => one > position)
}

async function withDeliveries(store: Reader, found: readonly Found[]): Promise<ListedSubject[]> {
  const positions = found.flatMap(({ events }) => events.map(({ position }) => position))
  if (positions.length === 0) return []
  const deliveries = await store.listDeliveries({ positions, newestFirst: true }, positions.length * DELIVERIES_EACH)
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId)
  return found.map(({ events, hasOlder }) => {
    const own = events.flatMap(({ id }) => byEvent.get(id) ?? [])
    return { events, hasOlder, deliveries: own.toSorted((one, other) => other.deliveryId - one.deliveryId) }
  })
}

function bytesOf(events: readonly EventWithBody[]): number {
  return events.reduce((sum, { body }) => sum + body.length, 0)
}
