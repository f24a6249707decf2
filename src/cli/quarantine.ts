import { Command, Option } from 'commander'
import { requireBody } from '../api/events/event-routes.ts'
import { findQuarantined, quarantinedText, quarantinedView, type releasedView } from '../api/quarantine/serializer.ts'
import { QUARANTINE_REASONS, type QuarantineReason } from '../domain/accounts.ts'
import type { Environment } from '../domain/event.ts'
import {
  QUARANTINE_STATES,
  type QuarantinedFact,
  type QuarantineFilter,
  type QuarantineState,
} from '../domain/quarantine.ts'
import type { StoreReader } from '../domain/store.ts'
import { openStoreReader } from '../store/open-store.ts'
import { withControl } from './control-client.ts'
import { printEvidence } from './evidence.ts'
import { checkKinds } from './kinds.ts'
import {
  type ConfigOption,
  collect,
  environmentOption,
  group,
  type ListOptions,
  readConfig,
  withConfig,
  withListing,
} from './options.ts'
import { action, print, printableJson, printLine, sectionOf, tableOf } from './output.ts'
import { newestFirst } from './pages.ts'

interface FilterOptions {
  readonly kind?: string[]
  readonly environment?: Environment
  readonly state?: QuarantineState
  readonly reason?: QuarantineReason
}

const HEADER = ['received', 'id', 'kind', 'environment', 'subject', 'status', 'seen', 'reason', 'state', 'event']

export function quarantineCommand(): Command {
  return group('quarantine', 'Look at facts about accounts that are not your own, and decide about them', [
    listCommand(),
    showCommand(),
    decideCommand('release', 'Make it an event: forwarded and polled like a new one, once'),
    decideCommand('discard', 'Decide that it never becomes an event; it can still be looked at'),
  ])
}

function listCommand(): Command {
  return withListing(new Command('list'), 50)
    .description('List what is held back, newest first')
    .addOption(new Option('--state <state>', 'only what is in this state').choices(QUARANTINE_STATES))
    .option('--kind <name>', 'only this kind; may be repeated', collect)
    .addOption(environmentOption())
    .addOption(new Option('--reason <reason>', 'only what is held back for this reason').choices(QUARANTINE_REASONS))
    .action(action(list))
}

async function list(options: ListOptions & FilterOptions): Promise<void> {
  const config = readConfig(options)
  const reader = await openStoreReader(config.storage.file)
  try {
    const isKept = async (kind: string) => (await reader.listQuarantine({ kinds: [kind] }, 1)).length > 0
    await checkKinds(options.kind, config, { isKept })
    const rows: ReturnType<typeof rowOf>[] = []
    const filter = filterOf(options)
    const read = (before: number, limit: number) => pageOf(reader, { ...filter, before, newestFirst: true }, limit)
    for await (const fact of newestFirst(read, options.limit)) {
      if (options.json === true) await printLine(quarantinedView(fact))
      else rows.push(rowOf(fact))
    }
    if (options.json !== true) await print(rows.length === 0 ? 'nothing in quarantine\n' : tableOf(HEADER, rows))
  } finally {
    await reader.close()
  }
}

async function pageOf(reader: StoreReader, filter: QuarantineFilter, limit: number) {
  const items = await reader.listQuarantine(filter, limit)
  return { items, next: items.at(-1)?.id ?? 0, more: items.length === limit }
}

function filterOf({ kind, environment, state, reason }: FilterOptions): QuarantineFilter {
  return {
    ...(kind !== undefined && { kinds: kind }),
    ...(environment !== undefined && { environment }),
    ...(state !== undefined && { state }),
    ...(reason !== undefined && { reason }),
  }
}

function rowOf(fact: QuarantinedFact) {
  const view = quarantinedView(fact)
  const { receivedAt, id, kind, environment, subject, status, seen, reason, state, event } = view
  return [receivedAt, id, kind, environment, subject, status, seen, reason, state, event]
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show what is held back: its data, and who sent it')
    .argument('<id>', 'the fact, qtn_…')
    .option('--json', 'as one JSON object')
    .option('--raw', 'only the bytes that came, exactly')
    .action(action(show))
}

async function show(id: string, options: ConfigOption & { json?: boolean; raw?: boolean }): Promise<void> {
  const reader = await openStoreReader(readConfig(options).storage.file)
  try {
    const found = await findQuarantined(reader, id)
    if (options.raw === true) {
      requireBody(found.evidence)
      process.stdout.write(found.evidence.body)
      return
    }
    if (options.json === true) return await print(`${printableJson(quarantinedText(found))}\n`)
    await print(sectionOf('in quarantine', quarantinedView(found.fact)))
    await printEvidence(found.evidence, found.fact)
  } finally {
    await reader.close()
  }
}

type Decided = Pick<ReturnType<typeof releasedView>, 'id' | 'event' | 'duplicate'>

function decideCommand(verb: 'release' | 'discard', description: string): Command {
  return withConfig(new Command(verb))
    .description(description)
    .argument('<id...>', 'one or more, qtn_…: one after the other, up to the first that cannot be')
    .option('--json', 'one JSON object a line')
    .action(
      action((ids: string[], options: ConfigOption & { json?: boolean }) =>
        withControl(readConfig(options), async (ask) => {
          for (const id of ids) {
            const decided = await ask<Decided>('POST', `/v1/quarantine/${encodeURIComponent(id)}/${verb}`)
            if (options.json === true) await printLine(decided)
            else await print(wordsFor(decided))
          }
        }),
      ),
    )
}

function wordsFor({ id, event, duplicate }: Decided): string {
  if (event === null) return `${id} is discarded\n`
  return duplicate ? `${id} is known already, as ${event}: nothing new\n` : `${id} is ${event} now\n`
}
