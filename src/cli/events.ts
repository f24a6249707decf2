import { Command, Option } from 'commander'
import { EVENT_ACTIONS, EVENT_LISTS } from '../api/events/contract.ts'
import type { AnswerOf } from '../api/http/contract.ts'
import { EVENT_ORDERS, type EventOrder } from '../domain/event.ts'
import { COMMAND } from '../platform/installation.ts'
import { iso } from '../platform/time.ts'
import { withCaller } from './caller.ts'
import { type FilterOptions, withFilters } from './events/filter.ts'
import { findCommand } from './events/find.ts'
import { type EventView, type ListedEvent, queryIn, summaryOf } from './events/remote.ts'
import { showCommand } from './events/show.ts'
import { follow, type Listing, printList } from './listing/listing.ts'
import { withPeriod } from './listing/period.ts'
import { type ConfigOption, type ListOptions, remoteGroup, withConfig, withListing, withReason } from './options.ts'
import { action } from './output.ts'
import { changes } from './plain-actions.ts'
import { listed, realmText } from './remote/lists.ts'
import { tailOf } from './remote/tail.ts'

const LISTING: Listing<EventView> = {
  columns: [
    { name: 'received', of: 'receivedAt' },
    ...(['id', 'kind'] as const),
    { name: 'environment', of: realmText, leftOut: 4 },
    { name: 'subject', cut: 'left' },
    { name: 'status', cut: 'right' },
    { name: 'part', leftOut: 3 },
    { name: 'mark', of: (event) => event.mark ?? sourceText(event), leftOut: 2 },
    { name: 'duplicates', leftOut: 1 },
  ],
  none: 'no events',
}
const USUAL = [iso(0), ...[18, 13, 11, 24, 16, 5, 9, 1].map((width) => ' '.repeat(width))]

export function eventsCommand(): Command {
  return remoteGroup('events', [listCommand(), findCommand(), showCommand(), tailCommand(), replayCommand()])
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
  const query = { ...queryIn(options), order: options.order }
  await withCaller(options, (caller) => {
    const events = listed(caller, EVENT_LISTS.listEvents, { limit: options.limit, query })
    return printList(summariesOf(events), LISTING, options)
  })
}

async function* summariesOf(events: AsyncIterable<ListedEvent>) {
  for await (const event of events) yield summaryOf(event)
}

function tailCommand(): Command {
  return withFilters(withConfig(new Command('tail')))
    .description('Show new events as they arrive, until Ctrl-C')
    .option('--json', 'print one JSON object per line')
    .action(action(tail))
}

async function tail(options: ConfigOption & FilterOptions): Promise<void> {
  const isByDelivery = options.state !== undefined || options.destination !== undefined
  const query = { ...queryIn(options), ...(!isByDelivery && { wait: HELD_S }) }
  await withCaller(options, async (caller) => {
    const { read, ...tail } = await tailOf(caller, EVENT_LISTS.listEvents, { query, isFromNow: true })
    const readSummaries = async (...asked: Parameters<typeof read>) => {
      const page = await read(...asked)
      return { ...page, items: page.items.map(summaryOf) }
    }
    await follow({ ...tail, read: readSummaries, usual: USUAL }, LISTING, options)
  })
}

/** How long the API holds a request without events, in seconds. */
const HELD_S = 25

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
    .action(changes(EVENT_ACTIONS.replayEvent, replayedText))
}

function replayedText({ deliveries, waiting }: AnswerOf<typeof EVENT_ACTIONS.replayEvent>, id: string): string {
  const again = deliveries.filter((delivery) => !waiting.includes(delivery))
  const due = again.length === 0 ? '' : `${id} is due again: ${again.join(', ')}\n`
  const pending = waiting.map(
    (delivery) => `${delivery} is pending already and was not changed: see ${COMMAND} deliveries show ${delivery}\n`,
  )
  return [due, ...pending].join('')
}
