import { Command, Option } from 'commander'
import { evidenceView } from '../api/events/serializer.ts'
import type { View } from '../api/http/schema-parts.ts'
import { quarantineHint } from '../api/quarantine/lookup.ts'
import type { quarantinedDetailSchema, quarantinedSchema, releasedSchema } from '../api/quarantine/schema.ts'
import { findQuarantined, quarantinedText, quarantinedView } from '../api/quarantine/serializer.ts'
import { QUARANTINE_REASONS, type QuarantineReason } from '../domain/accounts.ts'
import {
  QUARANTINE_STATES,
  type QuarantineFilter,
  type QuarantineState,
  UNPARSED_REASONS,
  type UnparsedReason,
  unparsedReasonOf,
} from '../domain/quarantine.ts'
import type { RealmFilter } from '../domain/realm.ts'
import { given } from '../platform/given.ts'
import { queryOf } from './asking.ts'
import { askOrRead, withChanges } from './control-client.ts'
import { answeredDataText, dataText, printBody, printEvidence } from './evidence.ts'
import { checkInstitution, checkKinds } from './kinds.ts'
import { type Listing, NEWEST, pageByPage, pageWith, printList } from './listing/listing.ts'
import { type PeriodOptions, withPeriod } from './listing/period.ts'
import {
  type ChangeOption,
  type ConfigOption,
  collect,
  group,
  type ListOptions,
  withConfig,
  withListing,
  withRealm,
  withReason,
} from './options.ts'
import { action, print, printableJson, printHint, printResult, sectionOf, wrongUsage } from './output.ts'
import { itemsOf, periodOf, realmText } from './remote/lists.ts'

interface FilterOptions extends PeriodOptions, RealmFilter {
  readonly kind?: string[]
  readonly state?: QuarantineState
  readonly reason?: QuarantineReason
}

type FactView = View<typeof quarantinedSchema>

const LISTING: Listing<FactView> = {
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
  const { kind, institution, environment, state, reason, limit } = options
  await askOrRead(options, {
    ask: (call) => {
      const filter = { kind, institution, environment, state, reason }
      const query = queryOf(Object.assign(filter, periodOf(options), { order: 'desc' }))
      return printList(itemsOf<FactView>(call, '/v1/quarantine', { query, limit }), LISTING, options)
    },
    read: async (reader, config) => {
      const isKept = async (filter: QuarantineFilter) => (await reader.listQuarantine(filter, 1)).length > 0
      await checkKinds(kind, config, { isKept: (one) => isKept({ kinds: [one] }) })
      await checkInstitution(institution, config, isKept)
      const filter = filterOf(options)
      const read = async (before: number, limit: number) => {
        const page = await reader.listQuarantine({ ...filter, before, newestFirst: true }, limit)
        return { ...pageWith(page, limit, ({ id }) => id), items: page.map(quarantinedView) }
      }
      await printList(pageByPage(read, { limit, from: NEWEST }), LISTING, options)
      if ((await read(NEWEST, 1)).items.length === 0) printHint(await quarantineHint(reader, filter))
    },
  })
}

function filterOf({ kind, institution, environment, state, reason, from, to }: FilterOptions): QuarantineFilter {
  return given({ kinds: kind, institution, environment, state, reason, receivedFrom: from, receivedTo: to })
}

function rowOf(fact: FactView) {
  const { receivedAt, id, kind, subject, status, seen, reason, state, event } = fact
  return [receivedAt, id, kind, realmText(fact), subject, status, seen, reason, state, event]
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
  await askOrRead(options, {
    async ask(_, gateway) {
      if (options.raw === true) throw wrongUsage(NO_RAW)
      const answer = await gateway.download({ method: 'GET', target: `/v1/quarantine/${encodeURIComponent(id)}` })
      if (options.json === true) return print(`${printableJson(answer.toString())}\n`)
      const { evidence, unparsedReason, ...rest } = JSON.parse(answer.toString()) as View<
        typeof quarantinedDetailSchema
      >
      const { contentType: _type, data: _data, dataBase64: _bytes, ...view } = rest
      await printFact({ view, unparsedReason, evidence, data: answeredDataText(answer) })
    },
    async read(reader) {
      const { fact, evidence } = await findQuarantined(reader, id)
      if (options.raw === true) return printBody(evidence)
      if (options.json === true) return print(`${printableJson(quarantinedText({ fact, evidence }))}\n`)
      const [view, unparsedReason] = [quarantinedView(fact), unparsedReasonOf(fact)]
      await printFact({ view, unparsedReason, evidence: evidenceView(evidence), data: dataText(fact) })
    },
  })
}

const NO_RAW =
  "--raw reads the body in the database, and works only on the gateway's machine: run it there, or use --json, which has the data of the fact"

async function printFact({
  view,
  unparsedReason,
  evidence,
  data,
}: {
  readonly view: FactView
  readonly unparsedReason: UnparsedReason | null
  readonly evidence: ReturnType<typeof evidenceView>
  readonly data: string
}): Promise<void> {
  const unparsed = unparsedReason && UNPARSED_REASONS[unparsedReason]
  await print(sectionOf('in quarantine', { ...view, unparsed }))
  await printEvidence(evidence, data)
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
