import { Command } from 'commander'
import { realmNamed } from '../../config/institutions.ts'
import { partsOf } from '../../domain/realm.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { deleteWebhook } from '../../service/webhooks.ts'
import { readServiceConfig } from '../config-file.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { group } from '../options.ts'
import { printable, printLine, printText } from '../output.ts'
import { withServiceClient } from './connection.ts'
import {
  type ChangeOptions,
  mayChange,
  serviceAction,
  type WebhookOptions,
  withChange,
  withWebhooks,
} from './options.ts'
import { createCommand } from './webhook-create.ts'
import { type HeldWebhook, heldWebhooks, planRemoval } from './webhook-plan.ts'

export function webhooksCommand(): Command {
  return group('webhooks', [listCommand(), createCommand(), deleteCommand()]).description(
    'Manage the callback addresses that the service has registered',
  )
}

function listCommand(): Command {
  return withWebhooks(new Command('list'))
    .description('List the addresses that the service calls, and whether they lead to this gateway')
    .option('--json', 'print one JSON object per line')
    .action(serviceAction(list))
}

async function list(options: WebhookOptions): Promise<void> {
  const config = readServiceConfig(options)
  const held = await withServiceClient(config, realmNamed(config, options), (client) =>
    heldWebhooks(config, client, options),
  )
  await printList(held, LISTING, options)
}

const LISTING: Listing<HeldWebhook> = {
  columns: [
    'url',
    { name: 'kind', of: ({ kind }) => kind ?? 'not ours' },
    { name: 'created', of: 'createdAt', leftOut: 2 },
    { name: 'id', leftOut: 1 },
  ],
  none: `the service has no address; register one with: ${COMMAND} service webhooks create`,
}

interface DeleteOptions extends WebhookOptions, ChangeOptions {
  readonly kind?: string
  readonly url?: string
}

function deleteCommand(): Command {
  return withChange(withWebhooks(new Command('delete')))
    .description('Delete the addresses of this gateway at the service; addresses of others stay')
    .option('--kind <name>', 'kind of the addresses (default: the one with the name of the interface)')
    .option('--url <url>', 'delete this address in place of those of the gateway')
    .option('--json', 'print one JSON object')
    .action(serviceAction(remove))
}

async function remove(options: DeleteOptions): Promise<void> {
  const { interface: on, kind = on, url = null } = options
  const config = readServiceConfig(options)
  const realm = realmNamed(config, options)
  await withServiceClient(config, realm, async (client) => {
    const removed = planRemoval(await heldWebhooks(config, client, options), { kind, url })
    const urls = removed.map((one) => one.url)
    if (options.json !== true) await printText(urls.map((one) => `  delete  ${printable(one)}\n`).join(''))
    const result = { ...partsOf(realm), interface: on, urls }
    if (options.dryRun === true) return printResult(options, { ...result, outcome: 'would_delete' })
    if (!(await mayChange(options, `Delete this at the service (${realm}, ${on})? It stops calling.`))) return
    for (const one of removed) await deleteWebhook(client, one)
    await printResult(options, { ...result, outcome: 'deleted' })
  })
}

async function printResult({ json }: DeleteOptions, result: { outcome: string }): Promise<void> {
  if (json === true) return printLine(result)
  await printText(result.outcome === 'deleted' ? say`✓ deleted` : say`only shown, nothing was changed`)
}
