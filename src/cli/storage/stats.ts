import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { minFreeBytesOf } from '../../domain/disk-pressure.ts'
import type { RetentionWindow } from '../../domain/retention.ts'
import { nameOfDatabase } from '../../platform/postgres/postgres-address.ts'
import { say } from '../../platform/said.ts'
import { freeSpaceFor } from '../../store/free-space.ts'
import { daysUntilFull, type Growth, growthPerDay } from '../../store/growth.ts'
import { readPostgresStats } from '../../store/open-store.ts'
import type { DatabaseStats } from '../../store/rules/database-stats.ts'
import { checkForReading } from '../../store/sqlite/database/check-for-reading.ts'
import { readConfig } from '../config-file.ts'
import { runWithProgress } from '../database-job.ts'
import { translated } from '../language/language.ts'
import { tableOf } from '../listing/table.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, printResult, sectionOf, sizeInWords } from '../output.ts'

const DAY_MS = 86_400_000
const RECENT_DAYS = 7

export function statsCommand(): Command {
  return withConfig(new Command('stats'))
    .description('Show disk use by table, its growth, and when the disk will be full')
    .option('--json', 'print one JSON object')
    .action(action(stats))
}

async function stats(options: ConfigOption): Promise<void> {
  const config = readConfig(options)
  const now = Date.now()
  const view = viewOf(config, await readStats(config, now, options.json === true), now)
  await printResult(options, view, wordsFor(view))
}

async function readStats({ storage: { database } }: Config, now: number, isQuiet: boolean): Promise<DatabaseStats> {
  const recentSince = now - RECENT_DAYS * DAY_MS
  if (!('file' in database)) return readPostgresStats(database, { recentSince, now })
  const { file } = database
  checkForReading(file)
  const shown = { isQuiet, verb: 'measuring ', done: 'measured', interrupted: 'interrupted' }
  return runWithProgress('stats', { file, recentSince, now }, shown)
}

function viewOf({ storage }: Config, found: DatabaseStats, now: number) {
  const { database } = storage
  const space = 'file' in database ? freeSpaceFor(database.file) : null
  const minFreeBytes = space === null ? null : minFreeBytesOf(storage.minFreeSpace, space.totalBytes)
  const growth = growthOf(storage.retention, found, now)
  const usable = Math.max(0, (space?.freeBytes ?? 0) - (minFreeBytes ?? 0)) + (found.reusableBytes ?? 0)
  return {
    file: nameOfDatabase(database),
    bytes: found.bytes,
    reusableBytes: found.reusableBytes,
    walBytes: space?.walBytes ?? null,
    tables: found.tables,
    callbacksPerDay: Math.round(growth.callbacksPerDay),
    growthBytesPerDay: Math.round(growthPerDay(growth)),
    /** null: unknown on this system, or of PostgreSQL. */
    freeBytes: space?.freeBytes ?? null,
    minFreeBytes,
    daysUntilFull: space === null ? null : daysUntilFull(growth, usable),
    search: found.search,
  }
}

/** Extrapolates from the callbacks of the last days; new ones are assumed to be as large as stored ones. */
function growthOf(retention: RetentionWindow, found: DatabaseStats, now: number): Growth {
  const { all, withPayload, recent, oldestAt, oldestWithPayloadAt } = found.callbacks
  const payload = found.tables.find(({ name }) => name === 'callbacks')?.bytes ?? 0
  const rest = found.tables.reduce((sum, { bytes }) => sum + bytes, 0) - payload
  const ageDays = (time: number | null) => (time === null ? 0 : Math.max(0, now - time) / DAY_MS)
  const days = Math.min(Math.max(ageDays(oldestAt), 1), RECENT_DAYS)
  return {
    callbacksPerDay: recent / days,
    payloadBytes: payload / Math.max(withPayload, 1),
    metadataBytes: rest / Math.max(all, 1),
    payloadDays: retention.payloadMs / DAY_MS,
    metadataDays: retention.metadataMs / DAY_MS,
    payloadAgeDays: ageDays(oldestWithPayloadAt),
    metadataAgeDays: ageDays(oldestAt),
  }
}

function searchInWords({ indexBytes, indexedThrough, lagEvents, isRebuilding }: DatabaseStats['search']): string {
  const left =
    lagEvents === 1
      ? `1 event after position ${indexedThrough} is`
      : `${lagEvents} events after position ${indexedThrough} are`
  const behind = lagEvents === 0 ? 'every event is in it' : `${left} not in it yet`
  return `${sizeInWords(indexBytes)}; ${behind}${isRebuilding ? '; it is being made again' : ''}`
}

function sizeOrNull(bytes: number | null): string | null {
  return bytes === null ? null : sizeInWords(bytes)
}

function wordsFor(view: ReturnType<typeof viewOf>): string {
  const { tables, daysUntilFull: days } = view
  const rows = tables.map(({ name, rows, bytes, indexBytes }) => [
    name,
    rows,
    sizeInWords(bytes),
    sizeInWords(indexBytes),
  ])
  const full = days === null ? 'not within ten years' : days === 0 ? 'within a day' : `in ${days} days`
  return `${sectionOf(view.file, [
    ['size', sizeInWords(view.bytes)],
    ['reusable', sizeOrNull(view.reusableBytes)],
    ['write-ahead log', sizeOrNull(view.walBytes)],
    ['free on disk', sizeOrNull(view.freeBytes)],
    ['min free space', sizeOrNull(view.minFreeBytes)],
    [
      'growth',
      translated(
        say`${{ size: sizeInWords(view.growthBytesPerDay) }} a day, of ${{ count: view.callbacksPerDay }} callbacks`,
      ),
    ],
    [
      'full',
      view.freeBytes === null
        ? null
        : translated(`${full}, at this rate; what retention removes is taken into account`),
    ],
    ['search index', translated(searchInWords(view.search))],
  ])}${tableOf(['table', 'rows', 'size', 'indexes'], rows)}`
}
