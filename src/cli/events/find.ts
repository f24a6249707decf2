import { Command } from 'commander'
import { searchHint } from '../../api/events/search-pages.ts'
import { eventSummary } from '../../api/events/serializer.ts'
import type { Config } from '../../config/config.ts'
import { type DeliveryCounts, NO_DELIVERIES } from '../../domain/delivery.ts'
import type { EventFilter, EventWithBody } from '../../domain/event-record.ts'
import type { KindRule } from '../../domain/kinds.ts'
import { kindKey } from '../../domain/realm.ts'
import { amountIn, type Decimal } from '../../domain/search/event-amount.ts'
import type { SearchState } from '../../domain/search/search-index.ts'
import { parseSearch, type SearchQuery } from '../../domain/search/search-query.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { shownText } from '../../platform/body-text.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { type ApiCall, askOrRead } from '../control-client.ts'
import { type Listing, NEWEST, type Page, pageByPage, printList } from '../listing/listing.ts'
import { withPeriod } from '../listing/period.ts'
import { type ListOptions, withListing, withRealm } from '../options.ts'
import { action, EXIT, printHint } from '../output.ts'
import { itemsOf, realmText } from '../remote/lists.ts'
import { checkNames, type FilterOptions, filterOf, withDeliveries, withEventKinds } from './filter.ts'
import { type ListedEvent, remoteQueryOf, summaryOf } from './remote.ts'

interface FoundEvent {
  readonly summary: ReturnType<typeof eventSummary>
  readonly amount: Decimal | null
  readonly deliveries: DeliveryCounts
}

const LISTING: Listing<FoundEvent> = {
  header: [
    { name: 'received', isTime: true },
    'id',
    { name: 'kind', leftOut: 1 },
    { name: 'environment', leftOut: 2 },
    { name: 'subject', cut: 'left' },
    { name: 'status', cut: 'right' },
    'amount',
    'delivered',
  ],
  rowOf({ summary, amount, deliveries }) {
    const { receivedAt, id, kind, subject, status } = summary
    return [receivedAt, id, kind, realmText(summary), subject, status, amount, deliveredText(deliveries)]
  },
  viewOf: ({ summary, amount, deliveries }) => ({ ...summary, amount, deliveries }),
  none: 'no event has all of these words',
}

export function findCommand(): Command {
  const command = new Command('find')
    .description(
      'Find events by any value of their payload, newest first: "did this payment arrive, and was it delivered?"',
    )
    .argument(
      '<text...>',
      'words that an event must have: a txid, a CPF, a name, an e-mail address, 150,10, the beginning of an id',
    )
  withDeliveries(withRealm(withEventKinds(command)))
  return withPeriod(withListing(command, 50), 'received')
    .addHelpText('after', '\nExits with 1 if nothing is found. docs/search.md says what is found.')
    .action(action(find))
}

async function find(words: readonly string[], options: ListOptions & FilterOptions): Promise<void> {
  const search = parseSearch(words.join(' '))
  const found = await askOrRead(options, {
    ask: (call) => findRemotely(call, words, options),
    read: (reader, config) => findHere(reader, search, { options, config }),
  })
  if (found === 0) process.exitCode = EXIT.no
}

/** @returns how many */
async function findRemotely(
  call: ApiCall,
  words: readonly string[],
  options: ListOptions & FilterOptions,
): Promise<number> {
  const query = remoteQueryOf(options, { search: words.join(' '), include: 'deliveries' })
  let found = 0
  async function* events() {
    for await (const event of itemsOf<ListedEvent>(call, '/v1/events', { query, limit: options.limit })) {
      found += 1
      const { kind, data, deliveries = NO_DELIVERIES } = event
      yield { summary: summaryOf(event), amount: amountIn({ kind, data }), deliveries }
    }
  }
  await printList(events(), LISTING, options)
  if (found > 0) printHint(lagText(await call<Lag>('GET', '/v1/search').catch(unlessForbidden)))
  return found
}

const UP_TO_DATE = { lagEvents: 0, lagSeconds: 0, isRebuilding: false }

/** Who may search need not see the state of the index. */
function unlessForbidden(error: unknown): Lag {
  if (error instanceof PortariaError && error.code === 'insufficient_scope') return UP_TO_DATE
  throw error
}

/** @returns how many */
async function findHere(
  reader: StoreReader,
  search: SearchQuery,
  { options, config }: { readonly options: ListOptions & FilterOptions; readonly config: Config },
): Promise<number> {
  await checkNames(options, config, reader)
  const filter: EventFilter = { ...filterOf(options), search, newestFirst: true }
  let found = 0
  const read = async (before: number, limit: number) => {
    const page = await pageOf(reader, { ...filter, before }, limit)
    found += page.items.length
    return page
  }
  await printList(pageByPage(read, { limit: options.limit, from: NEWEST }), LISTING, options)
  printHint(lagText(await reader.readSearchState(Date.now())))
  if (found > 0) return found
  printHint(searchHint(search))
  printHint(unindexedText(options, config))
  return 0
}

async function pageOf(reader: StoreReader, filter: EventFilter, limit: number): Promise<Page<FoundEvent>> {
  const { events, ...page } = await reader.listEvents(filter, limit)
  const counted = await reader.countEventDeliveries(events.map(({ position }) => position))
  const items = events.map((event, index) => ({
    summary: eventSummary(event),
    amount: amountIn({ kind: event.kind, data: jsonOf(event) }),
    deliveries: counted[index]?.counts ?? NO_DELIVERIES,
  }))
  return { ...page, items }
}

function jsonOf({ body, contentType }: EventWithBody): unknown {
  try {
    return JSON.parse(shownText(body, contentType))
  } catch {
    // A payload that is no JSON has no amount.
    return null
  }
}

/** `delivered`, or how many deliveries are in each state. */
function deliveredText({ pending, blocked, failing, ...ended }: FoundEvent['deliveries']): string {
  const counts = { failing, waiting: pending - failing + blocked, ...ended }
  const states = Object.entries(counts).filter(([, count]) => count > 0)
  const [first] = states
  if (first === undefined) return 'no destination'
  if (states.length === 1 && first[0] === 'delivered') return 'delivered'
  return states.map(([state, count]) => `${count} ${state}`).join(', ')
}

type Lag = Pick<SearchState, 'lagEvents' | 'lagSeconds' | 'isRebuilding'>

function lagText({ lagEvents, lagSeconds, isRebuilding }: Lag): string | null {
  if (isRebuilding)
    return 'the search index is being made again: what it holds of older events is out of date until then'
  if (lagEvents === 0) return null
  const events = lagEvents === 1 ? 'one event is' : `${lagEvents} events are`
  return `${events} not in the search index yet, the oldest for ${lagSeconds} s: the gateway adds them while it runs ("${COMMAND} events list" shows them)`
}

/** Kinds that the configuration leaves out of the index. */
function unindexedText({ kind: wanted, institution: of }: FilterOptions, { callbacks }: Config): string | null {
  const isAsked = ({ name, institution }: KindRule) =>
    wanted?.includes(name) !== false && (of === undefined || of === institution)
  const kinds = callbacks.kinds.filter((kind) => kind.search === null && isAsked(kind))
  if (kinds.length === 0) return null
  const names = kinds.map(({ institution, name }) => kindKey(institution, name))
  return `the configuration leaves out of the search: ${names.join(', ')} (search: off)`
}
