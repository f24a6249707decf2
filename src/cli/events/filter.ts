import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { DELIVERY_CHOICES, type DeliveryChoice } from '../../domain/delivery.ts'
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
  readonly state?: DeliveryChoice[]
  readonly destination?: string
}

export function withFilters(command: Command): Command {
  return withDeliveries(withRealm(withEventKinds(command)).option('--subject <id>', 'only this subject'))
}

/** With the status of the event. */
export function withDeliveries(command: Command): Command {
  const state = new Option('--state <state>', 'only events with a delivery in this state; may be repeated')
  return command
    .option('--status <status>', 'only this status')
    .addOption(state.choices(DELIVERY_CHOICES).argParser(collectState))
    .option('--destination <name>', 'only events with a delivery to this destination, in the state if one is given')
}

function collectState(value: string, states: readonly DeliveryChoice[] = []): DeliveryChoice[] {
  const state = DELIVERY_CHOICES.find((one) => one === value)
  if (state === undefined) throw new InvalidArgumentError(`Allowed choices are ${DELIVERY_CHOICES.join(', ')}.`)
  return [...states, state]
}

export function withEventKinds(command: Command): Command {
  const words = 'only this kind; may be repeated (default: every kind except probe and operator)'
  return command.option('--kind <name>', words, collect)
}

export function filterOf(options: FilterOptions): EventFilter {
  const { kind: kinds, institution, environment, subject, status, state: states, destination } = options
  const delivery = states === undefined && destination === undefined ? undefined : given({ states, destination })
  const received = { receivedFrom: options.from, receivedTo: options.to }
  return given({ kinds, institution, environment, subject, status, delivery, ...received })
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
