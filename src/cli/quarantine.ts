import { Command, Option } from 'commander'
import type { AnswerOf } from '../api/http/contract.ts'
import { QUARANTINE_DECISIONS, QUARANTINE_READS } from '../api/quarantine/contract.ts'
import { QUARANTINE_REASONS, type QuarantineReason } from '../domain/accounts.ts'
import { QUARANTINE_STATES, type QuarantineState, UNPARSED_REASONS } from '../domain/quarantine.ts'
import type { RealmFilter } from '../domain/realm.ts'
import { withCaller, withChanger } from './caller.ts'
import { answeredDataText, printBody, printEvidence } from './evidence.ts'
import { type Listing, printList } from './listing/listing.ts'
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
import { action, print, printableJson, printResult, sectionOf, wrongUsage } from './output.ts'
import { chosenRemote } from './remote/chosen.ts'
import { type ItemOf, listed, periodOf, realmText } from './remote/lists.ts'

interface FilterOptions extends PeriodOptions, RealmFilter {
  readonly kind?: string[]
  readonly state?: QuarantineState
  readonly reason?: QuarantineReason
}

type FactView = ItemOf<typeof QUARANTINE_READS.listQuarantine>
type FactDetail = AnswerOf<typeof QUARANTINE_READS.showQuarantined>

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
  const query = { kind, institution, environment, state, reason, ...periodOf(options), order: 'desc' }
  await withCaller(options, (caller) =>
    printList(listed(caller, QUARANTINE_READS.listQuarantine, { limit, query }), LISTING, options),
  )
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
  if (options.raw === true) return printRaw(id, options)
  const answer = await withCaller(options, ({ bytes }) => bytes(QUARANTINE_READS.showQuarantined, { segments: { id } }))
  if (options.json === true) return print(`${printableJson(answer.toString())}\n`)
  const { evidence, unparsedReason, ...rest }: FactDetail = JSON.parse(answer.toString())
  const { contentType: _type, data: _data, dataBase64: _bytes, ...view } = rest
  const unparsed = unparsedReason && UNPARSED_REASONS[unparsedReason]
  await print(sectionOf('in quarantine', { ...view, unparsed }))
  await printEvidence(evidence, answeredDataText(answer))
}

/** The API has no bytes of what is no event. */
async function printRaw(id: string, options: ConfigOption): Promise<void> {
  if (chosenRemote() !== null) throw wrongUsage(NO_RAW)
  const [{ readConfig }, { withReader }] = await Promise.all([import('./config-file.ts'), import('./reader.ts')])
  const { findQuarantined } = await import('../api/quarantine/serializer.ts')
  await withReader(readConfig(options), async (reader) => printBody((await findQuarantined(reader, id)).evidence))
}

const NO_RAW =
  "--raw reads the body in the database, and works only on the gateway's machine: run it there, or use --json, which has the data of the fact"

type Decided = Pick<AnswerOf<typeof release>, 'id' | 'event'> & { readonly duplicate?: boolean }

const { releaseQuarantined: release, discardQuarantined: discard } = QUARANTINE_DECISIONS
const DECISIONS = { release, discard }

function decideCommand(verb: 'release' | 'discard', description: string): Command {
  return withReason(new Command(verb))
    .description(description)
    .argument('<id...>', 'one or more facts, qtn_…; stops at the first error')
    .option('--json', 'print one JSON object per line')
    .action(
      action((ids: string[], options: ChangeOption) =>
        withChanger(options, async ({ ask }) => {
          for (const id of ids) {
            const decided = await ask(DECISIONS[verb], { segments: { id } })
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
