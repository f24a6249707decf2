import { Command, Option } from 'commander'
import { attemptView, deliveryView } from '../api/deliveries/view.ts'
import { findEvent } from '../api/events/lookup.ts'
import { eventSummary, eventText, evidenceView } from '../api/events/serializer.ts'
import { filterHint, TRAITS_LIMIT } from '../api/http/filter-hint.ts'
import { type Config, kindNamesOf } from '../config/config.ts'
import { EVENT_ORDERS, type EventOrder } from '../domain/event.ts'
import type { EventFilter, EventRecord } from '../domain/event-record.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { COMMAND } from '../platform/installation.ts'
import { preciseLocalText } from '../platform/local-time.ts'
import { iso } from '../platform/time.ts'
import { type ApiCall, askOrRead, withChanges } from './control-client.ts'
import { fieldsOf, NO_PROBES, nextProbesOf } from './deliveries/waits.ts'
import { showProof } from './event-proof.ts'
import type { FilterOptions } from './events/filter.ts'
import { checkNames, filterOf, withFilters } from './events/filter.ts'
import { findCommand } from './events/find.ts'
import { printBody, printEvidence } from './evidence.ts'
import { follow, type Listing, NEWEST, OLDEST, type Page, pageByPage, printList } from './listing/listing.ts'
import { withPeriod } from './listing/period.ts'
import {
  type ChangeOption,
  type ConfigOption,
  group,
  type ListOptions,
  readConfig,
  withConfig,
  withListing,
  withReason,
} from './options.ts'
import { action, print, printable, printableJson, printHint, printResult, sectionOf } from './output.ts'
import { withReader } from './reader.ts'
import { itemsOf, periodOf, queryOf, realmText } from './remote/lists.ts'

const PAGE = 500
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

/** Without their data, as the database of this machine lists them. */
async function* remoteEvents(call: ApiCall, options: ListOptions & FilterOptions & { readonly order: EventOrder }) {
  const { kind, institution, environment, subject, status, state, destination, order, limit } = options
  const filter = { kind, institution, environment, subject, status, deliveryState: state, destination }
  const query = queryOf(Object.assign(filter, periodOf(options), { order }))
  type Listed = EventView & { contentType?: unknown; data?: unknown; dataBase64?: unknown }
  for await (const event of itemsOf<Listed>(call, '/v1/events', { query, limit })) {
    const { contentType: _, data: __, dataBase64: ___, ...view } = event
    yield view
  }
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

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one event: its data, its caller, and its deliveries with every attempt')
    .argument('<id>', 'the event, evt_…')
    .option('--json', 'print one JSON object')
    .option('--raw', 'print only the request body, byte for byte')
    .option('--evidence', 'show what proves the event: every hashed field, the hashes, the peer certificate')
    .action(action(show))
}

interface ShowOptions extends ConfigOption {
  readonly raw?: boolean
  readonly evidence?: boolean
}

async function show(id: string, options: ShowOptions): Promise<void> {
  await withReader(readConfig(options), async (reader, config) => {
    if (options.evidence === true) return showProof(reader, id, options)
    const found = await findEvent(reader, id)
    if (options.raw === true) return printBody(found.evidence)
    const deliveries = await deliveriesOf(reader, found.event, config)
    await (options.json === true ? printJson(found, deliveries) : printText(found, deliveries))
  })
}

type Found = Awaited<ReturnType<typeof findEvent>>
type Deliveries = Awaited<ReturnType<typeof deliveriesOf>>

async function printJson({ event, evidence, hashes }: Found, deliveries: Deliveries): Promise<void> {
  const rest = JSON.stringify({ evidence: evidenceView(evidence), hashes, deliveries })
  await print(printableJson(`${eventText(event).slice(0, -1)},${rest.slice(1)}\n`))
}

async function printText({ event, evidence }: Found, deliveries: Deliveries): Promise<void> {
  await print(sectionOf('event', eventSummary(event)))
  await printEvidence(evidence, event)
  for (const { latestAttempts, ...delivery } of deliveries) {
    await print(sectionOf(`delivery ${delivery.id}`, fieldsOf(delivery)))
    for (const attempt of latestAttempts) await print(attemptLine(attempt))
  }
}

/** One attempt of a delivery, with the beginning of the response body. */
export function attemptLine(a: ReturnType<typeof attemptView>): string {
  const startedAt = preciseLocalText(Date.parse(a.startedAt))
  const outcome = [a.error ?? 'delivered', ...(a.answer === '' ? [] : [a.answer])].map(printable).join(': ')
  return `  attempt ${a.attempt}  ${startedAt}  ${a.durationMs} ms  ${a.status ?? 'no answer'}  ${outcome}
`
}

/** With every attempt. @param config of the gateway that knows the times of probes; null: they are left out */
export async function deliveriesOf(reader: StoreReader, { position }: EventRecord, config: Config | null) {
  const deliveries = await reader.listDeliveries({ position }, PAGE)
  const nextProbeOf = config === null ? NO_PROBES : await nextProbesOf(deliveries, config)
  return Promise.all(
    deliveries.map(async (delivery) => ({
      ...deliveryView(delivery, nextProbeOf),
      latestAttempts: (await reader.listAttempts(delivery.deliveryId, PAGE)).map(attemptView),
    })),
  )
}

function tailCommand(): Command {
  return withFilters(withConfig(new Command('tail')))
    .description('Show new events as they arrive, until Ctrl-C')
    .option('--json', 'print one JSON object per line')
    .action(action(tail))
}

async function tail(options: ConfigOption & FilterOptions): Promise<void> {
  await withReader(readConfig(options), async (reader, config) => {
    await checkNames(options, config, reader)
    const filter = filterOf(options)
    const after = await reader.latestPosition()
    const read = (after: number, limit: number) => pageOf(reader, { ...filter, after }, limit)
    await follow({ after, read, usual: USUAL }, LISTING, options)
  })
}

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
