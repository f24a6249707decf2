import { Command } from 'commander'
import { CONSUMER_CHANGES, CONSUMER_READS, type ConsumerView } from '../api/consumers/contract.ts'
import { PortariaError } from '../platform/errors.ts'
import { preciseLocalText } from '../platform/local-time.ts'
import { say } from '../platform/said.ts'
import type { Asker } from './asking.ts'
import { withCaller, withChanger } from './caller.ts'
import { type Listing, printList } from './listing/listing.ts'
import { timeOrAge } from './listing/period.ts'
import { type ChangeOption, group, type ListOptions, withConfig, withListing, withReason } from './options.ts'
import { action, printResult, sectionOf } from './output.ts'
import { listed } from './remote/lists.ts'

type OneOptions = ChangeOption & { readonly owner?: string }

export function consumersCommand(): Command {
  return group('consumers', [listCommand(), showCommand(), seekCommand(), deleteCommand()])
}

function listCommand(): Command {
  return withListing(new Command('list'), 1000)
    .description('List consumers and how many events each is behind')
    .action(action(list))
}

async function list(options: ListOptions): Promise<void> {
  await withCaller(options, (caller) =>
    printList(listed(caller, CONSUMER_READS.listConsumers, options), LISTING, options),
  )
}

const LISTING: Listing<ConsumerView> = {
  header: [
    ...['name', 'owner', 'behind'],
    { name: 'since', isTime: true, leftOut: 3 },
    { name: 'leased until', isTime: true, leftOut: 1 },
    { name: 'acknowledged', isTime: true, leftOut: 2 },
    'position',
  ],
  rowOf: ({ name, owner, behind, behindSince, leased, acknowledgedAt, position }) => [
    ...[name, owner ?? 'operator', behind, behindSince, leased?.until ?? null, acknowledgedAt, position],
  ],
  none: 'no consumers; the first batch of a consumer creates it',
}

function showCommand(): Command {
  return withOne(new Command('show')).description('Show one consumer').action(action(show))
}

async function show(name: string, options: OneOptions): Promise<void> {
  const view = await withCaller(options, (caller) => caller.ask(CONSUMER_READS.showConsumer, one(name, options)))
  await printOne(view, options)
}

interface SeekOptions extends OneOptions {
  readonly position?: string
  readonly time?: number
}

function seekCommand(): Command {
  return withOne(new Command('seek'), withReason)
    .description('Move a consumer to another position; this cancels its current lease')
    .option('--position <place>', 'start, latest, a cursor, or an event id: reading continues after it')
    .option(
      '--time <time>',
      'continue with events received at this time or later, such as "2026-11-22 10:00" (local time) or 2h',
      timeOrAge,
    )
    .action(action(seek))
}

async function seek(name: string, { position, time, ...options }: SeekOptions): Promise<void> {
  if ((position === undefined) === (time === undefined))
    throw new PortariaError('request_invalid', say`give either --position or --time`)
  const place = time === undefined ? { position } : { time: new Date(time).toISOString() }
  const sought = await withChanger(options, async (changer) =>
    changer.ask(CONSUMER_CHANGES.seekConsumer, { ...(await found(changer, name, options)), body: place }),
  )
  await printOne(sought, options)
}

function deleteCommand(): Command {
  return withOne(new Command('delete'), withReason)
    .description('Delete a consumer; a new one of the same name starts with the first event')
    .action(
      action(async (name: string, options: OneOptions) => {
        await withChanger(options, async (changer) =>
          changer.ask(CONSUMER_CHANGES.deleteConsumer, await found(changer, name, options)),
        )
        await printResult(options, { deleted: name }, say`${{ name }} is deleted`)
      }),
    )
}

function withOne(command: Command, withCommon = withConfig): Command {
  return withCommon(command)
    .argument('<name>', 'name of the consumer')
    .option('--owner <client>', 'client that owns the consumer, by name or id (default: the operator)')
    .option('--json', 'print one JSON object')
}

/** Always names the owner, so the API creates no missing consumer. @throws PortariaError `not_found` */
async function found(asker: Asker, name: string, options: OneOptions) {
  const { owner } = await asker.ask(CONSUMER_READS.showConsumer, one(name, options))
  return one(name, { owner: owner ?? 'operator' })
}

/** Without an owner: the consumer of the caller. */
function one(name: string, { owner }: Pick<OneOptions, 'owner'>) {
  return { segments: { name }, query: { owner } }
}

async function printOne(view: ConsumerView, options: OneOptions): Promise<void> {
  const leased = view.leased === null ? null : `until ${preciseLocalText(Date.parse(view.leased.until))}`
  await printResult(options, view, sectionOf('consumer', { ...view, owner: view.owner ?? 'operator', leased }))
}
