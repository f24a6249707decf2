import { Command } from 'commander'
import { DESTINATION_READS } from '../../api/destinations/contract.ts'
import { NODE_READS } from '../../api/nodes/contract.ts'
import type { NodeView } from '../../api/nodes/endpoints.ts'
import { withCaller } from '../caller.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { type ConfigOption, remoteGroup, withConfig } from '../options.ts'
import { action } from '../output.ts'
import { allListed } from '../remote/lists.ts'

interface Options extends ConfigOption {
  readonly json?: boolean
}

export function nodesCommand(): Command {
  return remoteGroup('nodes', [listCommand()])
}

function listCommand(): Command {
  return withConfig(new Command('list'))
    .description('List the gateways that share the PostgreSQL database, and which destinations each of them sends to')
    .option('--json', 'print one JSON object per line')
    .action(action(list))
}

async function list(options: Options): Promise<void> {
  const { nodes, names } = await withCaller(options, async (caller) => {
    const { data } = await caller.ask(NODE_READS.listNodes)
    const destinations = await allListed(caller, DESTINATION_READS.listDestinations, { limit: MOST_DESTINATIONS })
    return { nodes: data, names: new Map(destinations.map(({ id, name }) => [id, name])) }
  })
  await printList(
    nodes,
    listing((id) => names.get(id) ?? id),
    options,
  )
}

const MOST_DESTINATIONS = 1000
/** Digits of the hash of a configuration file. */
const HASH_SHOWN = 12

function listing(nameOf: (id: string) => string): Listing<NodeView> {
  return {
    columns: [
      'name',
      { name: 'state', of: ({ living }) => (living ? 'living' : 'silent') },
      'version',
      { name: 'started', of: 'startedAt', leftOut: 1 },
      { name: 'seen', of: 'seenAt' },
      { name: 'differs', of: ({ differs }) => differs.join(', '), cut: 'right' },
      { name: 'configuration', of: configurationText, leftOut: 2 },
      { name: 'needs a restart', of: (one) => one.configuration?.needRestart.join(', ') ?? null, cut: 'right' },
      { name: 'jobs', of: ({ jobs }) => (jobs ? 'yes' : '') },
      { name: 'destinations', of: ({ destinations }) => destinations.map(nameOf).join(', '), cut: 'right' },
    ],
    none: 'no nodes: one process alone uses an SQLite database',
  }
}

function configurationText({ configuration }: NodeView): string | null {
  return configuration && `${configuration.sha256.slice(0, HASH_SHOWN)} #${configuration.generation}`
}
