import type { EventBus } from '../../domain/event-bus.ts'
import type { EventFilter } from '../../domain/event-record.ts'
import { type Cursor, parseCursor } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { invalidRequest, PortariaError } from '../../platform/errors.ts'
import { given } from '../../platform/given.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { eventFilterFor, type StoreFor } from '../auth/store-scope.ts'
import { type Call, endpoint } from '../http/endpoint.ts'
import { type OpenStream, STREAM_TYPE } from '../streams/open-stream.ts'
import type { StreamRegistry } from '../streams/stream-registry.ts'
import { gapAwarePages, NEW_READER } from './gap-aware-pages.ts'
import { eventStreamQuerySchema, eventStreamSchema } from './schema.ts'
import { eventText } from './serializer.ts'
import { startPosition } from './start-position.ts'

export interface EventStreamOptions {
  readonly storeFor: StoreFor
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly streams: Pick<StreamRegistry, 'serve'>
  readonly answers: Pick<BoundedAnswers, 'turnOf'>
}

/**
 * Events of a page: what a caller does not read at once is read again from the store, so that it takes no memory meanwhile. The first page, and one behind
 * a caller that reads slowly, is small, because most of it would be read again.
 */
const PAGE_LIMITS = { least: 4, most: 50 }

const LAST_EVENT_ID = 'last-event-id'

export function streamEvents({ storeFor, bus, streams, answers }: EventStreamOptions) {
  return endpoint({
    method: 'get',
    path: '/v1/events/stream',
    access: ['events.read'],
    tag: 'Events',
    errors: 'problem',
    takesTurn: false,
    summary: 'Follow events as a stream',
    description: [
      'Server-sent events (WHATWG HTML, section 9.2). Oldest first, then each new event as it is stored; every `id` is a cursor, as `next` of the list.',
      'After the stream ends, connect again with the last `id` as `Last-Event-ID`: no event is missed or repeated. Browsers do so by themselves.',
      'The stream ends when the token is no longer valid and when the gateway stops. A comment comes at least every 15 s.',
    ].join(' '),
    query: eventStreamQuerySchema,
    headers: { 'Last-Event-ID': 'The `id` of the last message: the stream continues after it. Replaces `after`.' },
    answers: {
      200: { description: 'Messages until the connection ends.', schema: eventStreamSchema, type: STREAM_TYPE },
      406: { description: 'The request does not accept an event stream.' },
      503: { description: 'The store is unavailable, too many streams are open, or the gateway is stopping.' },
    },
    async run(call) {
      const { after, kind: kinds, from, to, ...others } = call.query
      const filter = eventFilterFor(call, given({ kinds, receivedFrom: from, receivedTo: to, ...others }))
      const store = storeFor(call)
      const start = lastEventId(call) ?? after
      return streams.serve(call, async (stream) => {
        const unsubscribe = bus.subscribe(filter, stream.wake)
        try {
          const position = await startPosition(store, start)
          if (stream.isHead) return stream.begin()
          const gapsReportedAt = typeof start === 'object' ? start.gapsReportedAt : NEW_READER
          const turn = () => answers.turnOf(call)
          await follow(stream, store, { filter, turn, start: { position, gapsReportedAt } })
        } finally {
          unsubscribe()
        }
      })
    },
  })
}

/** Browsers send it when they connect again, to the same URL. @throws PortariaError `request_invalid` */
function lastEventId({ http }: Call): Cursor | null {
  const id = http?.request.get(LAST_EVENT_ID) ?? ''
  if (id === '') return null
  const cursor = parseCursor(id)
  if (cursor === null)
    throw invalidRequest('the header Last-Event-ID is wrong', [{ words: 'send the id of a message of this stream' }])
  return cursor
}

interface Followed {
  readonly filter: EventFilter
  /** As in `BoundedAnswers`, for this client. */
  readonly turn: () => Promise<() => void> | (() => void)
}

interface Place extends Cursor {
  /** The last `id` of a message; null: none was sent. */
  readonly sentId: string | null
  /** More events may be stored. */
  readonly isBehind: boolean
  /** Events of the next page. */
  readonly limit: number
}

async function follow(
  stream: OpenStream,
  store: Pick<StoreReader, 'listEvents'>,
  { turn, ...followed }: Followed & { readonly start: Cursor },
): Promise<void> {
  let place: Place = { ...followed.start, sentId: null, isBehind: true, limit: PAGE_LIMITS.least }
  while (stream.isOpen()) {
    // Streams that a new event wakes share one read.
    const leave = place.isBehind ? await turn() : null
    try {
      place = await sendPage(stream, store, { ...followed, place })
    } finally {
      leave?.()
    }
    if (stream.isFull()) await stream.room()
    else if (!place.isBehind) await stream.next()
  }
}

/** A function of its own: while the caller does not read, no page stays in memory. */
async function sendPage(
  stream: OpenStream,
  store: Pick<StoreReader, 'listEvents'>,
  { filter, place }: Pick<Followed, 'filter'> & { readonly place: Place },
): Promise<Place> {
  const { position, gapsReportedAt, limit } = place
  const pages = gapAwarePages(store, { filter, limit }, { gapsReportedAt, advice: GAP })
  const page = await pages.read(position).catch((error: unknown) => gapOf(error))
  if ('gap' in page) {
    stream.send({ id: page.gap, event: 'gap', data: JSON.stringify({ next: page.gap, detail: GAP }) })
    return { ...(parseCursor(page.gap) ?? place), sentId: page.gap, isBehind: true, limit }
  }
  let { sentId } = place
  let next = position
  for (const event of page.events) {
    next = event.position
    sentId = pages.cursorBehind({ ...page, next })
    stream.send({ id: sentId, event: 'event', data: eventText(event) })
    if (stream.isFull()) break
  }
  if (!stream.isFull()) next = page.next
  const id = pages.cursorBehind({ ...page, next })
  // Also where the filter skips all events, so that a caller that comes back does not read them again.
  if (id !== sentId) stream.send({ id })
  const isBehind = page.more || stream.isFull()
  const nextLimit = stream.isFull() ? PAGE_LIMITS.least : Math.min(PAGE_LIMITS.most, limit * 4)
  return { position: next, gapsReportedAt: pages.gapsReportedAt(), sentId: id, isBehind, limit: nextLimit }
}

/** The cursor that continues after the gap. @throws every other error */
function gapOf(error: unknown): { readonly gap: string } {
  if (error instanceof PortariaError && error.code === 'gone' && error.next !== null) return { gap: error.next }
  throw error
}

const GAP =
  'events after the last id are gone before they were read (retention removed them, or a backup was restored): the stream continues after them'
