import { Command, Option } from 'commander'
import { findReplay } from '../api/replays/lookup.ts'
import { type canceledReplayView, replayView } from '../api/replays/view.ts'
import { REPLAY_STATES, type ReplayState } from '../domain/replay.ts'
import { queryOf } from './asking.ts'
import { askOrRead, withChanges } from './control-client.ts'
import { type Listing, OLDEST, pageByPage, pageWith, printList } from './listing/listing.ts'
import { type ChangeOption, group, type ListOptions, withConfig, withListing, withReason } from './options.ts'
import { action, printResult, sectionOf } from './output.ts'
import { itemsOf } from './remote/lists.ts'
import { createCommand } from './replays/create.ts'

type ReplayView = ReturnType<typeof replayView>
type View = ReturnType<typeof canceledReplayView>

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
  const { limit } = options
  await askOrRead(options, {
    ask: (call) => {
      const query = queryOf({ state, order: 'asc' })
      return printList(itemsOf<ReplayView>(call, '/v1/replays', { query, limit }), LISTING, options)
    },
    read: (reader) => {
      const read = async (after: number, limit: number) => {
        const page = await reader.listReplays(state === undefined ? { after } : { after, state }, limit)
        const { next, more } = pageWith(page, limit, ({ replayId }) => replayId)
        return { items: page.map(replayView), next, more }
      }
      return printList(pageByPage(read, { limit, from: OLDEST }), LISTING, options)
    },
  })
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
  const view = await askOrRead(options, {
    ask: (call) => call<ReplayView>('GET', `/v1/replays/${encodeURIComponent(id)}`),
    read: async (reader) => replayView(await findReplay(reader, id)),
  })
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
