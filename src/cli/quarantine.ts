import { Command, Option } from 'commander'
import type { AnswerOf } from '../api/http/contract.ts'
import { QUARANTINE_DECISIONS, QUARANTINE_READS } from '../api/quarantine/contract.ts'
import { QUARANTINE_REASONS } from '../domain/accounts.ts'
import { QUARANTINE_STATES, UNPARSED_REASONS } from '../domain/quarantine.ts'
import { withCaller } from './caller.ts'
import { answeredDataText, printBody, printEvidence } from './evidence.ts'
import type { Listing } from './listing/listing.ts'
import { withPeriod } from './listing/period.ts'
import { type ConfigOption, collect, remoteGroup, withConfig, withListing, withRealm, withReason } from './options.ts'
import { action, print, printableJson, sectionOf, wrongUsage } from './output.ts'
import { changes, lists } from './plain-actions.ts'
import { chosenRemote } from './remote/chosen.ts'
import { type ItemOf, realmText } from './remote/lists.ts'

type FactDetail = AnswerOf<typeof QUARANTINE_READS.showQuarantined>

const LISTING: Listing<ItemOf<typeof QUARANTINE_READS.listQuarantine>> = {
  columns: [
    { name: 'received', of: 'receivedAt' },
    ...(['id', 'kind'] as const),
    { name: 'environment', of: realmText, leftOut: 4 },
    { name: 'subject', cut: 'left' },
    { name: 'status', cut: 'right', leftOut: 3 },
    { name: 'seen', leftOut: 1 },
    { name: 'reason', leftOut: 2 },
    'state',
    { name: 'event', leftOut: 5 },
  ],
  none: 'nothing in quarantine',
}

export function quarantineCommand(): Command {
  return remoteGroup('quarantine', [
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
    .action(lists(QUARANTINE_READS.listQuarantine, LISTING, { order: 'desc' }))
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

type Decided = Pick<AnswerOf<typeof DECISIONS.release>, 'id' | 'event'> & { readonly duplicate?: boolean }

const DECISIONS = { release: QUARANTINE_DECISIONS.releaseQuarantined, discard: QUARANTINE_DECISIONS.discardQuarantined }

function decideCommand(verb: 'release' | 'discard', description: string): Command {
  return withReason(new Command(verb))
    .description(description)
    .argument('<id...>', 'one or more facts, qtn_…; stops at the first error')
    .option('--json', 'print one JSON object per line')
    .action(changes(DECISIONS[verb], wordsFor))
}

function wordsFor({ id, event, duplicate }: Decided): string {
  if (event === null) return `${id} is discarded\n`
  return duplicate ? `${id} is a duplicate of ${event}: there is no new event\n` : `${id} is ${event} now\n`
}
