import { Command, Option } from 'commander'
import { evidenceView } from '../api/events/serializer.ts'
import type { View } from '../api/http/schema-parts.ts'
import { quarantineHint } from '../api/quarantine/lookup.ts'
import type { releasedSchema } from '../api/quarantine/schema.ts'
import { findQuarantined, quarantinedText, quarantinedView } from '../api/quarantine/serializer.ts'
import { QUARANTINE_REASONS, type QuarantineReason } from '../domain/accounts.ts'
import {
  QUARANTINE_STATES,
  type QuarantinedFact,
  type QuarantineFilter,
  type QuarantineState,
  UNPARSED_REASONS,
  unparsedReasonOf,
} from '../domain/quarantine.ts'
import type { RealmFilter } from '../domain/realm.ts'
import { given } from '../platform/given.ts'
import { withChanges } from './control-client.ts'
import { dataText, printBody, printEvidence } from './evidence.ts'
import { checkInstitution, checkKinds } from './kinds.ts'
import { type Listing, NEWEST, pageByPage, pageWith, printList } from './listing/listing.ts'
import { type PeriodOptions, withPeriod } from './listing/period.ts'
import {
  type ChangeOption,
  type ConfigOption,
  collect,
  group,
  type ListOptions,
  readConfig,
  withConfig,
  withListing,
  withRealm,
  withReason,
} from './options.ts'
import { action, print, printableJson, printHint, printResult, sectionOf } from './output.ts'
import { withReader } from './reader.ts'

interface FilterOptions extends PeriodOptions, RealmFilter {
  readonly kind?: string[]
  readonly state?: QuarantineState
  readonly reason?: QuarantineReason
}

const LISTING: Listing<QuarantinedFact> = {
  header: [
    { name: 'received', isTime: true },
    ...['id', 'kind'],
    { name: 'environment', leftOut: 4 },
    { name: 'subject', cut: 'left' },
    { name: 'status', cut: 'right', leftOut: 3 },
    { name: 'seen', leftOut: 1 },
    { name: 'reason', leftOut: 2 },
    'state',
    { name: 'event', leftOut: 5 },
  ],
  rowOf,
  viewOf: quarantinedView,
  none: 'nothing in quarantine',
}

export function quarantineCommand(): Command {
  return group('quarantine', [
    listCommand(),
    showCommand(),
    decideCommand('release', 'Turn a fact into an event, which is forwarded and polled like a new one'),
    decideCommand('discard', 'Decide that a fact never becomes an event; it can still be shown'),
  ])
}

function listCommand(): Command {
  const command = withPeriod(withListing(new Command('list'), 50), 'received')
    .description('List facts in quarantine, newest first')
    .addOption(new Option('--state <state>', 'only facts in this state').choices(QUARANTINE_STATES))
    .option('--kind <name>', 'only this kind; may be repeated', collect)
  return withRealm(command)
    .addOption(new Option('--reason <reason>', 'only facts that are held for this reason').choices(QUARANTINE_REASONS))
    .action(action(list))
}

async function list(options: ListOptions & FilterOptions): Promise<void> {
  await withReader(readConfig(options), async (reader, config) => {
    const isKept = async (filter: QuarantineFilter) => (await reader.listQuarantine(filter, 1)).length > 0
    await checkKinds(options.kind, config, { isKept: (kind) => isKept({ kinds: [kind] }) })
    await checkInstitution(options.institution, config, isKept)
    const filter = filterOf(options)
    const read = async (before: number, limit: number) =>
      pageWith(await reader.listQuarantine({ ...filter, before, newestFirst: true }, limit), limit, ({ id }) => id)
    await printList(pageByPage(read, { limit: options.limit, from: NEWEST }), LISTING, options)
    if ((await read(NEWEST, 1)).items.length === 0) printHint(await quarantineHint(reader, filter))
  })
}

function filterOf({ kind, institution, environment, state, reason, from, to }: FilterOptions): QuarantineFilter {
  return given({ kinds: kind, institution, environment, state, reason, receivedFrom: from, receivedTo: to })
}

function rowOf(fact: QuarantinedFact) {
  const view = quarantinedView(fact)
  const { receivedAt, id, kind, subject, status, seen, reason, state, event } = view
  return [receivedAt, id, kind, fact.environment, subject, status, seen, reason, state, event]
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one fact: its data and its caller')
    .argument('<id>', 'the fact, qtn_…')
    .option('--json', 'print one JSON object')
    .option('--raw', 'print only the request body, byte for byte')
    .action(action(show))
}

async function show(id: string, options: ConfigOption & { raw?: boolean }): Promise<void> {
  const found = await withReader(readConfig(options), (reader) => findQuarantined(reader, id))
  if (options.raw === true) return printBody(found.evidence)
  if (options.json === true) return print(`${printableJson(quarantinedText(found))}\n`)
  const unparsed = unparsedReasonOf(found.fact)
  const why = unparsed && UNPARSED_REASONS[unparsed]
  await print(sectionOf('in quarantine', { ...quarantinedView(found.fact), unparsed: why }))
  await printEvidence(evidenceView(found.evidence), dataText(found.fact))
}

type Decided = Pick<View<typeof releasedSchema>, 'id' | 'event' | 'duplicate'>

function decideCommand(verb: 'release' | 'discard', description: string): Command {
  return withReason(new Command(verb))
    .description(description)
    .argument('<id...>', 'one or more facts, qtn_…; stops at the first error')
    .option('--json', 'print one JSON object per line')
    .action(
      action((ids: string[], options: ChangeOption) =>
        withChanges(options, async (call) => {
          for (const id of ids) {
            const decided = await call<Decided>('POST', `/v1/quarantine/${encodeURIComponent(id)}/${verb}`)
            await printResult(options, decided, wordsFor(decided))
          }
        }),
      ),
    )
}

function wordsFor({ id, event, duplicate }: Decided): string {
  if (event === null) return `${id} is discarded\n`
  return duplicate ? `${id} is a duplicate of ${event}: there is no new event\n` : `${id} is ${event} now\n`
}
