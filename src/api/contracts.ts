import { ALARM_CHANGES, ALARM_READS } from './alarms/contract.ts'
import { ACTION_READS } from './audit/contract.ts'
import { CLIENT_CHANGES, CLIENT_READS } from './clients/contract.ts'
import { CONSUMER_BATCHES } from './consumers/batch-contract.ts'
import { CONSUMER_CHANGES, CONSUMER_READS } from './consumers/contract.ts'
import { DELIVERY_CHANGES, DELIVERY_READS } from './deliveries/contract.ts'
import { DESTINATION_CHANGES, DESTINATION_READS } from './destinations/contract.ts'
import { EVENT_ACTIONS, EVENT_LISTS, EVENT_READS } from './events/contract.ts'
import type { Contract, Contracts } from './http/contract.ts'
import { NODE_READS } from './nodes/contract.ts'
import { QUARANTINE_DECISIONS, QUARANTINE_READS } from './quarantine/contract.ts'
import { EXPECTATIONS, GAP_READS, RECONCILE_READS, RECONCILE_RUNS } from './reconcile/contract.ts'
import { REFUSAL_READS } from './refusals/contract.ts'
import { NEW_REPLAYS, REPLAY_CHANGES, REPLAY_READS } from './replays/contract.ts'
import { REMOVALS, STORAGE_STATES } from './retention/contract.ts'
import { SEARCH_CHANGES, SEARCH_READS } from './search/contract.ts'

const ALL: readonly Contracts[] = [
  ...[EVENT_LISTS, EVENT_READS, EVENT_ACTIONS],
  ...[CONSUMER_READS, CONSUMER_BATCHES, CONSUMER_CHANGES],
  ...[NEW_REPLAYS, REPLAY_READS, REPLAY_CHANGES],
  ...[DELIVERY_READS, DELIVERY_CHANGES],
  ...[QUARANTINE_READS, QUARANTINE_DECISIONS],
  ...[DESTINATION_READS, DESTINATION_CHANGES],
  ...[CLIENT_READS, CLIENT_CHANGES],
  ...[REMOVALS, STORAGE_STATES],
  ...[EXPECTATIONS, GAP_READS, RECONCILE_READS, RECONCILE_RUNS],
  ...[REFUSAL_READS, ACTION_READS, NODE_READS, ALARM_READS, ALARM_CHANGES, SEARCH_READS, SEARCH_CHANGES],
]

/** Operations in the words of the log of actions, by their ids. */
export const ACTION_WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  ALL.flatMap((noun) => Object.values<Contract>(noun)).flatMap(({ id, action }) =>
    action === undefined ? [] : [[id, action]],
  ),
)
