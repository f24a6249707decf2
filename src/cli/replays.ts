import { Command, Option } from 'commander'
import { findReplay } from '../api/replays/replay-routes.ts'
import { replayView } from '../api/replays/view.ts'
import { REPLAY_STATES, type ReplayState } from '../domain/replay.ts'
import { openStoreReader } from '../store/open-store.ts'
import { withControl } from './control-client.ts'
import { type ConfigOption, group, type ListOptions, readConfig, withConfig, withListing } from './options.ts'
import { action, print, printLine, sectionOf, tableOf } from './output.ts'
import { createCommand } from './replays/create.ts'

type View = ReturnType<typeof replayView>
type JsonOption = ConfigOption & { readonly json?: boolean }

const PAGE = 500
const HEADER = ['created', 'id', 'destination', 'mode', 'state', 'matched', 'owed', 'waiting', 'asked by']

export function replaysCommand(): Command {
  return group('replays', 'Deliver many events once more', [
    createCommand(),
    listCommand(),
    showCommand(),
    deleteCommand(),
  ])
}

function listCommand(): Command {
  return withListing(new Command('list'), 50)
    .description('List replays, oldest first')
    .addOption(new Option('--state <state>', 'only those in this state').choices(REPLAY_STATES))
    .action(action(list))
}

async function list({ state, ...options }: ListOptions & { readonly state?: ReplayState }): Promise<void> {
  const reader = await openStoreReader(readConfig(options).storage.file)
  const rows: ReturnType<typeof rowOf>[] = []
  try {
    for (let after = 0, left = options.limit; left > 0; ) {
      const query = state === undefined ? { after } : { after, state }
      const page = await reader.listReplays(query, Math.min(left, PAGE))
      for (const view of page.map(replayView)) {
        if (options.json === true) await printLine(view)
        else rows.push(rowOf(view))
      }
      const last = page.at(-1)
      if (last === undefined) break
      after = last.replayId
      left -= page.length
    }
  } finally {
    await reader.close()
  }
  if (options.json !== true) await print(rows.length === 0 ? 'no replays\n' : tableOf(HEADER, rows))
}

function rowOf(view: View) {
  const { createdAt, id, destinationName, mode, state, matched, owed, waiting, askedBy } = view
  return [createdAt, id, destinationName, mode, state, matched, owed, waiting, askedBy ?? 'operator']
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one replay and how far it is')
    .argument('<id>', 'the replay, rpl_…')
    .option('--json', 'as one JSON object')
    .action(action(show))
}

async function show(id: string, options: JsonOption): Promise<void> {
  const reader = await openStoreReader(readConfig(options).storage.file)
  try {
    const view = replayView(await findReplay(reader, id))
    await (options.json === true ? printLine(view) : print(sectionOf('replay', view)))
  } finally {
    await reader.close()
  }
}

function deleteCommand(): Command {
  return withConfig(new Command('delete'))
    .alias('cancel')
    .description('Cancel it: it owes nothing more, and what of it still waits is taken back')
    .argument('<id>', 'the replay, rpl_…')
    .option('--json', 'as one JSON object')
    .action(action(cancel))
}

async function cancel(id: string, options: JsonOption): Promise<void> {
  const path = `/v1/replays/${encodeURIComponent(id)}`
  const view = await withControl(readConfig(options), (ask) => ask<View>('DELETE', path))
  await (options.json === true ? printLine(view) : print(`${view.id} is canceled\n`))
}
