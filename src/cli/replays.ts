import { Command, Option } from 'commander'
import type { AnswerOf } from '../api/http/contract.ts'
import { REPLAY_CHANGES, REPLAY_READS } from '../api/replays/contract.ts'
import { REPLAY_STATES } from '../domain/replay.ts'
import type { Listing } from './listing/listing.ts'
import { remoteGroup, withConfig, withListing, withReason } from './options.ts'
import { sectionOf } from './output.ts'
import { changes, lists, shows } from './plain-actions.ts'
import { createCommand } from './replays/create.ts'

type ReplayView = AnswerOf<typeof REPLAY_READS.showReplay>
type Canceled = AnswerOf<typeof REPLAY_CHANGES.cancelReplay>

const LISTING: Listing<ReplayView> = {
  columns: [
    { name: 'created', of: 'createdAt' },
    'id',
    { name: 'destination', of: 'destinationName' },
    { name: 'mode', leftOut: 3 },
    'state',
    { name: 'matched', leftOut: 1 },
    ...(['created', 'waiting'] as const),
    { name: 'asked by', of: ({ askedBy }) => askedBy ?? 'operator', leftOut: 2 },
  ],
  none: 'no replays',
}

export function replaysCommand(): Command {
  return remoteGroup('replays', [createCommand(), listCommand(), showCommand(), deleteCommand()])
}

function listCommand(): Command {
  return withListing(new Command('list'), 50)
    .description('List replays, oldest first')
    .addOption(new Option('--state <state>', 'only replays in this state').choices(REPLAY_STATES))
    .action(lists(REPLAY_READS.listReplays, LISTING, { order: 'asc' }))
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one replay and its progress')
    .argument('<id>', 'the replay, rpl_…')
    .option('--json', 'print one JSON object')
    .action(shows(REPLAY_READS.showReplay, (view) => sectionOf('replay', view)))
}

function deleteCommand(): Command {
  return withReason(new Command('delete'))
    .alias('cancel')
    .description('Cancel a replay and withdraw its pending deliveries')
    .argument('<id>', 'the replay, rpl_…')
    .option('--json', 'print one JSON object')
    .action(changes(REPLAY_CHANGES.cancelReplay, (view) => `${canceledText(view)}\n`))
}

export function canceledText({ id, underWay }: Pick<Canceled, 'id' | 'underWay'>): string {
  return `${id} is canceled${underWay === 0 ? '' : `; attempts under way, which may still arrive: ${underWay}`}`
}
