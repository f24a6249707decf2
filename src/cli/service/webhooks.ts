import { Command } from 'commander'
import { deleteWebhook } from '../../service/webhooks.ts'
import { group, readServiceConfig } from '../options.ts'
import { print, printable, printLine } from '../output.ts'
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
import { heldWebhooks, listCommand } from './webhook-list.ts'
import { planRemoval } from './webhook-plan.ts'

export function webhooksCommand(): Command {
  return group('webhooks', [listCommand(), createCommand(), deleteCommand()]).description(
    'Manage the callback addresses that the service has registered',
  )
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
  const { environment, interface: on, kind = on, url = null } = options
  const config = readServiceConfig(options, { isChange: options.dryRun !== true })
  await withServiceClient(config, environment, async (client) => {
    const removed = planRemoval(await heldWebhooks(config, client, options), { kind, url })
    const urls = removed.map((one) => one.url)
    if (options.json !== true) await print(urls.map((one) => `  delete  ${printable(one)}\n`).join(''))
    const result = { environment, interface: on, urls }
    if (options.dryRun === true) return printResult(options, { ...result, outcome: 'would_delete' })
    if (!(await mayChange(options, `Delete this at the service (${environment}, ${on})? It stops calling.`))) return
    for (const one of removed) await deleteWebhook(client, one)
    await printResult(options, { ...result, outcome: 'deleted' })
  })
}

async function printResult({ json }: DeleteOptions, result: { outcome: string }): Promise<void> {
  if (json === true) return printLine(result)
  await print(result.outcome === 'deleted' ? '✓ deleted\n' : 'only shown, nothing was changed\n')
}
