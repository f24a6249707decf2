import { Command } from 'commander'
import { ACTION_READS } from '../../api/audit/contract.ts'
import { CLIENT_READS } from '../../api/clients/contract.ts'
import type { Asker } from '../asking.ts'
import { withCaller } from '../caller.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { type PeriodOptions, withPeriod } from '../listing/period.ts'
import { type ListOptions, remoteGroup, withListing } from '../options.ts'
import { action } from '../output.ts'
import { type ItemOf, listed, periodOf } from '../remote/lists.ts'

interface FilterOptions extends PeriodOptions {
  readonly actor?: string
  readonly action?: string
  readonly target?: string
}

export function auditCommand(): Command {
  return remoteGroup('audit', [listCommand()])
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
  await withCaller(options, async (caller) => {
    const query = { actor: await actorIdOf(caller, actor), action, target, ...periodOf(options), order: 'desc' }
    await printList(listed(caller, ACTION_READS.listActions, { limit, query }), LISTING, options)
  })
}

/** The id of a client's name. */
async function actorIdOf(caller: Asker, name: string | undefined): Promise<string | undefined> {
  if (name === undefined || name === 'operator') return name
  const { data } = await caller.ask(CLIENT_READS.listClients, { query: { revoked: true, limit: 1000 } })
  return data.findLast((one) => one.name === name)?.clientId ?? name
}

type ActionView = ItemOf<typeof ACTION_READS.listActions>

const LISTING: Listing<ActionView> = {
  columns: [
    { name: 'done', of: 'at', isTime: true },
    'id',
    { name: 'actor', of: ({ actor, actorName }) => actorName ?? actor, cut: 'right' },
    { name: 'channel', leftOut: 1 },
    'action',
    { name: 'target', cut: 'left' },
    { name: 'details', of: detailsText, cut: 'right' },
    { name: 'failed', of: 'refersTo', leftOut: 2 },
    { name: 'reason', cut: 'right' },
  ],
  none: 'no actions',
}

function detailsText({ details }: ActionView): string | null {
  if (details === null) return null
  return Object.entries(details)
    .map(([name, text]) => `${name}: ${text}`)
    .join('; ')
}
