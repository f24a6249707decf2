import { CONSUMER_BATCHES } from './consumers/batch-contract.ts'
import { CONSUMER_CHANGES, CONSUMER_READS } from './consumers/contract.ts'
import type { Contract, Contracts } from './http/contract.ts'

const ALL: readonly Contracts[] = [CONSUMER_READS, CONSUMER_BATCHES, CONSUMER_CHANGES]

/** Operations in the words of the log of actions, by their ids. */
export const ACTION_WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  ALL.flatMap((noun) => Object.values<Contract>(noun)).flatMap(({ id, action }) =>
    action === undefined ? [] : [[id, action]],
  ),
)
