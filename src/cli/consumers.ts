import { Command } from 'commander'
import { consumerKeyOf, consumerNotFound } from '../api/consumers/keys.ts'
import { type ConsumerView, consumerViews } from '../api/consumers/view.ts'
import { PortariaError } from '../platform/errors.ts'
import { preciseLocalText } from '../platform/local-time.ts'
import { type ApiCall, askOrRead, withChanges } from './control-client.ts'
import { type Listing, printList } from './listing/listing.ts'
import { timeOrAge } from './listing/period.ts'
import { type ChangeOption, group, type ListOptions, withConfig, withListing, withReason } from './options.ts'
import { action, printResult, sectionOf } from './output.ts'
import { allOf, queryOf } from './remote/lists.ts'

type View = ConsumerView
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
  const { limit } = options
  const views = await askOrRead(options, {
    ask: (call) => allOf<View>(call, '/v1/consumers', { query: queryOf({}), limit }),
    read: async (reader) => consumerViews(reader, (await reader.listConsumers()).slice(0, limit), Date.now()),
  })
  await printList(views, LISTING, options)
}

const LISTING: Listing<View> = {
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
  const view = await askOrRead(options, {
    ask: (call) => call<View>('GET', pathOf(name, '', options)),
    read: async (reader) => {
      const consumer = await reader.getConsumer(await consumerKeyOf(reader, name, options.owner))
      if (consumer === null) throw consumerNotFound(name)
      const [view] = await consumerViews(reader, [consumer], Date.now())
      return view as View
    },
  })
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
    throw new PortariaError('request_invalid', 'give either --position or --time')
  const place = time === undefined ? { position } : { time: new Date(time).toISOString() }
  const sought = await withChanges(options, async (call) =>
    call<View>('POST', await foundPathOf(call, name, '/seek', options), place),
  )
  await printOne(sought, options)
}

function deleteCommand(): Command {
  return withOne(new Command('delete'), withReason)
    .description('Delete a consumer; a new one of the same name starts with the first event')
    .action(
      action(async (name: string, options: OneOptions) => {
        await withChanges(options, async (call) =>
          call<undefined>('DELETE', await foundPathOf(call, name, '', options)),
        )
        await printResult(options, { deleted: name }, `${name} is deleted\n`)
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
async function foundPathOf(call: ApiCall, name: string, rest: string, options: OneOptions): Promise<string> {
  const { owner } = await call<View>('GET', pathOf(name, '', options))
  return pathOf(name, rest, { owner: owner ?? 'operator' })
}

/** Without an owner: the consumer of the caller. */
function pathOf(name: string, rest: string, { owner }: Pick<OneOptions, 'owner'>): string {
  return `/v1/consumers/${encodeURIComponent(name)}${rest}${owner === undefined ? '' : `?${queryOf({ owner })}`}`
}

async function printOne(view: View, options: OneOptions): Promise<void> {
  const leased = view.leased === null ? null : `until ${preciseLocalText(Date.parse(view.leased.until))}`
  await printResult(options, view, sectionOf('consumer', { ...view, owner: view.owner ?? 'operator', leased }))
}
