import { Command } from 'commander'
import { EVENT_LISTS } from '../../api/events/contract.ts'
import { SEARCH_READS } from '../../api/search/contract.ts'
import { SUBJECT_LISTS } from '../../api/subjects/contract.ts'
import type { Config } from '../../config/config.ts'
import { type DeliveryCounts, NO_DELIVERIES } from '../../domain/delivery.ts'
import type { KindRule } from '../../domain/kinds.ts'
import { kindKey } from '../../domain/realm.ts'
import { amountIn, type Decimal } from '../../domain/search/event-amount.ts'
import type { SearchState } from '../../domain/search/search-index.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { whereText } from '../../messages/where.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { localText } from '../../platform/local-time.ts'
import type { Asker } from '../asking.ts'
import { withCaller } from '../caller.ts'
import { speakerInUse } from '../language/language.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { withPeriod } from '../listing/period.ts'
import { type ListOptions, withListing, withRealm } from '../options.ts'
import { action, EXIT, printHint } from '../output.ts'
import { chosenRemote } from '../remote/chosen.ts'
import { type ItemOf, listed, realmText } from '../remote/lists.ts'
import { type FilterOptions, withDeliveries, withEventKinds } from './filter.ts'
import { type EventView, queryIn, summaryOf } from './remote.ts'

interface FoundEvent extends EventView {
  readonly amount: Decimal | null
  readonly deliveries: DeliveryCounts
}

/** Single events. */
const EVENTS: Listing<FoundEvent> = {
  columns: [
    { name: 'received', of: 'receivedAt' },
    'id',
    { name: 'kind', leftOut: 1 },
    { name: 'environment', of: realmText, leftOut: 2 },
    { name: 'reference', of: 'subject', cut: 'left' },
    { name: 'status', cut: 'right' },
    'amount',
    { name: 'delivered', of: ({ deliveries }) => deliveredText(deliveries) },
  ],
  none: 'no event has all of these words',
}

type FoundSubject = ItemOf<typeof SUBJECT_LISTS.listSubjects>

/** Payments, charges and registrations, each once. */
function subjectListing(t: Speaker): Listing<FoundSubject> {
  const shown = { timeOf: (iso: string) => localText(Date.parse(iso)), none: t`no destination asked for it` }
  return {
    columns: [
      { name: 'changed', of: 'changedAt' },
      { name: 'reference', of: ({ subject, event }) => subject ?? event, cut: 'left' },
      { name: 'kind', leftOut: 1 },
      { name: 'environment', of: realmText, leftOut: 2 },
      { name: 'payer', cut: 'right', leftOut: 3 },
      'amount',
      { name: 'status', cut: 'right' },
      { name: 'where', of: ({ deliveries }) => whereText(deliveries, t, shown) },
    ],
    none: EVENTS.none,
  }
}

type FindOptions = ListOptions & FilterOptions & { readonly events?: boolean }

export function findCommand(): Command {
  const command = new Command('find')
    .description(
      'Find payments by any value of their callbacks, newest change first: "did this payment arrive, and was it delivered?"',
    )
    .argument(
      '<text...>',
      'words that an event must have: a txid, a CPF, a name, an e-mail address, 150,10, the beginning of an id',
    )
  command.option('--events', 'single events instead of payments, newest first')
  withDeliveries(withRealm(withEventKinds(command)))
  return withPeriod(withListing(command, 50), 'received')
    .addHelpText('after', '\nExits with 1 if nothing is found. docs/search.md says what is found.')
    .action(action(find))
}

async function find(words: readonly string[], options: FindOptions): Promise<void> {
  const query = { ...queryIn(options), search: words.join(' ') }
  const { limit } = options
  const found = await withCaller(options, async (caller) => {
    const subjects = listed(caller, SUBJECT_LISTS.listSubjects, { limit, query })
    const count = options.events
      ? await printCounted(eventsFound(caller, { limit, query: { ...query, include: 'deliveries' } }), EVENTS, options)
      : await printCounted(subjects, subjectListing(await speakerInUse()), options)
    if (count > 0) printHint(lagText(await caller.ask(SEARCH_READS.showSearch).catch(unlessForbidden)))
    return count
  })
  if (found > 0) return
  process.exitCode = EXIT.no
  if (chosenRemote() !== null) return
  const { readConfig } = await import('../config-file.ts')
  printHint(unindexedText(options, readConfig(options)))
}

async function* eventsFound(
  caller: Asker,
  asked: Parameters<typeof listed<typeof EVENT_LISTS.listEvents>>[2],
): AsyncGenerator<FoundEvent> {
  for await (const event of listed(caller, EVENT_LISTS.listEvents, asked)) {
    const { kind, data, deliveries = NO_DELIVERIES } = event
    yield { ...summaryOf(event), amount: amountIn({ kind, data }), deliveries }
  }
}

/** @returns how many */
async function printCounted<T>(items: AsyncIterable<T>, listing: Listing<T>, options: FindOptions): Promise<number> {
  let count = 0
  async function* counted() {
    for await (const item of items) {
      count++
      yield item
    }
  }
  await printList(counted(), listing, options)
  return count
}

const UP_TO_DATE = { lagEvents: 0, lagSeconds: 0, isRebuilding: false }

/** Who may search need not see the state of the index. */
function unlessForbidden(error: unknown): Lag {
  if (error instanceof PortariaError && error.code === 'insufficient_scope') return UP_TO_DATE
  throw error
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
