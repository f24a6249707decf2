import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { COMMAND } from '../../platform/installation.ts'
import type { ServiceClient } from '../../service/client.ts'
import { listWebhooks } from '../../service/webhooks.ts'
import { type Listing, printList } from '../listing.ts'
import { readServiceConfig } from '../options.ts'
import { withServiceClient } from './connection.ts'
import { serviceAction, type WebhookOptions, withWebhooks } from './options.ts'
import { ownKindOf } from './own-addresses.ts'
import type { HeldWebhook } from './webhook-plan.ts'

/** The registered addresses, each with the kind of this gateway that it leads to. @throws ServiceFailure */
export async function heldWebhooks(
  config: Config,
  client: ServiceClient,
  { interface: on }: Pick<WebhookOptions, 'interface'>,
): Promise<readonly HeldWebhook[]> {
  const found = await listWebhooks(client, on, Date.now())
  return found.map((one) => ({ ...one, kind: ownKindOf(config, one.url) }))
}

export function listCommand(): Command {
  return withWebhooks(new Command('list'))
    .description('List the addresses that the service calls, and whether they lead to this gateway')
    .option('--json', 'print one JSON object per line')
    .action(serviceAction(list))
}

async function list(options: WebhookOptions): Promise<void> {
  const config = readServiceConfig(options)
  const held = await withServiceClient(config, options.environment, (client) => heldWebhooks(config, client, options))
  await printList(held, LISTING, options)
}

const LISTING: Listing<HeldWebhook> = {
  header: [{ name: 'url' }, 'kind', { name: 'created', isTime: true, leftOut: 2 }, { name: 'id', leftOut: 1 }],
  rowOf: ({ url, kind, createdAt, id }) => [url, kind ?? 'not ours', createdAt, id],
  viewOf: (held) => held,
  none: `the service has no address; register one with: ${COMMAND} service webhooks create`,
}
