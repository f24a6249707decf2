import { Command } from 'commander'
import { GAP_READS } from '../../api/reconcile/contract.ts'
import type { GapsView } from '../../api/reconcile/view.ts'
import { type RealmFilter, realmOf } from '../../domain/realm.ts'
import { iso } from '../../platform/time.ts'
import { withLiveCaller } from '../caller.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { timeOrAge } from '../listing/period.ts'
import { type ListOptions, wholeNumber, withConfig, withRealm } from '../options.ts'
import { action, printable, printLine, printText } from '../output.ts'
import { remotely } from '../remote/chosen.ts'

interface GapsFlags extends ListOptions, RealmFilter {
  readonly since?: number
}

type Day = GapsView['data'][number]

const LISTING: Listing<Day> = {
  columns: [
    ...(['day', 'kind'] as const),
    { name: 'environment', of: ({ institution, environment }) => realmOf(institution, environment), leftOut: 3 },
    'received',
    'reconciled',
    { name: 'duplicates', leftOut: 2 },
    'unknown',
    { name: 'delay', of: ({ delay }) => (delay === null ? null : `${delay} s`), leftOut: 1 },
    { name: 'settled by', of: 'settledBy', cut: 'right' },
  ],
  none: 'no events, and no gaps',
}

export function gapsCommand(): Command {
  const command = withConfig(remotely(new Command('gaps')))
    .description('List by day what was received, asked for at the service, and missed: "what cannot be known?"')
    .option('--since <time>', 'from this UTC day on, such as 2026-11-22, or an age such as 7d', timeOrAge)
    .option('--limit <n>', 'show at most this many', wholeNumber, 100)
    .option('--json', 'print one JSON object, as GET /v1/gaps answers')
  return withRealm(command).action(action(gaps))
}

async function gaps({ json, since, limit, institution, environment, ...options }: GapsFlags): Promise<void> {
  const query = { limit, institution, environment, since: since === undefined ? undefined : iso(since) }
  // A gateway that runs takes up the newest events first.
  const view = await withLiveCaller(options, ({ ask }) => ask(GAP_READS.listGaps, { query }))
  if (json === true) return printLine(view)
  await printList(view.data, LISTING, { json })
  await printText(openingsText(view))
}

function openingsText({ openings }: GapsView): string {
  if (openings.length === 0) return ''
  const ids = openings.map((id) => `  ${printable(id)}\n`)
  return `\nopenings that wait or were refused, the service does not tell which:\n${ids.join('')}`
}
