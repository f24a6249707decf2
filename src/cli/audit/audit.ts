import { Command } from 'commander'
import { actionView, actorNames } from '../../api/audit/view.ts'
import type { ActionDetails, ActionFilter, ActionRecord } from '../../domain/actions/action.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { given } from '../../platform/given.ts'
import { queryOf } from '../asking.ts'
import { type ApiCall, askOrRead } from '../control-client.ts'
import { type Listing, NEWEST, type Page, pageByPage, printList } from '../listing/listing.ts'
import { type PeriodOptions, withPeriod } from '../listing/period.ts'
import { group, type ListOptions, withListing } from '../options.ts'
import { action } from '../output.ts'
import { allOf, itemsOf, periodOf } from '../remote/lists.ts'

interface FilterOptions extends PeriodOptions {
  readonly actor?: string
  readonly action?: string
  readonly target?: string
}

export function auditCommand(): Command {
  return group('audit', [listCommand()])
}

function listCommand(): Command {
  const command = withListing(new Command('list'), 50)
    .option('--actor <client>', 'only actions of this client, by id or name, or of operator')
    .option('--action <name>', 'only this action, such as pauseDestination or unmaskEvent')
    .option('--target <object>', 'only actions upon this object: the id or name that its path has')
  return withPeriod(command, 'done').description('List actions, newest first').action(action(list))
}

async function list(options: ListOptions & FilterOptions): Promise<void> {
  const { limit, actor, action, target } = options
  await askOrRead(options, {
    async ask(call) {
      const query = queryOf({
        actor: await remoteActor(call, actor),
        action,
        target,
        ...periodOf(options),
        order: 'desc',
      })
      await printList(itemsOf<ActionView>(call, '/v1/audit', { query, limit }), LISTING, options)
    },
    async read(reader) {
      const names = await actorNames(reader)
      const filter = filterOf(options, names)
      const read = async (before: number, limit: number) => {
        const { items, ...page } = await pageOf(reader, { ...filter, before, newestFirst: true }, limit)
        return { ...page, items: items.map((entry) => actionView(entry, names)) }
      }
      await printList(pageByPage(read, { limit, from: NEWEST }), LISTING, options)
    },
  })
}

/** The id of a client's name. */
async function remoteActor(call: ApiCall, name: string | undefined): Promise<string | undefined> {
  if (name === undefined || name === 'operator') return name
  const query = queryOf({ revoked: true })
  const clients = await allOf<{ clientId: string; name: string }>(call, '/v1/clients', { query, limit: 1000 })
  return clients.findLast((one) => one.name === name)?.clientId ?? name
}

type ActionView = ReturnType<typeof actionView>

const LISTING: Listing<ActionView> = {
  header: [
    { name: 'done', isTime: true },
    'id',
    { name: 'actor', cut: 'right' },
    { name: 'channel', leftOut: 1 },
    'action',
    { name: 'target', cut: 'left' },
    { name: 'details', cut: 'right' },
    { name: 'failed', leftOut: 2 },
    { name: 'reason', cut: 'right' },
  ],
  rowOf({ at, id, actor, actorName, channel, action, target, details, refersTo, reason }) {
    return [at, id, actorName ?? actor, channel, action, target, detailsText(details), refersTo, reason]
  },
  none: 'no actions',
}

function detailsText(details: ActionDetails | null): string | null {
  if (details === null) return null
  return Object.entries(details)
    .map(([name, text]) => `${name}: ${text}`)
    .join('; ')
}

/** The store's page of actions as a `Page`. */
async function pageOf(reader: StoreReader, filter: ActionFilter, limit: number): Promise<Page<ActionRecord>> {
  const { actions, ...page } = await reader.listActions(filter, limit)
  return { ...page, items: actions }
}

function filterOf(
  { actor, action, target, from, to }: FilterOptions,
  names: ReadonlyMap<string, string>,
): ActionFilter {
  const id = [...names].findLast(([, name]) => name === actor)?.[0] ?? actor
  return given({ actor: id, action, target, from, to })
}
