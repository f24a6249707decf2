import { Command } from 'commander'
import { CONSUMER_CHANGES, CONSUMER_READS, type ConsumerView } from '../api/consumers/contract.ts'
import { PortariaError } from '../platform/errors.ts'
import { preciseLocalText } from '../platform/local-time.ts'
import { say } from '../platform/said.ts'
import type { Asker } from './asking.ts'
import { withChanger } from './caller.ts'
import type { Listing } from './listing/listing.ts'
import { timeOrAge } from './listing/period.ts'
import { type ChangeOption, remoteGroup, withConfig, withListing, withReason } from './options.ts'
import { action, printResult, sectionOf } from './output.ts'
import { lists, shows } from './plain-actions.ts'

type OneOptions = ChangeOption & { readonly owner?: string }

export function consumersCommand(): Command {
  return remoteGroup('consumers', [listCommand(), showCommand(), seekCommand(), deleteCommand()])
}

function listCommand(): Command {
  return withListing(new Command('list'), 1000)
    .description('List consumers and how many events each is behind')
    .action(lists(CONSUMER_READS.listConsumers, LISTING))
}

const LISTING: Listing<ConsumerView> = {
  columns: [
    'name',
    { name: 'owner', of: ({ owner }) => owner ?? 'operator' },
    'behind',
    { name: 'since', of: 'behindSince', leftOut: 3 },
    { name: 'leased until', of: ({ leased }) => leased?.until ?? null, isTime: true, leftOut: 1 },
    { name: 'acknowledged', of: 'acknowledgedAt', leftOut: 2 },
    'position',
  ],
  none: 'no consumers; the first batch of a consumer creates it',
}

function showCommand(): Command {
  return withOne(new Command('show'))
    .description('Show one consumer')
    .action(shows(CONSUMER_READS.showConsumer, textOf))
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
  await printResult(options, sought, textOf(sought))
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

function textOf(view: ConsumerView): string {
  const leased = view.leased === null ? null : `until ${preciseLocalText(Date.parse(view.leased.until))}`
  return sectionOf('consumer', { ...view, owner: view.owner ?? 'operator', leased })
}
