import { Command, Option } from 'commander'
import { DELIVERY_CHANGES, DELIVERY_READS } from '../api/deliveries/contract.ts'
import type { AnswerOf } from '../api/http/contract.ts'
import { DELIVERY_CHOICES, type DeliveryWait, wordOf } from '../domain/delivery.ts'
import { withCaller } from './caller.ts'
import type { DeliveryView } from './deliveries/waits.ts'
import { speakerInUse, translated } from './language/language.ts'
import type { Listing } from './listing/listing.ts'
import { withPeriod } from './listing/period.ts'
import { type ConfigOption, type ListOptions, remoteGroup, withConfig, withListing, withReason } from './options.ts'
import { action, print, printLine, sectionOf } from './output.ts'
import { changes, lists } from './plain-actions.ts'

/** Maximum number of attempts that are shown. */
const ATTEMPTS = 500
function listingFor(nextAttempt: (view: DeliveryView) => string | null): Listing<DeliveryView> {
  return {
    columns: [
      { name: 'created', of: 'createdAt', leftOut: 2 },
      ...(['id', 'event'] as const),
      { name: 'destination', of: 'destinationName' },
      { name: 'state', of: wordOf },
      { name: 'attempts', leftOut: 1 },
      { name: 'next attempt', of: nextAttempt, cut: 'right', leftOut: 3 },
      { name: 'last answer', of: lastAnswerOf, cut: 'right' },
    ],
    none: 'no deliveries',
  }
}

function lastAnswerOf({ lastError, reason, lastStatus }: DeliveryView): string | number | null {
  const failure = lastError ?? reason
  return failure === null ? lastStatus : translated(failure)
}

export function deliveriesCommand(): Command {
  return remoteGroup('deliveries', [listCommand(), showCommand(), retryCommand(), skipCommand()])
}

function listCommand(): Command {
  return withPeriod(withListing(new Command('list'), 50), 'created')
    .description('List deliveries, newest first')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_CHOICES))
    .option('--destination <name>', 'only deliveries to this destination')
    .option('--subject <id>', 'only deliveries of events with this subject')
    .action(list)
}

async function list(options: ListOptions): Promise<void> {
  const [{ nextAttemptText }, t] = await Promise.all([import('./deliveries/waits.ts'), speakerInUse()])
  const listing = listingFor((view) => nextAttemptText(view, t))
  await lists(DELIVERY_READS.listDeliveries, listing, { order: 'desc' })(options)
}

function showCommand(): Command {
  return withOne(withConfig(new Command('show')))
    .description(`Show one delivery with its attempts, at most the latest ${ATTEMPTS}`)
    .action(action(show))
}

async function show(id: string, options: ConfigOption): Promise<void> {
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

function retryCommand(): Command {
  return withOne(withReason(new Command('retry')))
    .description('Send a delivery now and restart its schedule; it may be pending, exhausted, canceled or delivered')
    .action(changes(DELIVERY_CHANGES.retryDelivery, retriedText))
}

function skipCommand(): Command {
  return withOne(withReason(new Command('skip')))
    .description('Cancel a delivery; the next one of its subject proceeds')
    .action(changes(DELIVERY_CHANGES.skipDelivery, (_, id) => `${id} is skipped\n`))
}

function withOne(command: Command): Command {
  return command.argument('<id>', 'the delivery, dlv_…').option('--json', 'print one JSON object')
}

const WAITS: Readonly<Record<DeliveryWait, string>> = {
  subject: 'waits for another delivery of its subject',
  resume: 'waits: the destination is paused',
  circuit: 'waits: the destination accepts nothing at the moment',
}

function retriedText({ waitsFor }: AnswerOf<typeof DELIVERY_CHANGES.retryDelivery>, id: string): string {
  return waitsFor === null ? `${id} is due now\n` : `${id} is pending again; it ${WAITS[waitsFor]}\n`
}
