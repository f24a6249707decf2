import { Command, InvalidArgumentError } from 'commander'
import type { ConfigWithServiceSecrets } from '../../config/config.ts'
import { realmNamed } from '../../config/institutions.ts'
import { loadChargeToken } from '../../config/load-config.ts'
import type { Realm } from '../../domain/realm.ts'
import type { ChargeResource } from '../../domain/service/charge-route.ts'
import { say } from '../../platform/said.ts'
import { readServiceConfig } from '../config-file.ts'
import { translated } from '../language/language.ts'
import { readOptionFile } from '../option-files.ts'
import { group } from '../options.ts'
import { EXIT, printable, printLine, printText, wrongUsage } from '../output.ts'
import { progressUnless } from '../progress.ts'
import { withReader } from '../reader.ts'
import { withServiceClient } from './connection.ts'
import { checkId, idsOf } from './id-files.ts'
import { knownIds } from './known-ids.ts'
import { type Change, lockReport, MOVE_RESULTS, type Moved, type MoveResult, openReport } from './move-report.ts'
import { moveAll } from './move-run.ts'
import {
  type ChangeOptions,
  mayChange,
  type ServiceOptions,
  serviceAction,
  withChange,
  withService,
} from './options.ts'
import { chargeUrl, masked } from './own-addresses.ts'
import { createPace } from './pace.ts'

interface MoveFlags extends ServiceOptions, ChangeOptions {
  readonly file?: string
  readonly all?: boolean
  readonly url?: string
  readonly oldUrl?: string
  /** Requests a second. */
  readonly rate: number
  readonly report?: string
  readonly customId?: string
}

const LARGEST_FILE = 64 * 1024 * 1024

export function chargesCommand(): Command {
  const command = moveCommand('set-notification-url', 'charge').description(
    'Set the notification_url of charges at the service to the address of this gateway',
  )
  return group('charges', [command]).description('Change charges at the service')
}

export function subscriptionsCommand(): Command {
  const command = moveCommand('set-metadata', 'subscription')
    .description('Set the notification_url of subscriptions at the service, for all their charges, or their custom_id')
    .option('--custom-id <text>', 'with one id: its custom_id; without --url only this is changed')
  return group('subscriptions', [command]).description('Change subscriptions at the service')
}

function moveCommand(name: string, resource: ChargeResource): Command {
  return withChange(withService(new Command(name)))
    .argument('[id]', `id of the ${resource}`)
    .option('--file <file>', `CSV with ids in the column ${resource}_id, or in the first one`)
    .option('--all', `every ${resource} that a stored event names and that has another address`)
    .option('--url <url>', 'address to set (default: that of the charge listener, with its last token)')
    .option('--old-url <text>', 'change only records whose address begins with this')
    .option('--rate <n>', 'most requests per second', rate, 5)
    .option('--report <file>', 'file with the outcome of each id, JSON Lines; a further run skips finished ids')
    .option('--json', 'print one JSON object per id, then the totals')
    .action(serviceAction((id: string | undefined, options: MoveFlags) => move(resource, id, options)))
}

