import { Command, Option } from 'commander'
import { findDestination } from '../api/deliveries/destination-lookup.ts'
import { deliveryHint } from '../api/deliveries/lookup.ts'
import type { triedDeliverySchema } from '../api/deliveries/schema.ts'
import { attemptView } from '../api/deliveries/view.ts'
import type { View } from '../api/http/schema-parts.ts'
import {
  DELIVERY_CHOICES,
  type DeliveryChoice,
  type DeliveryFilter,
  type DeliveryWait,
  wordOf,
} from '../domain/delivery.ts'
import { numberedId, requireDeliveryId } from '../domain/public-id.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { PortariaError } from '../platform/errors.ts'
import { given } from '../platform/given.ts'
import { queryOf } from './asking.ts'
import { askOrRead, withChanges } from './control-client.ts'
import { type DeliveryView, fieldsOf, nextAttemptText, viewsOf, WAITS } from './deliveries/waits.ts'
import { attemptLine } from './events/show.ts'
import { translated } from './language/language.ts'
import { type Listing, NEWEST, pageByPage, pageWith, printList } from './listing/listing.ts'
import { type PeriodOptions, withPeriod } from './listing/period.ts'
import { type ChangeOption, group, type ListOptions, withConfig, withListing, withReason } from './options.ts'
import { action, print, printHint, printLine, printResult, sectionOf } from './output.ts'
import { itemsOf, periodOf } from './remote/lists.ts'

/** Maximum number of attempts that are shown. */
const ATTEMPTS = 500
const LISTING: Listing<DeliveryView> = {
  header: [
    { name: 'created', isTime: true, leftOut: 2 },
    ...['id', 'event', 'destination', 'state'],
    { name: 'attempts', leftOut: 1 },
    { name: 'next attempt', cut: 'right', leftOut: 3 },
    { name: 'last answer', cut: 'right' },
  ],
  rowOf,
  none: 'no deliveries',
}

export function deliveriesCommand(): Command {
  return group('deliveries', [
    listCommand(),
    showCommand(),
    changeCommand(
      'retry',
      'Send a delivery now and restart its schedule; it may be pending, exhausted, canceled or delivered',
    ),
    changeCommand('skip', 'Cancel a delivery; the next one of its subject proceeds'),
  ])
}

interface DeliveryOptions extends ListOptions, PeriodOptions {
  readonly state?: DeliveryChoice
  readonly destination?: string
  readonly subject?: string
}

function listCommand(): Command {
  return withPeriod(withListing(new Command('list'), 50), 'created')
    .description('List deliveries, newest first')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_CHOICES))
    .option('--destination <name>', 'only deliveries to this destination')
    .option('--subject <id>', 'only deliveries of events with this subject')
    .action(action(list))
}

async function list(options: DeliveryOptions): Promise<void> {
  const { state, destination, subject, limit } = options
  await askOrRead(options, {
    ask: (call) => {
      const query = queryOf(Object.assign({ state, destination, subject }, periodOf(options), { order: 'desc' }))
      return printList(itemsOf<DeliveryView>(call, '/v1/deliveries', { query, limit }), LISTING, options)
    },
    read: async (reader, config) => {
      const filter = await filterOf(reader, options)
      const read = async (before: number, limit: number) => {
        const page = await reader.listDeliveries({ ...filter, before, newestFirst: true }, limit)
        return { ...pageWith(page, limit, ({ deliveryId }) => deliveryId), items: await viewsOf(page, config) }
      }
      await printList(pageByPage(read, { limit, from: NEWEST }), LISTING, options)
      if ((await read(NEWEST, 1)).items.length === 0) printHint(await deliveryHint(reader, filter))
    },
  })
}

async function filterOf(reader: StoreReader, options: DeliveryOptions): Promise<DeliveryFilter> {
  const { state, destination, subject, from, to } = options
  const filter = given({ state, subject, createdFrom: from, createdTo: to })
  if (destination === undefined) return filter
  const found = await findDestination(reader, destination, { removed: true })
  return { ...filter, destinationId: found.id }
}

function rowOf(view: DeliveryView) {
  const { createdAt, id, event, destinationName, state, attempts, lastError, reason, lastStatus } = view
  const failure = lastError ?? reason
  return [
    ...[createdAt, id, event, destinationName, wordOf({ state, lastError }), attempts],
    ...[nextAttemptText(view), failure === null ? lastStatus : translated(failure)],
  ]
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description(`Show one delivery with its attempts, at most the latest ${ATTEMPTS}`)
    .argument('<id>', 'the delivery, dlv_…')
    .option('--json', 'print one JSON object')
    .action(action(show))
}

async function show(text: string, options: ChangeOption): Promise<void> {
  const id = requireDeliveryId(text)
  const { latestAttempts, ...delivery } = await askOrRead(options, {
    async ask(call) {
      const shown = await call<View<typeof triedDeliverySchema>>('GET', `/v1/deliveries/${numberedId('dlv', id)}`)
      return { ...shown, latestAttempts: shown.latestAttempts.slice(-ATTEMPTS) }
    },
    async read(reader, config) {
      const found = await reader.listDeliveries({ after: id - 1 }, 1)
      const [delivery] = await viewsOf(found, config)
      if (delivery === undefined || found[0]?.deliveryId !== id)
        throw new PortariaError('not_found', `there is no delivery ${text.slice(0, 64)}`)
      return { ...delivery, latestAttempts: (await reader.listAttempts(id, ATTEMPTS)).map(attemptView) }
    },
  })
  const isCut = (latestAttempts[0]?.attempt ?? 1) > 1
  const latest = isCut
    ? `  ${translated(`the latest ${latestAttempts.length} of ${delivery.attempts} attempts`)}\n`
    : ''
  const shown = [sectionOf('delivery', fieldsOf(delivery)), latest, ...latestAttempts.map(attemptLine)].join('')
  await (options.json === true ? printLine({ ...delivery, latestAttempts }) : print(shown))
}

function changeCommand(verb: 'retry' | 'skip', description: string): Command {
  return withReason(new Command(verb))
    .description(description)
    .argument('<id>', 'the delivery, dlv_…')
    .option('--json', 'print one JSON object')
    .action(
      action(async (id: string, options: ChangeOption) => {
        const path = `/v1/deliveries/${numberedId('dlv', requireDeliveryId(id))}/${verb}`
        const done = await withChanges(options, (call) => call<{ waitsFor?: DeliveryWait | null }>('POST', path))
        const text = verb === 'skip' ? `${id} is skipped\n` : retriedText(id, done.waitsFor ?? null)
        await printResult(options, done, text)
      }),
    )
}

function retriedText(id: string, waitsFor: DeliveryWait | null): string {
  return waitsFor === null ? `${id} is due now\n` : `${id} is pending again; it ${WAITS[waitsFor]}\n`
}
