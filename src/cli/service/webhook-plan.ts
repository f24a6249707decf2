import type { Config } from '../../config/config.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import type { ServiceClient } from '../../service/client.ts'
import { listWebhooks, type ServiceWebhook } from '../../service/webhooks.ts'
import { wrongUsage } from '../output.ts'
import type { WebhookOptions } from './options.ts'
import { isSameUrl, ownKindOf } from './own-addresses.ts'

/** An address that the service has registered. */
export interface HeldWebhook extends ServiceWebhook {
  /** The kind of this gateway that it leads to; null: it is the address of somebody else. */
  readonly kind: string | null
}

/** The registered addresses, each with the kind of this gateway that it leads to. @throws ServiceFailure */
export async function heldWebhooks(
  config: Config,
  client: ServiceClient,
  { interface: on }: Pick<WebhookOptions, 'interface'>,
): Promise<readonly HeldWebhook[]> {
  const found = await listWebhooks(client, on, Date.now())
  return found.map((one) => ({ ...one, kind: ownKindOf(config, client.environment, one.url) }))
}

/** What `create` changes. */
export interface RegistrationPlan {
  readonly url: string
  /** The service has it already. */
  readonly isHeld: boolean
  /** Removed as soon as the service has the new one: ours of the same kind, and the one that `--replace` names. */
  readonly replaced: readonly HeldWebhook[]
  /** They stay, and the service calls them too. */
  readonly kept: readonly HeldWebhook[]
}

/** @throws PortariaError `not_found` for an address that the service does not have, `request_invalid` for the new one itself */
export function planRegistration(
  held: readonly HeldWebhook[],
  { url, kind, replace }: { readonly url: string; readonly kind: string; readonly replace: string | null },
): RegistrationPlan {
  const isHeld = held.some((one) => isSameUrl(one.url, url))
  const others = held.filter((one) => !isSameUrl(one.url, url))
  if (replace !== null) checkReplaced(replace, { url, isHeld, others })
  const isReplaced = (one: HeldWebhook) => one.kind === kind || (replace !== null && isSameUrl(one.url, replace))
  const [replaced, kept] = [others.filter(isReplaced), others.filter((one) => !isReplaced(one))]
  return { url, isHeld, replaced, kept }
}

function checkReplaced(
  replace: string,
  { url, isHeld, others }: { url: string; isHeld: boolean; others: readonly HeldWebhook[] },
): void {
  if (isSameUrl(replace, url))
    throw wrongUsage(say`--replace ${{ replace }} is the address that is registered: leave it out`)
  // A repetition of a command that has done its work finds the new one only.
  if (isHeld || others.some((one) => isSameUrl(one.url, replace))) return
  throw new PortariaError(
    'not_found',
    `--replace ${replace}: the service does not have this address; ${heldText(others)}`,
  )
}

/** What `delete` removes: ours of the kind, or the one that is named. @throws PortariaError `not_found` if there is none */
export function planRemoval(
  held: readonly HeldWebhook[],
  { kind, url }: { readonly kind: string; readonly url: string | null },
): readonly HeldWebhook[] {
  const removed = held.filter((one) => (url === null ? one.kind === kind : isSameUrl(one.url, url)))
  if (removed.length > 0) return removed
  const what = url === null ? `no address of this gateway (kind ${kind})` : `no address ${url}`
  const advice = url === null && held.length > 0 ? '; to delete one of these, name it with --url' : ''
  throw new PortariaError('not_found', `the service has ${what}; ${heldText(held)}${advice}`)
}

function heldText(held: readonly HeldWebhook[]): string {
  return held.length === 0 ? 'it has none' : `it has ${held.map(({ url }) => url).join(', ')}`
}
