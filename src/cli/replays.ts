import { Command, Option } from 'commander'
import { findReplay } from '../api/replays/lookup.ts'
import { type canceledReplayView, replayView } from '../api/replays/view.ts'
import { REPLAY_STATES, type ReplayRecord, type ReplayState } from '../domain/replay.ts'
import { withChanges } from './control-client.ts'
import { type Listing, OLDEST, pageByPage, pageWith, printList } from './listing/listing.ts'
import {
  type ChangeOption,
  group,
  type ListOptions,
  readConfig,
  withConfig,
  withListing,
  withReason,
} from './options.ts'
import { action, printResult, sectionOf } from './output.ts'
import { withReader } from './reader.ts'
import { createCommand } from './replays/create.ts'

type View = ReturnType<typeof canceledReplayView>

const LISTING: Listing<ReplayRecord> = {
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
  viewOf: replayView,
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
  await withReader(readConfig(options), async (reader) => {
    const read = async (after: number, limit: number) => {
      const page = await reader.listReplays(state === undefined ? { after } : { after, state }, limit)
      return pageWith(page, limit, ({ replayId }) => replayId)
    }
    await printList(pageByPage(read, { limit: options.limit, from: OLDEST }), LISTING, options)
  })
}

function rowOf(replay: ReplayRecord) {
  const { createdAt, id, destinationName, mode, state, matched, created, waiting, askedBy } = replayView(replay)
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
  const view = replayView(await withReader(readConfig(options), (reader) => findReplay(reader, id)))
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
  const path = `/v1/replays/${encodeURIComponent(id)}`
  const view = await withChanges(options, (call) => call<View>('DELETE', path))
  await printResult(options, view, `${canceledText(view)}\n`)
}

export function canceledText({ id, underWay }: Pick<View, 'id' | 'underWay'>): string {
  return `${id} is canceled${underWay === 0 ? '' : `; attempts under way, which may still arrive: ${underWay}`}`
}
