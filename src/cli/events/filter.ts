import { type Command, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { DELIVERY_STATES, type DeliveryState } from '../../domain/delivery.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { EventFilter } from '../../domain/event-record.ts'
import type { Environment } from '../../domain/realm.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { given } from '../../platform/given.ts'
import { checkKinds } from '../kinds.ts'
import type { PeriodOptions } from '../listing/period.ts'
import { collect, environmentOption } from '../options.ts'

export interface FilterOptions extends PeriodOptions {
  readonly kind?: string[]
  readonly environment?: Environment
  readonly subject?: string
  readonly status?: string
  readonly state?: DeliveryState
}

export function withFilters(command: Command): Command {
  return command
    .option('--kind <name>', 'only this kind; may be repeated (default: every kind except probe and operator)', collect)
    .addOption(environmentOption())
    .option('--subject <id>', 'only this subject')
    .option('--status <status>', 'only this status')
    .addOption(new Option('--state <state>', 'only events with a delivery in this state').choices(DELIVERY_STATES))
}

export function filterOf(options: FilterOptions): EventFilter {
  const { kind: kinds, environment, subject, status, state: deliveryState } = options
  const received = { receivedFrom: options.from, receivedTo: options.to }
  return given({ kinds, environment, subject, status, deliveryState, ...received })
}

/** @throws PortariaError `request_invalid` for an unknown kind without events */
export function checkEventKinds(
  kinds: readonly string[] | undefined,
  config: Config,
  reader: StoreReader,
): Promise<void> {
  const isKept = async (kind: string) => (await reader.listEvents({ kinds: [kind] }, 1)).events.length > 0
  return checkKinds(kinds, config, { beside: KINDS_BY_NAME_ONLY, isKept })
}
