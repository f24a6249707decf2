import { Command, Option } from 'commander'
import type { AnswerOf } from '../api/http/contract.ts'
import { REPLAY_CHANGES, REPLAY_READS } from '../api/replays/contract.ts'
import { REPLAY_STATES, type ReplayState } from '../domain/replay.ts'
import { withCaller, withChanger } from './caller.ts'
import { type Listing, printList } from './listing/listing.ts'
import { type ChangeOption, group, type ListOptions, withConfig, withListing, withReason } from './options.ts'
import { action, printResult, sectionOf } from './output.ts'
import { listed } from './remote/lists.ts'
import { createCommand } from './replays/create.ts'

type ReplayView = AnswerOf<typeof REPLAY_READS.showReplay>
type Canceled = AnswerOf<typeof REPLAY_CHANGES.cancelReplay>

const LISTING: Listing<ReplayView> = {
  header: [
    { name: 'created', isTime: true },
    ...['id', 'destination'],
    { name: 'mode', leftOut: 3 },
    'state',
    { name: 'matched', leftOut: 1 },
    ...['created', 'waiting'],
    { name: 'asked by', leftOut: 2 },
  ],
  rowOf,
  none: 'no replays',
}

export function replaysCommand(): Command {
  return group('replays', [createCommand(), listCommand(), showCommand(), deleteCommand()])
}

function listCommand(): Command {
  return withListing(new Command('list'), 50)
    .description('List replays, oldest first')
    .addOption(new Option('--state <state>', 'only replays in this state').choices(REPLAY_STATES))
    .action(action(list))
}

async function list({ state, ...options }: ListOptions & { readonly state?: ReplayState }): Promise<void> {
  const query = { state, order: 'asc' }
  await withCaller(options, (caller) =>
    printList(listed(caller, REPLAY_READS.listReplays, { limit: options.limit, query }), LISTING, options),
  )
}

function rowOf(replay: ReplayView) {
  const { createdAt, id, destinationName, mode, state, matched, created, waiting, askedBy } = replay
  return [createdAt, id, destinationName, mode, state, matched, created, waiting, askedBy ?? 'operator']
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one replay and its progress')
    .argument('<id>', 'the replay, rpl_…')
    .option('--json', 'print one JSON object')
    .action(action(show))
}

async function show(id: string, options: ChangeOption): Promise<void> {
  const view = await withCaller(options, ({ ask }) => ask(REPLAY_READS.showReplay, { segments: { id } }))
  await printResult(options, view, sectionOf('replay', view))
}

function deleteCommand(): Command {
  return withReason(new Command('delete'))
    .alias('cancel')
    .description('Cancel a replay and withdraw its pending deliveries')
    .argument('<id>', 'the replay, rpl_…')
    .option('--json', 'print one JSON object')
    .action(action(cancel))
}

async function cancel(id: string, options: ChangeOption): Promise<void> {
  const view = await withChanger(options, ({ ask }) => ask(REPLAY_CHANGES.cancelReplay, { segments: { id } }))
  await printResult(options, view, `${canceledText(view)}\n`)
}

export function canceledText({ id, underWay }: Pick<Canceled, 'id' | 'underWay'>): string {
  return `${id} is canceled${underWay === 0 ? '' : `; attempts under way, which may still arrive: ${underWay}`}`
}
