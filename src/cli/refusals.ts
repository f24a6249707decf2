import { Command, InvalidArgumentError, Option } from 'commander'
import type { AnswerOf } from '../api/http/contract.ts'
import { REFUSAL_READS } from '../api/refusals/contract.ts'
import { REFUSAL_CODES, REFUSING_LISTENERS, type RefusalCode } from '../domain/refusal.ts'
import { iso } from '../platform/time.ts'
import { withCaller } from './caller.ts'
import { translated } from './language/language.ts'
import { follow, type Listing } from './listing/listing.ts'
import { type PeriodOptions, withFrom, withPeriod } from './listing/period.ts'
import { type ConfigOption, remoteGroup, withConfig, withListing, withRealm } from './options.ts'
import { action, sectionOf } from './output.ts'
import { lists, queryFrom, shows } from './plain-actions.ts'
import { realmText } from './remote/lists.ts'
import { tailOf } from './remote/tail.ts'

type RefusalView = AnswerOf<typeof REFUSAL_READS.showRefusal>

const LISTING: Listing<RefusalView> = {
  columns: [
    { name: 'refused', of: 'refusedAt' },
    'id',
    { name: 'listener', leftOut: 3 },
    { name: 'environment', of: realmText, leftOut: 2 },
    { name: 'address', of: 'remoteAddress' },
    { name: 'tls', of: 'tlsVersion', leftOut: 1 },
    { name: 'code', leftOut: 4 },
    { name: 'certificate', of: ({ chain }) => chain[0]?.subject ?? null, cut: 'left' },
    { name: 'reason', of: reasonText, cut: 'right' },
  ],
  none: 'no refusals',
}
const USUAL = [iso(0), ...[10, 9, 11, 15, 7, 20, 30, 40].map((width) => ' '.repeat(width))]

export function refusalsCommand(): Command {
  return remoteGroup('refusals', [listCommand(), showCommand(), tailCommand()])
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
    .action(lists(REFUSAL_READS.listRefusals, LISTING, { order: 'desc' }))
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one refusal with the peer certificates')
    .argument('<id>', 'the refusal, rfs_…')
    .option('--json', 'print one JSON object')
    .action(shows(REFUSAL_READS.showRefusal, textOf))
}

function textOf({ chain, ...fields }: RefusalView): string {
  const titleOf = (index: number) => (index === 0 ? 'its certificate' : `certificate ${index + 1}`)
  const certificates = chain.map((certificate, index) => sectionOf(titleOf(index), certificate))
  return [sectionOf('refusal', { ...fields, reason: translated(fields.reason) }), ...certificates].join('')
}

function tailCommand(): Command {
  const command = withFilters(withConfig(new Command('tail')))
  return withFrom(command, 'begin with refusals of this time or later, such as "2026-11-22 10:00" (local time) or 2h')
    .description('Show new refusals as they happen, until Ctrl-C')
    .option('--json', 'print one JSON object per line')
    .action(action(tail))
}

async function tail(options: ConfigOption & PeriodOptions): Promise<void> {
  const followed = { query: queryFrom(REFUSAL_READS.listRefusals, options), isFromNow: options.from === undefined }
  await withCaller(options, async (caller) => {
    const tail = await tailOf(caller, REFUSAL_READS.listRefusals, followed)
    await follow({ ...tail, usual: USUAL }, LISTING, options)
  })
}

function reasonText({ reason, detail, probe }: RefusalView): string {
  const words = [reason, ...(detail === null ? [] : [detail]), ...(probe ? ["the service's probe"] : [])]
  return words.map(translated).join('; ')
}
