import { Command, Option } from 'commander'
import { eventSummary } from '../api/events/serializer.ts'
import { filterHint, TRAITS_LIMIT } from '../api/http/filter-hint.ts'
import { type Config, kindNamesOf } from '../config/config.ts'
import { EVENT_ORDERS, type EventOrder } from '../domain/event.ts'
import type { EventFilter } from '../domain/event-record.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { COMMAND } from '../platform/installation.ts'
import { iso } from '../platform/time.ts'
import { type ApiCall, askOrRead, withChanges } from './control-client.ts'
import type { FilterOptions } from './events/filter.ts'
import { checkNames, filterOf, withFilters } from './events/filter.ts'
import { findCommand } from './events/find.ts'
import { type ListedEvent, remoteQueryOf, summaryOf } from './events/remote.ts'
import { showCommand } from './events/show.ts'
import { follow, type Listing, NEWEST, OLDEST, type Page, pageByPage, printList } from './listing/listing.ts'
import { withPeriod } from './listing/period.ts'
import {
  type ChangeOption,
  type ConfigOption,
  group,
  type ListOptions,
  withConfig,
  withListing,
  withReason,
} from './options.ts'
import { action, printHint, printResult } from './output.ts'
import { itemsOf, realmText } from './remote/lists.ts'
import { remoteTail } from './remote/tail.ts'

type EventView = ReturnType<typeof eventSummary>

const LISTING: Listing<EventView> = {
  header: [
    { name: 'received', isTime: true },
    ...['id', 'kind'],
    { name: 'environment', leftOut: 4 },
    { name: 'subject', cut: 'left' },
    { name: 'status', cut: 'right' },
    { name: 'part', leftOut: 3 },
    { name: 'mark', leftOut: 2 },
    { name: 'duplicates', leftOut: 1 },
  ],
  rowOf,
  none: 'no events',
}
const USUAL = [iso(0), ...[18, 13, 11, 24, 16, 5, 9, 1].map((width) => ' '.repeat(width))]

export function eventsCommand(): Command {
  return group('events', [listCommand(), findCommand(), showCommand(), tailCommand(), replayCommand()])
}

function listCommand(): Command {
  return withPeriod(withFilters(withListing(new Command('list'), 50)), 'received')
    .description('List events, newest first unless --order asc')
    .addOption(
      new Option('--order <order>', 'desc: newest first; asc: oldest first').choices(EVENT_ORDERS).default('desc'),
    )
    .action(action(list))
}

async function list(options: ListOptions & FilterOptions & { readonly order: EventOrder }): Promise<void> {
  await askOrRead(options, {
    ask: (call) => printList(remoteEvents(call, options), LISTING, options),
    read: async (reader, config) => {
      await checkNames(options, config, reader)
      const filter = filterOf(options)
      const isBackward = options.order === 'desc'
      const read = (at: number, limit: number) =>
        pageOf(reader, { ...filter, ...(isBackward ? { before: at, newestFirst: true } : { after: at }) }, limit)
      const from = isBackward ? NEWEST : OLDEST
      await printList(pageByPage(read, { limit: options.limit, from }), LISTING, options)
      if ((await read(from, 1)).items.length === 0) printHint(await hintFor(filter, config, reader))
    },
  })
}

async function* remoteEvents(call: ApiCall, options: ListOptions & FilterOptions & { readonly order: EventOrder }) {
  const query = remoteQueryOf(options, { order: options.order })
  for await (const event of itemsOf<ListedEvent>(call, '/v1/events', { query, limit: options.limit }))
    yield summaryOf(event)
}

async function hintFor(filter: EventFilter, config: Config, reader: StoreReader): Promise<string | null> {
  const kinds = kindNamesOf(config)
  return filterHint(filter, { traits: await reader.listEventTraits(0, TRAITS_LIMIT), kinds })
}

/** The store's page of events as a `Page`. */
async function pageOf(reader: StoreReader, filter: EventFilter, limit: number): Promise<Page<EventView>> {
  const { events, ...page } = await reader.listEvents(filter, limit)
  return { ...page, items: events.map(eventSummary) }
}

function tailCommand(): Command {
  return withFilters(withConfig(new Command('tail')))
    .description('Show new events as they arrive, until Ctrl-C')
    .option('--json', 'print one JSON object per line')
    .action(action(tail))
}

async function tail(options: ConfigOption & FilterOptions): Promise<void> {
  await askOrRead(options, {
    async ask(_, gateway) {
      const isByDelivery = options.state !== undefined || options.destination !== undefined
      const query = remoteQueryOf(options, isByDelivery ? {} : { wait: HELD_S })
      const { read, ...tail } = await remoteTail<ListedEvent>(gateway, { path: '/v1/events', query, isFromNow: true })
      const readSummaries = async (...asked: Parameters<typeof read>) => {
        const page = await read(...asked)
        return { ...page, items: page.items.map(summaryOf) }
      }
      await follow({ ...tail, read: readSummaries, usual: USUAL }, LISTING, options)
    },
    async read(reader, config) {
      await checkNames(options, config, reader)
      const filter = filterOf(options)
      const after = await reader.latestPosition()
      const read = (after: number, limit: number) => pageOf(reader, { ...filter, after }, limit)
      await follow({ after, read, usual: USUAL }, LISTING, options)
    },
  })
}

/** How long the API holds a request without events, in seconds. */
const HELD_S = 25

function rowOf(event: EventView) {
  const { receivedAt, id, kind, subject, status, part, mark, duplicates } = event
  return [receivedAt, id, kind, realmText(event), subject, status, part, mark ?? sourceText(event), duplicates]
}

/** Of what the gateway asked the service for; such an event has no mark. */
function sourceText({ source, unresolved }: EventView): string | null {
  if (unresolved) return 'unresolved'
  return source === 'resolved' || source === 'reconciled' ? source : null
}

function replayCommand(): Command {
  return withReason(new Command('replay'))
    .description('Forward an event again, with the same webhook-id')
    .argument('<id>', 'the event, evt_…')
    .option(
      '--destination <name>',
      'only to this destination, even if the event has no delivery there (default: all that have one)',
    )
    .option('--json', 'print one JSON object')
    .action(action(replay))
}

async function replay(id: string, options: ChangeOption & { destination?: string }): Promise<void> {
  const query = options.destination === undefined ? '' : `?destination=${encodeURIComponent(options.destination)}`
  const path = `/v1/events/${encodeURIComponent(id)}/replay${query}`
  type Replayed = { deliveries: string[]; waiting: string[] }
  const replayed = await withChanges(options, (call) => call<Replayed>('POST', path))
  const { deliveries, waiting } = replayed
  const again = deliveries.filter((delivery) => !waiting.includes(delivery))
  const due = again.length === 0 ? '' : `${id} is due again: ${again.join(', ')}\n`
  const pending = waiting.map(
    (delivery) => `${delivery} is pending already and was not changed: see ${COMMAND} deliveries show ${delivery}\n`,
  )
  await printResult(options, replayed, [due, ...pending].join(''))
}
