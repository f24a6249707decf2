import { Command } from 'commander'
import { type NodeView, nodeViews } from '../../api/nodes/endpoints.ts'
import { numberedId } from '../../domain/public-id.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { type ConfigOption, group, readConfig, withConfig } from '../options.ts'
import { action } from '../output.ts'
import { withReader } from '../reader.ts'

interface Options extends ConfigOption {
  readonly json?: boolean
}

export function nodesCommand(): Command {
  return group('nodes', [listCommand()])
}

function listCommand(): Command {
  return withConfig(new Command('list'))
    .description('List the gateways that share the PostgreSQL database, and which destinations each of them sends to')
    .option('--json', 'print one JSON object per line')
    .action(action(list))
}

async function list(options: Options): Promise<void> {
  await withReader(readConfig(options), async (reader) => {
    const destinations = await reader.listDestinations({ removed: true })
    const names = new Map(destinations.map(({ id, name }) => [numberedId('dst', id), name]))
    await printList(
      nodeViews(await reader.listNodes()),
      listing((id) => names.get(id) ?? id),
      options,
    )
  })
}

function listing(nameOf: (id: string) => string): Listing<NodeView> {
  return {
    header: [
      ...['name', 'state', 'version'],
      { name: 'started', isTime: true, leftOut: 1 },
      { name: 'seen', isTime: true },
      { name: 'differs', cut: 'right' },
      'jobs',
      { name: 'destinations', cut: 'right' },
    ],
    rowOf: ({ name, living, version, startedAt, seenAt, differs, jobs, destinations }) => [
      ...[name, living ? 'living' : 'silent', version, startedAt, seenAt, differs.join(', ')],
      ...[jobs ? 'yes' : '', destinations.map(nameOf).join(', ')],
    ],
    none: 'no nodes: one process alone uses an SQLite database',
  }
}
