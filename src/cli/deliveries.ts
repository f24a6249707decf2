import { Command, Option } from 'commander'
import { DELIVERY_CHANGES, DELIVERY_READS } from '../api/deliveries/contract.ts'
import { DELIVERY_CHOICES, type DeliveryChoice, type DeliveryWait, wordOf } from '../domain/delivery.ts'
import { numberedId, requireDeliveryId } from '../domain/public-id.ts'
import { withCaller, withChanger } from './caller.ts'
import type { DeliveryView } from './deliveries/waits.ts'
import { speakerInUse, translated } from './language/language.ts'
import { type Listing, printList } from './listing/listing.ts'
import { type PeriodOptions, withPeriod } from './listing/period.ts'
import { type ChangeOption, group, type ListOptions, withConfig, withListing, withReason } from './options.ts'
import { action, print, printLine, printResult, sectionOf } from './output.ts'
import { listed, periodOf } from './remote/lists.ts'

/** Maximum number of attempts that are shown. */
const ATTEMPTS = 500
const LISTING: Omit<Listing<DeliveryView>, 'rowOf'> = {
  header: [
    { name: 'created', isTime: true, leftOut: 2 },
    ...['id', 'event', 'destination', 'state'],
    { name: 'attempts', leftOut: 1 },
    { name: 'next attempt', cut: 'right', leftOut: 3 },
    { name: 'last answer', cut: 'right' },
  ],
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
  const query = { state, destination, subject, ...periodOf(options), order: 'desc' }
  const [{ nextAttemptText }, t] = await Promise.all([import('./deliveries/waits.ts'), speakerInUse()])
  const listing = { ...LISTING, rowOf: (view: DeliveryView) => rowOf(view, nextAttemptText(view, t)) }
  await withCaller(options, (caller) =>
    printList(listed(caller, DELIVERY_READS.listDeliveries, { limit, query }), listing, options),
  )
}

function rowOf(view: DeliveryView, nextAttempt: string | null) {
  const { createdAt, id, event, destinationName, state, attempts, lastError, reason, lastStatus } = view
  const failure = lastError ?? reason
  return [
    ...[createdAt, id, event, destinationName, wordOf({ state, lastError }), attempts],
    ...[nextAttempt, failure === null ? lastStatus : translated(failure)],
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
  const id = numberedId('dlv', requireDeliveryId(text))
  const { latestAttempts: all, ...delivery } = await withCaller(options, ({ ask }) =>
    ask(DELIVERY_READS.showDelivery, { segments: { id } }),
  )
  const [{ attemptLine, fieldsOf }, t] = await Promise.all([import('./deliveries/waits.ts'), speakerInUse()])
  const latestAttempts = all.slice(-ATTEMPTS)
  const isCut = (latestAttempts[0]?.attempt ?? 1) > 1
  const latest = isCut
    ? `  ${translated(`the latest ${latestAttempts.length} of ${delivery.attempts} attempts`)}\n`
    : ''
  const shown = [sectionOf('delivery', fieldsOf(delivery, t)), latest, ...latestAttempts.map(attemptLine)].join('')
  await (options.json === true ? printLine({ ...delivery, latestAttempts }) : print(shown))
}

const CHANGES = { retry: DELIVERY_CHANGES.retryDelivery, skip: DELIVERY_CHANGES.skipDelivery }

function changeCommand(verb: 'retry' | 'skip', description: string): Command {
  return withReason(new Command(verb))
    .description(description)
    .argument('<id>', 'the delivery, dlv_…')
    .option('--json', 'print one JSON object')
    .action(
      action(async (id: string, options: ChangeOption) => {
        const done = await withChanger(options, ({ ask }) =>
          ask(CHANGES[verb], { segments: { id: numberedId('dlv', requireDeliveryId(id)) } }),
        )
        const text = 'skipped' in done ? `${id} is skipped\n` : retriedText(id, done.waitsFor)
        await printResult(options, done, text)
      }),
    )
}

const WAITS: Readonly<Record<DeliveryWait, string>> = {
  subject: 'waits for another delivery of its subject',
  resume: 'waits: the destination is paused',
  circuit: 'waits: the destination accepts nothing at the moment',
}

function retriedText(id: string, waitsFor: DeliveryWait | null): string {
  return waitsFor === null ? `${id} is due now\n` : `${id} is pending again; it ${WAITS[waitsFor]}\n`
}
