import { type Command, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { DELIVERY_STATES, type DeliveryState } from '../../domain/delivery.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { EventFilter } from '../../domain/event-record.ts'
import type { RealmFilter } from '../../domain/realm.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { given } from '../../platform/given.ts'
import { checkInstitution, checkKinds } from '../kinds.ts'
import type { PeriodOptions } from '../listing/period.ts'
import { collect, withRealm } from '../options.ts'

export interface FilterOptions extends PeriodOptions, RealmFilter {
  readonly kind?: string[]
  readonly subject?: string
  readonly status?: string
  readonly state?: DeliveryState
}

export function withFilters(command: Command): Command {
  return withRealm(withEventKinds(command))
    .option('--subject <id>', 'only this subject')
    .option('--status <status>', 'only this status')
    .addOption(new Option('--state <state>', 'only events with a delivery in this state').choices(DELIVERY_STATES))
}

export function withEventKinds(command: Command): Command {
  const words = 'only this kind; may be repeated (default: every kind except probe and operator)'
  return command.option('--kind <name>', words, collect)
}

export function filterOf(options: FilterOptions): EventFilter {
  const { kind: kinds, institution, environment, subject, status, state: deliveryState } = options
  const received = { receivedFrom: options.from, receivedTo: options.to }
  return given({ kinds, institution, environment, subject, status, deliveryState, ...received })
}

/** @throws PortariaError `request_invalid` for an unknown kind or institution without events */
export async function checkNames(
  { kind: kinds, institution }: Pick<FilterOptions, 'kind' | 'institution'>,
  config: Config,
  reader: StoreReader,
): Promise<void> {
  const isKept = async (filter: EventFilter) => (await reader.listEvents(filter, 1)).events.length > 0
  await checkKinds(kinds, config, { beside: KINDS_BY_NAME_ONLY, isKept: (kind) => isKept({ kinds: [kind] }) })
  await checkInstitution(institution, config, isKept)
}
