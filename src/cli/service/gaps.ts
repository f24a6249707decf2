import { Command } from 'commander'
import { type GapsView, gapsView } from '../../api/reconcile/view.ts'
import { type Config, realmsOf } from '../../config/config.ts'
import { isInRealm, type RealmFilter, realmOf } from '../../domain/realm.ts'
import { iso } from '../../platform/time.ts'
import { readConfig } from '../config-file.ts'
import { getFromGateway, withRemote } from '../control-client.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { timeOrAge } from '../listing/period.ts'
import { type ListOptions, wholeNumber, withConfig, withRealm } from '../options.ts'
import { action, printable, printLine, printText } from '../output.ts'
import { withReader } from '../reader.ts'
import { chosenRemote } from '../remote/chosen.ts'

interface GapsFlags extends ListOptions, RealmFilter {
  readonly since?: number
}

type Day = GapsView['data'][number]

const LISTING: Listing<Day> = {
  header: [
    ...['day', 'kind'],
    { name: 'environment', leftOut: 3 },
    'received',
    'reconciled',
    { name: 'duplicates', leftOut: 2 },
    'unknown',
    { name: 'delay', leftOut: 1 },
    { name: 'settled by', cut: 'right' },
  ],
  rowOf: ({ day, kind, institution, environment, received, reconciled, duplicates, unknown, delay, settledBy }) => [
    ...[day, kind, realmOf(institution, environment), received, reconciled, duplicates, unknown],
    ...[delay === null ? null : `${delay} s`, settledBy],
  ],
  none: 'no events, and no gaps',
}

export function gapsCommand(): Command {
  const command = withConfig(new Command('gaps'))
    .description('List by day what was received, asked for at the service, and missed: "what cannot be known?"')
    .option('--since <time>', 'from this UTC day on, such as 2026-11-22, or an age such as 7d', timeOrAge)
    .option('--limit <n>', 'show at most this many', wholeNumber, 100)
    .option('--json', 'print one JSON object, as GET /v1/gaps answers')
  return withRealm(command).action(action(gaps))
}

async function gaps({ json, ...flags }: GapsFlags): Promise<void> {
  const view = await gapsFor(flags)
  if (json === true) return printLine(view)
  await printList(view.data, LISTING, { json })
  await printText(openingsText(view))
}

/** A running gateway takes up the newest events first. */
async function gapsFor(flags: GapsFlags): Promise<GapsView> {
  const target = targetOf(flags)
  if (chosenRemote() !== null) return withRemote((call) => call<GapsView>('GET', target))
  const config = readConfig(flags)
  return (await getFromGateway<GapsView>(config, target)) ?? (await readGaps(config, flags))
}

function targetOf({ since, limit, institution, environment }: GapsFlags): string {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(since !== undefined && { since: iso(since) }),
    ...(institution !== undefined && { institution }),
    ...(environment !== undefined && { environment }),
  })
  return `/v1/gaps?${query}`
}

function readGaps(config: Config, { since, limit, institution, environment }: GapsFlags): Promise<GapsView> {
  const isFiltered = institution !== undefined || environment !== undefined
  const environments = realmsOf(config).filter((realm) => isInRealm({ institution, environment }, realm))
  const query = {
    limit,
    ...(since !== undefined && { since: iso(since).slice(0, 10) }),
    ...(isFiltered && { environments }),
  }
  return withReader(config, async (reader) => gapsView(await reader.listGaps(query)))
}

function openingsText({ openings }: GapsView): string {
  if (openings.length === 0) return ''
  const ids = openings.map((id) => `  ${printable(id)}\n`)
  return `\nopenings that wait or were refused, the service does not tell which:\n${ids.join('')}`
}
