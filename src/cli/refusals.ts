import { Command, InvalidArgumentError, Option } from 'commander'
import type { AnswerOf } from '../api/http/contract.ts'
import { REFUSAL_READS } from '../api/refusals/contract.ts'
import type { RealmFilter } from '../domain/realm.ts'
import { REFUSAL_CODES, REFUSING_LISTENERS, type RefusalCode, type RefusingListener } from '../domain/refusal.ts'
import { iso } from '../platform/time.ts'
import { withCaller } from './caller.ts'
import { translated } from './language/language.ts'
import { follow, type Listing, printList } from './listing/listing.ts'
import { type PeriodOptions, withFrom, withPeriod } from './listing/period.ts'
import { type ConfigOption, group, type ListOptions, withConfig, withListing, withRealm } from './options.ts'
import { action, printResult, sectionOf } from './output.ts'
import { listed, periodOf, realmText } from './remote/lists.ts'
import { tailOf } from './remote/tail.ts'

interface FilterOptions extends PeriodOptions, RealmFilter {
  readonly reason?: RefusalCode[]
  readonly address?: string
  readonly listener?: RefusingListener
}

type RefusalView = AnswerOf<typeof REFUSAL_READS.showRefusal>

const LISTING: Listing<RefusalView> = {
  header: [
    { name: 'refused', isTime: true },
    'id',
    { name: 'listener', leftOut: 3 },
    { name: 'environment', leftOut: 2 },
    'address',
    { name: 'tls', leftOut: 1 },
    { name: 'code', leftOut: 4 },
    { name: 'certificate', cut: 'left' },
    { name: 'reason', cut: 'right' },
  ],
  rowOf,
  none: 'no refusals',
}
const USUAL = [iso(0), ...[10, 9, 11, 15, 7, 20, 30, 40].map((width) => ' '.repeat(width))]

export function refusalsCommand(): Command {
  return group('refusals', [listCommand(), showCommand(), tailCommand()])
}

function withFilters(command: Command): Command {
  return withRealm(command)
    .option('--reason <code>', 'only this reason code, such as unknown_issuer; may be repeated', refusalCode)
    .option('--address <address>', 'only callers from this address')
    .addOption(new Option('--listener <name>', 'only this listener').choices(REFUSING_LISTENERS))
}

function refusalCode(text: string, earlier: RefusalCode[] = []): RefusalCode[] {
  const code = REFUSAL_CODES.find((known) => known === text)
  if (code === undefined) throw new InvalidArgumentError(`Known are ${REFUSAL_CODES.join(', ')}.`)
  return [...earlier, code]
}

function listCommand(): Command {
  return withPeriod(withFilters(withListing(new Command('list'), 50)), 'refused')
    .description('List refusals, newest first')
    .action(action(list))
}

async function list(options: ListOptions & FilterOptions): Promise<void> {
  const query = { ...queryIn(options), order: 'desc' }
  await withCaller(options, (caller) =>
    printList(listed(caller, REFUSAL_READS.listRefusals, { limit: options.limit, query }), LISTING, options),
  )
}

function queryIn({ reason, institution, environment, address, listener, ...period }: FilterOptions) {
  return { reason, institution, environment, address, listener, ...periodOf(period) }
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one refusal with the peer certificates')
    .argument('<id>', 'the refusal, rfs_…')
    .option('--json', 'print one JSON object')
    .action(action(show))
}

async function show(id: string, options: ConfigOption): Promise<void> {
  const view = await withCaller(options, ({ ask }) => ask(REFUSAL_READS.showRefusal, { segments: { id } }))
  const { chain, ...fields } = view
  const titleOf = (index: number) => (index === 0 ? 'its certificate' : `certificate ${index + 1}`)
  const certificates = chain.map((certificate, index) => sectionOf(titleOf(index), certificate))
  await printResult(
    options,
    view,
    [sectionOf('refusal', { ...fields, reason: translated(fields.reason) }), ...certificates].join(''),
  )
}

function tailCommand(): Command {
  const command = withFilters(withConfig(new Command('tail')))
  return withFrom(command, 'begin with refusals of this time or later, such as "2026-11-22 10:00" (local time) or 2h')
    .description('Show new refusals as they happen, until Ctrl-C')
    .option('--json', 'print one JSON object per line')
    .action(action(tail))
}

async function tail(options: ConfigOption & FilterOptions): Promise<void> {
  const followed = { query: queryIn(options), isFromNow: options.from === undefined }
  await withCaller(options, async (caller) => {
    const tail = await tailOf(caller, REFUSAL_READS.listRefusals, followed)
    await follow({ ...tail, usual: USUAL }, LISTING, options)
  })
}

function rowOf(refusal: RefusalView) {
  const { refusedAt, id, listener, remoteAddress, tlsVersion, code, chain, reason, detail, probe } = refusal
  const words = [reason, ...(detail === null ? [] : [detail]), ...(probe ? ["the service's probe"] : [])]
  return [
    refusedAt,
    id,
    listener,
    realmText(refusal),
    remoteAddress,
    tlsVersion,
    code,
    chain[0]?.subject ?? null,
    words.map(translated).join('; '),
  ]
}
