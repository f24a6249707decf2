import { Command, Option } from 'commander'
import { findDestination } from '../api/destinations/destination-routes.ts'
import { attemptView, deliveryView } from '../api/events/serializer.ts'
import { DELIVERY_STATES, type DeliveryFilter, type DeliveryState } from '../domain/delivery.ts'
import { numberedId, requireDeliveryId } from '../domain/public-id.ts'
import type { StoreReader } from '../domain/store.ts'
import { PortariaError } from '../platform/errors.ts'
import { openStoreReader } from '../store/open-store.ts'
import { withControl } from './control-client.ts'
import { type ConfigOption, group, type ListOptions, readConfig, withConfig, withListing } from './options.ts'
import { action, print, printable, printLine, sectionOf, tableOf } from './output.ts'

const PAGE = 500
const HEADER = ['created', 'id', 'event', 'destination', 'state', 'attempts', 'next attempt', 'last answer']

export function deliveriesCommand(): Command {
  return group('deliveries', 'Look at what is owed to destinations, and decide about it', [
    listCommand(),
    showCommand(),
    changeCommand(
      'retry',
      'Send it again now, from the first step of the schedule: pending, exhausted, canceled or delivered',
    ),
    changeCommand('skip', 'Give it up; the next one of its subject goes on'),
  ])
}

interface DeliveryOptions extends ListOptions {
  readonly state?: DeliveryState
  readonly destination?: string
  readonly subject?: string
}

function listCommand(): Command {
  return withListing(new Command('list'), 50)
    .description('List deliveries, newest first')
    .addOption(new Option('--state <state>', 'only those in this state').choices(DELIVERY_STATES))
    .option('--destination <name>', 'only those of this destination')
    .option('--subject <id>', 'only those of events about this business id')
    .action(action(list))
}

async function list(options: DeliveryOptions): Promise<void> {
  const reader = await openStoreReader(readConfig(options).storage.file)
  try {
    const filter = await filterOf(reader, options)
    const rows: ReturnType<typeof rowOf>[] = []
    let left = options.limit
    for (let before = Number.MAX_SAFE_INTEGER; left > 0; ) {
      const page = await reader.listDeliveries({ ...filter, before, newestFirst: true }, Math.min(left, PAGE))
      for (const delivery of page.map(deliveryView)) {
        if (options.json === true) await printLine(delivery)
        else rows.push(rowOf(delivery))
      }
      left -= page.length
      const last = page.at(-1)
      if (last === undefined) break
      before = last.deliveryId
    }
    if (options.json !== true) await print(rows.length === 0 ? 'no deliveries\n' : tableOf(HEADER, rows))
  } finally {
    await reader.close()
  }
}

async function filterOf(reader: StoreReader, options: DeliveryOptions): Promise<DeliveryFilter> {
  const { state, destination, subject } = options
  const filter = { ...(state !== undefined && { state }), ...(subject !== undefined && { subject }) }
  if (destination === undefined) return filter
  const found = await findDestination(reader, destination, { removed: true })
  return { ...filter, destinationId: found.id }
}

function rowOf(d: ReturnType<typeof deliveryView>) {
  return [
    d.createdAt,
    d.id,
    d.event,
    d.destinationName,
    d.state,
    d.attempts,
    d.nextAttemptAt,
    d.lastError ?? d.reason ?? d.lastStatus,
  ]
}

type OneOptions = ConfigOption & { readonly json?: boolean }

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description(`Show one delivery with its attempts, at most the latest ${PAGE}`)
    .argument('<id>', 'the delivery, dlv_…')
    .option('--json', 'as one JSON object')
    .action(action(show))
}

async function show(text: string, options: OneOptions): Promise<void> {
  const id = requireDeliveryId(text)
  const reader = await openStoreReader(readConfig(options).storage.file)
  try {
    const [delivery] = await reader.listDeliveries({ after: id - 1 }, 1)
    if (delivery?.deliveryId !== id) throw new PortariaError('not_found', `there is no delivery ${text.slice(0, 64)}`)
    const tries = (await reader.listAttempts(id, PAGE)).map(attemptView)
    if (options.json === true) return await printLine({ ...deliveryView(delivery), tries })
    await print(sectionOf('delivery', deliveryView(delivery)))
    if ((tries[0]?.attempt ?? 1) > 1) await print(`  the latest ${tries.length} of ${delivery.attempts} attempts\n`)
    for (const t of tries) {
      await print(
        `  attempt ${t.attempt}  ${t.startedAt}  ${t.durationMs} ms  ${t.status ?? 'no answer'}  ${printable(t.error ?? 'delivered')}\n`,
      )
    }
  } finally {
    await reader.close()
  }
}

function changeCommand(verb: 'retry' | 'skip', description: string): Command {
  return withConfig(new Command(verb))
    .description(description)
    .argument('<id>', 'the delivery, dlv_…')
    .option('--json', 'as one JSON object')
    .action(
      action(async (id: string, options: OneOptions) => {
        const path = `/v1/deliveries/${numberedId('dlv', requireDeliveryId(id))}/${verb}`
        const done = await withControl(readConfig(options), (ask) => ask<{ waitsFor?: string | null }>('POST', path))
        if (options.json === true) await printLine(done)
        else await print(verb === 'skip' ? `${id} is skipped\n` : retriedText(id, done.waitsFor ?? null))
      }),
    )
}

function retriedText(id: string, waitsFor: string | null): string {
  return waitsFor === null ? `${id} is due now\n` : `${id} is owed again; it waits for ${waitsFor}\n`
}
