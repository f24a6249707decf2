import { Command } from 'commander'
import { actionView, actorNames } from '../../api/audit/view.ts'
import type { ActionDetails, ActionFilter, ActionRecord } from '../../domain/actions/action.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { given } from '../../platform/given.ts'
import { type Listing, NEWEST, type Page, pageByPage, printList } from '../listing/listing.ts'
import { type PeriodOptions, withPeriod } from '../listing/period.ts'
import { group, type ListOptions, readConfig, withListing } from '../options.ts'
import { action } from '../output.ts'
import { withReader } from '../reader.ts'

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
  await withReader(readConfig(options), async (reader) => {
    const names = await actorNames(reader)
    const filter = filterOf(options, names)
    const read = (before: number, limit: number) => pageOf(reader, { ...filter, before, newestFirst: true }, limit)
    await printList(pageByPage(read, { limit: options.limit, from: NEWEST }), listingWith(names), options)
  })
}

function listingWith(names: ReadonlyMap<string, string>): Listing<ActionRecord> {
  return {
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
    rowOf(entry) {
      const { at, id, actor, actorName, channel, action, target, details, refersTo, reason } = actionView(entry, names)
      return [at, id, actorName ?? actor, channel, action, target, detailsText(details), refersTo, reason]
    },
    viewOf: (entry) => actionView(entry, names),
    none: 'no actions',
  }
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
