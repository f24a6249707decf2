import { statSync } from 'node:fs'
import type { SearchStateView } from '../../api/search/endpoints.ts'
import type { Config } from '../../config/config.ts'
import { isSearchBehind } from '../../domain/overview/light.ts'
import { spanText } from '../../domain/overview/reasons.ts'
import { PortariaError } from '../../platform/errors.ts'
import { realFileOf } from '../../platform/real-file.ts'
import { type DatabaseIdentity, identifyDatabase } from '../../store/database-identity.ts'
import { checkForReading } from '../../store/sqlite/database/check-for-reading.ts'
import { refuseNetworkFileSystem } from '../../store/sqlite/database/database-file.ts'
import { askGateway } from '../control-client.ts'
import { runDatabaseJob } from '../database-job.ts'
import { sizeInWords } from '../output.ts'
import { progressUnless, withElapsed } from '../progress.ts'
import { withReader } from '../reader.ts'
import type { CheckContext } from './context.ts'
import { type Finding, reportOn } from './finding.ts'
import { checkFreeSpace } from './free-space.ts'
import { checkPostgres } from './postgres.ts'

const { good, warning, problem, failure } = reportOn('storage')

/** Checks the database read-only, with or without a running gateway. */
export async function checkStorage(context: CheckContext, integrityLimitMs: number): Promise<Finding[]> {
  const { config } = context
  const { database } = config.storage
  if (!('file' in database)) return [...(await checkPostgres(config, database)), ...(await searchFindings(config))]
  const { file } = database
  const space = await checkFreeSpace(config, file)
  const unusable = unusableFinding(file)
  if (unusable !== null) return [unusable, ...(await heldFindings(config, file)), space]
  const schema = await schemaFinding(config, file)
  const [held, search] = await Promise.all([heldFindings(config, file), searchFindings(config)])
  return [schema, ...held, await integrityFinding(context, { file, limitMs: integrityLimitMs }), ...search, space]
}

/** Why the gateway cannot open the database; null: it can. */
function unusableFinding(file: string): Finding | null {
  try {
    refuseNetworkFileSystem(realFileOf(file))
    checkForReading(file)
    return null
  } catch (error) {
    if (!(error instanceof PortariaError)) throw error
    if (error.code === 'store_missing') return good('database', `${file} does not exist yet: it is created at start`)
    return failure('database.unusable', 'database', error.message, WHAT_IS_SAID)
  }
}

/** A running gateway keeps using a file that was removed or replaced until it notices. */
async function heldFindings(config: Config, file: string): Promise<Finding[]> {
  // The listener findings say why it does not answer.
  const gateway = await askGateway<{ database: DatabaseIdentity }>(config, 'GET', '/v1/gateway').catch(() => null)
  if (gateway === null || gateway.database.inode === identifyDatabase(file).inode) return []
  const found = `the running gateway has another file open than ${file}: its file was removed or replaced`
  const nextStep = 'see store.lost in its log: the gateway ends, and saves what it can'
  return [problem('database.replaced', 'open database', found, nextStep)]
}

const WHAT_IS_SAID = 'follow that advice, or restore a backup'

async function schemaFinding(config: Config, file: string): Promise<Finding> {
  try {
    await withReader(config, async () => {})
    return good('database', `${file}, ${sizeInWords(sizeOf(file))}`)
  } catch (error) {
    if (!(error instanceof PortariaError)) throw error
    // The schema is older: the gateway migrates it.
    if (error.code === 'store_missing')
      return warning('database.missing', 'database', error.message, 'start the gateway once')
    return failure('database.unusable', 'database', error.message, WHAT_IS_SAID)
  }
}

/** Only a running gateway fills the search index. */
async function searchFindings(config: Config): Promise<Finding[]> {
  // The listener findings say why it does not answer.
  const state = await askGateway<SearchStateView>(config, 'GET', '/v1/search').catch(() => null)
  const finding = state && searchFinding(state)
  return finding === null ? [] : [finding]
}

/** null: the index is not behind. The overview judges alike, without the reason. */
export function searchFinding(state: SearchStateView): Finding | null {
  if (!isSearchBehind(state)) return null
  const { lagEvents, lagSeconds, problem } = state
  const behind = `${lagEvents} events cannot be found yet, the oldest of them for ${spanText(lagSeconds)}`
  const [found, nextStep] =
    problem === null
      ? [behind, 'the index catches up by itself: look again later']
      : [`${behind}: ${problem}`, 'remove the cause, and the index catches up by itself']
  return warning('search_behind', 'search index', found, nextStep)
}

async function integrityFinding(
  { isQuiet }: CheckContext,
  { file, limitMs }: { readonly file: string; readonly limitMs: number },
): Promise<Finding> {
  const what = 'integrity'
  const size = sizeInWords(sizeOf(file))
  const shown = { show: progressUnless(isQuiet), words: `checking ${size} of database`, limitMs }
  const problems = await withElapsed(shown, quickCheck(file, limitMs))
  if (problems === null) {
    const found = `not finished within ${limitMs / 1000} s: ${size}`
    return warning('integrity.unfinished', what, found, 'give it more time with --integrity-limit SECONDS')
  }
  if (problems.length === 0) return good(what, 'SQLite found no error')
  const nextStep = 'stop the gateway, move the damaged files aside, and restore a backup; check the disk'
  return problem('integrity.damaged', what, problems.join('; '), nextStep)
}

/** Problems, in words; null when the time was not enough. */
async function quickCheck(file: string, limitMs: number): Promise<string[] | null> {
  const signal = AbortSignal.timeout(limitMs)
  try {
    return await runDatabaseJob('quickCheck', file, { signal, interrupted: 'interrupted' })
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
