import { setTimeout as wait } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { findRefusal, isRefusalCode, refusalView } from '../api/refusal-routes.ts'
import { LISTENER_NAMES, type ListenerName } from '../domain/event.ts'
import { REFUSAL_CODES, type RefusalCode, type RefusalFilter, type RefusalRecord } from '../domain/refusal.ts'
import type { StoreReader } from '../domain/store.ts'
import { openStoreReader } from '../store/open-store.ts'
import {
  type ConfigOption,
  group,
  type ListOptions,
  readConfig,
  timeOrAge,
  withConfig,
  withListing,
} from './options.ts'
import { action, print, printable, printLine, sectionOf, tableOf } from './output.ts'

interface FilterOptions {
  readonly reason?: RefusalCode[]
  readonly address?: string
  readonly listener?: ListenerName
  readonly since?: number
}

const PAGE = 500
const TAIL_WAIT_MS = 300
const HEADER = ['refused', 'id', 'listener', 'address', 'tls', 'code', 'certificate', 'reason']
const TAIL_WIDTHS = [24, 10, 9, 15, 7, 20, 30, 1]

export function refusalsCommand(): Command {
  return group('refusals', 'Look at who was refused, and why', [listCommand(), showCommand(), tailCommand()])
}

function withFilters(command: Command): Command {
  return command
    .option('--reason <code>', 'only this reason, such as unknown_issuer; may be repeated', refusalCode)
    .option('--address <address>', 'only callers from this address')
    .addOption(new Option('--listener <name>', 'only this listener').choices(LISTENER_NAMES))
}

function refusalCode(text: string, earlier: RefusalCode[] = []): RefusalCode[] {
  if (!isRefusalCode(text)) throw new InvalidArgumentError(`one of ${REFUSAL_CODES.join(', ')}.`)
  return [...earlier, text]
}

function listCommand(): Command {
  return withFilters(withListing(new Command('list'), 50))
    .description('List refusals, newest first')
    .option('--since <time>', 'refused then or later: ISO 8601, or an age such as 2h', timeOrAge)
    .action(action(list))
}

async function list(options: ListOptions & FilterOptions): Promise<void> {
  const reader = await openStoreReader(readConfig(options).storage.file)
  try {
    const rows: ReturnType<typeof rowOf>[] = []
    for await (const refusal of newestFirst(reader, filterOf(options), options.limit)) {
      if (options.json === true) await printLine(refusalView(refusal))
      else rows.push(rowOf(refusal))
    }
    if (options.json !== true) await print(rows.length === 0 ? 'no refusals\n' : tableOf(HEADER, rows))
  } finally {
    await reader.close()
  }
}

async function* newestFirst(reader: StoreReader, filter: RefusalFilter, limit: number): AsyncGenerator<RefusalRecord> {
  let left = limit
  let before = Number.MAX_SAFE_INTEGER
  while (left > 0) {
    const page = await reader.listRefusals({ ...filter, before, newestFirst: true }, Math.min(left, PAGE))
    yield* page.refusals
    left -= page.refusals.length
    before = page.next
    if (!page.more) return
  }
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one refusal with the certificates that the caller showed')
    .argument('<id>', 'the refusal, rfs_…')
    .option('--json', 'as one JSON object')
    .action(action(show))
}

async function show(id: string, options: ConfigOption & { json?: boolean }): Promise<void> {
  const reader = await openStoreReader(readConfig(options).storage.file)
  try {
    const view = refusalView(await findRefusal(reader, id))
    if (options.json === true) return await printLine(view)
    const { chain, ...fields } = view
    await print(sectionOf('refusal', fields))
    for (const [index, certificate] of chain.entries())
      await print(sectionOf(index === 0 ? 'its certificate' : `certificate ${index + 1}`, certificate))
  } finally {
    await reader.close()
  }
}

function tailCommand(): Command {
  return withFilters(withConfig(new Command('tail')))
    .description('Show refusals as they come, until Ctrl-C')
    .option('--since <time>', 'begin with those refused then or later: ISO 8601, or an age such as 2h', timeOrAge)
    .option('--json', 'one JSON object a line')
    .action(action(tail))
}

async function tail(options: ConfigOption & FilterOptions & { json?: boolean }): Promise<void> {
  const reader = await openStoreReader(readConfig(options).storage.file)
  let isEnded = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isEnded = true))
  let after = options.since === undefined ? await reader.latestRefusal() : 0
  if (options.json !== true) await print(lineOf(HEADER))
  while (!isEnded) {
    const page = await reader.listRefusals({ ...filterOf(options), after }, PAGE)
    for (const refusal of page.refusals) {
      if (options.json === true) await printLine(refusalView(refusal))
      else await print(lineOf(rowOf(refusal).map((cell) => printable(cell ?? '-'))))
    }
    after = page.next
    if (!page.more) await wait(TAIL_WAIT_MS)
  }
  await reader.close()
}

function lineOf(cells: readonly string[]): string {
  return `${cells
    .map((cell, column) => cell.padEnd(TAIL_WIDTHS[column] ?? 0))
    .join('  ')
    .trimEnd()}\n`
}

function filterOf({ reason, address, listener, since }: FilterOptions): RefusalFilter {
  return {
    ...(reason !== undefined && { codes: reason }),
    ...(address !== undefined && { address }),
    ...(listener !== undefined && { listener }),
    ...(since !== undefined && { refusedFrom: since }),
  }
}

function rowOf(refusal: RefusalRecord) {
  const { refusedAt, id, listener, remoteAddress, tlsVersion, code, chain, reason, detail, probe } =
    refusalView(refusal)
  const words = [reason, ...(detail === null ? [] : [detail]), ...(probe ? ["the service's probe"] : [])]
  return [refusedAt, id, listener, remoteAddress, tlsVersion, code, chain[0]?.subject ?? null, words.join('; ')]
}