function rate(text: string): number {
  if (!/^[0-9]{1,4}(\.[0-9]{1,2})?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError('It must be a number of requests per second above 0, such as 5 or 0.5.')
  return Number(text)
}

async function move(resource: ChargeResource, id: string | undefined, flags: MoveFlags): Promise<void> {
  const { dryRun = false } = flags
  checkUsage(id, flags)
  const config = readServiceConfig(flags)
  const realm = realmNamed(config, flags)
  const change: Change = { resource, realm, url: urlOf(config, realm, flags), customId: flags.customId ?? null }
  const ids = await idsFor(config, change, { ...flags, id })
  const unlock = dryRun || flags.report === undefined ? () => undefined : lockReport(flags.report)
  try {
    await moveIds(config, ids, { flags, change })
  } finally {
    unlock()
  }
}

interface MoveOrder {
  readonly flags: MoveFlags
  readonly change: Change
}

async function moveIds(config: ConfigWithServiceSecrets, ids: readonly string[], { flags, change }: MoveOrder) {
  const { oldUrl = null, all = false, dryRun = false, json = false } = flags
  const report = openReport(flags.report ?? null, change)
  const left = ids.filter((one) => !report.isDone(one))
  const isAgreed = dryRun || left.length === 0 || (await mayChange(flags, questionOf(change, left.length)))
  if (!isAgreed) return
  const tally = createTally(left.length, { json, done: ids.length - left.length })
  await withServiceClient(config, change.realm, (client) =>
    moveAll(left, {
      client,
      change,
      oldUrl,
      isOnlyMoving: all,
      isDryRun: dryRun,
      report,
      turn: createPace(flags.rate),
      onMoved: tally.add,
    }),
  ).finally(tally.print)
}

/** @throws PortariaError `request_invalid` */
function checkUsage(id: string | undefined, { file, all = false, customId, url, oldUrl }: MoveFlags): void {
  const sources = [id !== undefined, file !== undefined, all].filter(Boolean).length
  if (sources !== 1) throw wrongUsage(say`give one id, --file FILE or --all`)
  if (customId !== undefined && id === undefined)
    throw wrongUsage(say`--custom-id is for one id: the same text for many would not identify them`)
  if (customId !== undefined && !/^[\p{L}\p{N}_\s-]{1,255}$/u.test(customId))
    throw wrongUsage(say`--custom-id takes 1 to 255 letters, digits, spaces, "_" and "-"`)
  if (url !== undefined && (!/^https?:\/\/.+$/.test(url) || !URL.canParse(url) || url.length > 255))
    throw wrongUsage(say`--url takes an address that begins with http:// or https://, of at most 255 characters`)
  if (oldUrl === '') throw wrongUsage(say`--old-url takes the beginning of an address`)
}

/** null: the address stays. */
function urlOf(config: ConfigWithServiceSecrets, realm: Realm, { url, customId }: MoveFlags): string | null {
  if (url !== undefined) return url
  // Before the token is read: without publicUrl it is of no use.
  if (customId === undefined) chargeUrl(config, '')
  return customId === undefined ? chargeUrl(config, loadChargeToken(config.file, realm)) : null
}

async function idsFor(
  config: ConfigWithServiceSecrets,
  { resource, realm }: Change,
  { id, file }: { id: string | undefined; file?: string },
): Promise<readonly string[]> {
  if (id !== undefined) return [checkId(id)]
  if (file !== undefined)
    return idsOf(readOptionFile('--file', file, LARGEST_FILE).toString('utf8'), `${resource}_id`, file)
  return withReader(config, (reader) => knownIds(reader, resource, realm))
}

function questionOf({ resource, realm, url, customId }: Change, count: number): string {
  const what = count === 1 ? `the metadata of one ${resource}` : `the notification_url of up to ${count} ${resource}s`
  const values = [...(url === null ? [] : [masked(url)]), ...(customId === null ? [] : [`custom_id ${customId}`])]
  return `Set ${what} (${realm}) to ${printable(values.join(' and '))}?`
}

const WORDS: Readonly<Record<MoveResult, string>> = {
  changed: 'changed',
  already: 'had the address already',
  skipped: 'left alone',
  would_change: 'would be changed',
  failed: 'failed',
}

function createTally(total: number, { json, done }: { json: boolean; done: number }) {
  const show = progressUnless(json || total < 2)
  const counts = Object.fromEntries(MOVE_RESULTS.map((result) => [result, 0])) as Record<MoveResult, number>
  const failures: Moved[] = []
  let seen = 0
  return {
    async add(moved: Moved): Promise<void> {
      seen++
      counts[moved.result]++
      if (moved.result === 'failed') failures.push(moved)
      if (json) await printLine(moved)
      const failed = failures.length === 0 ? '' : `, ${failures.length} failed`
      show({ share: seen / total, words: `${seen} of ${total}${failed}`, isEnded: seen === total })
    },
    async print(): Promise<void> {
      if (failures.length > 0) process.exitCode = EXIT.no
      const left = total - seen
      if (json) return printLine({ ok: failures.length === 0 && left === 0, total, ...counts, earlier: done, left })
      const rows = MOVE_RESULTS.filter((result) => counts[result] > 0).map(
        (one) => `${counts[one]} ${translated(WORDS[one])}\n`,
      )
      const earlier = done === 0 ? '' : `${done} done in an earlier run\n`
      const rest = left === 0 ? '' : `${left} not tried: repeat the command with the same --report\n`
      const reasons = failures.map(({ id, reason }) => `  ✗ ${id}: ${printable(reason ?? '')}\n`)
      await printText(`${rows.join('')}${earlier}${rest}${reasons.join('')}` || 'no id: nothing to do\n')
    },
  }
}
