import { Command, InvalidArgumentError, Option } from 'commander'
import { findRefusal, isRefusalCode, refusalView } from '../api/refusals/view.ts'
import type { Config } from '../config/config.ts'
import type { RealmFilter } from '../domain/realm.ts'
import {
  REFUSAL_CODES,
  REFUSING_LISTENERS,
  type RefusalCode,
  type RefusalFilter,
  type RefusingListener,
} from '../domain/refusal.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { given } from '../platform/given.ts'
import { iso } from '../platform/time.ts'
import { queryOf } from './asking.ts'
import { askOrRead } from './control-client.ts'
import { checkInstitution } from './kinds.ts'
import { translated } from './language/language.ts'
import { follow, type Listing, NEWEST, OLDEST, type Page, pageByPage, printList } from './listing/listing.ts'
import { type PeriodOptions, withFrom, withPeriod } from './listing/period.ts'
import { type ConfigOption, group, type ListOptions, withConfig, withListing, withRealm } from './options.ts'
import { action, printResult, sectionOf } from './output.ts'
import { itemsOf, periodOf, realmText } from './remote/lists.ts'
import { remoteTail } from './remote/tail.ts'

interface FilterOptions extends PeriodOptions, RealmFilter {
  readonly reason?: RefusalCode[]
  readonly address?: string
  readonly listener?: RefusingListener
}

type RefusalView = ReturnType<typeof refusalView>

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
  if (!isRefusalCode(text)) throw new InvalidArgumentError(`Known are ${REFUSAL_CODES.join(', ')}.`)
  return [...earlier, text]
}

function listCommand(): Command {
  return withPeriod(withFilters(withListing(new Command('list'), 50)), 'refused')
    .description('List refusals, newest first')
    .action(action(list))
}

async function list(options: ListOptions & FilterOptions): Promise<void> {
  const { limit } = options
  await askOrRead(options, {
    ask: (call) => {
      const query = remoteQueryOf(options, { order: 'desc' })
      return printList(itemsOf<RefusalView>(call, '/v1/refusals', { query, limit }), LISTING, options)
    },
    read: async (reader, config) => {
      await checkNames(options, config, reader)
      const filter = filterOf(options)
      const read = (before: number, limit: number) => pageOf(reader, { ...filter, before, newestFirst: true }, limit)
      await printList(pageByPage(read, { limit, from: NEWEST }), LISTING, options)
    },
  })
}

function remoteQueryOf(options: FilterOptions, more: { readonly order?: 'desc' } = {}): URLSearchParams {
  const { reason, institution, environment, address, listener, ...period } = options
  return queryOf(Object.assign({ reason, institution, environment, address, listener }, periodOf(period), more))
}

async function checkNames({ institution }: FilterOptions, config: Config, reader: StoreReader): Promise<void> {
  const isKept = async (filter: RefusalFilter) => (await reader.listRefusals(filter, 1)).refusals.length > 0
  await checkInstitution(institution, config, isKept)
}

/** The store's page of refusals as a `Page`. */
async function pageOf(reader: StoreReader, filter: RefusalFilter, limit: number): Promise<Page<RefusalView>> {
  const { refusals, ...page } = await reader.listRefusals(filter, limit)
  return { ...page, items: refusals.map(refusalView) }
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one refusal with the peer certificates')
    .argument('<id>', 'the refusal, rfs_…')
    .option('--json', 'print one JSON object')
    .action(action(show))
}

async function show(id: string, options: ConfigOption): Promise<void> {
  const view = await askOrRead(options, {
    ask: (call) => call<RefusalView>('GET', `/v1/refusals/${encodeURIComponent(id)}`),
    read: async (reader) => refusalView(await findRefusal(reader, id)),
  })
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
  const isFromNow = options.from === undefined
  await askOrRead(options, {
    async ask(_, gateway) {
      const query = remoteQueryOf(options)
      const tail = await remoteTail<RefusalView>(gateway, { path: '/v1/refusals', query, isFromNow })
      await follow({ ...tail, usual: USUAL }, LISTING, options)
    },
    async read(reader, config) {
      await checkNames(options, config, reader)
      const filter = filterOf(options)
      const after = isFromNow ? await reader.latestRefusal() : OLDEST
      const read = (after: number, limit: number) => pageOf(reader, { ...filter, after }, limit)
      await follow({ after, read, usual: USUAL }, LISTING, options)
    },
  })
}

function filterOf({ reason, institution, environment, address, listener, from, to }: FilterOptions): RefusalFilter {
  return given({ codes: reason, institution, environment, address, listener, refusedFrom: from, refusedTo: to })
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
