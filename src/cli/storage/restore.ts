import { lchownSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { sqliteFileOf } from '../../config/config.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { identifyDatabase, isSameDatabase } from '../../store/database-identity.ts'
import { refuseForeignNames } from '../../store/sqlite/database/database-file.ts'
import { readLastKnown } from '../../store/sqlite/database/last-known.ts'
import { lockDatabase } from '../../store/sqlite/database/lock.ts'
import type { Backup } from '../../store/sqlite/maintenance/backup.ts'
import { prepareRestored, replaceDatabase } from '../../store/sqlite/maintenance/replace.ts'
import { readConfig } from '../config-file.ts'
import { confirm, requireTerminal } from '../confirm.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, printResult, sizeInWords, wrongUsage } from '../output.ts'
import { copyDatabase } from './copy.ts'
import { checkThere, verifyWithProgress } from './verify.ts'

/** A socket unit that is still open would start the gateway with the next callback, in the middle of the restore. */
const STOP_WITH_SOCKETS = `Under systemd stop the sockets too, or the next callback starts the gateway again:
    systemctl stop portaria.socket portaria-charges.socket portaria-api.socket portaria.service
and afterwards start the sockets that you use, and the gateway:
    systemctl start portaria.socket portaria.service`

interface RestoreOptions extends ConfigOption {
  readonly yes?: boolean
}

export function restoreCommand(): Command {
  return withConfig(new Command('restore'))
    .description('Replace the database by a backup; the old database is kept, and the gateway must be stopped')
    .addHelpText('after', `\n${STOP_WITH_SOCKETS}`)
    .argument('<file>', 'the backup; it is checked first and never changed')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print one JSON object')
    .action(action(restore))
}

async function restore(named: string, options: RestoreOptions): Promise<void> {
  const instead = 'restore it with PostgreSQL: pg_restore of a pg_dump and then analyze, or a base backup and its WAL'
  const configured = sqliteFileOf(readConfig(options), instead)
  // Before the backup is checked, which may take minutes.
  if (options.yes !== true) requireTerminal('The database is to be replaced by a backup.')
  const backup = resolve(named)
  checkThere(backup)
  const database = identifyDatabase(configured)
  if (isSameDatabase(identifyDatabase(backup), database))
    throw wrongUsage(say`${{ named: backup }} is the database itself: name a backup`)
  checkLink(configured, database.file)
  // If the configured path is a link, the link stays, and the database stays on its disk.
  const { file } = database
  const owner = ownerOf(file)
  const unlock = lockDatabase(file, 0)
  try {
    giveTo(owner, `${file}.lock`)
    refuseForeignNames(file)
    await checkBackup(backup, options)
    if (options.yes !== true && !(await confirm(questionOf(file, backup))))
      throw new PortariaError('conflict', say`nothing was changed`)
    const restored = await putInPlace({ file, backup, owner, isQuiet: options.json === true })
    await printResult(options, restored, wordsFor(restored))
  } finally {
    unlock()
  }
}

interface Place {
  readonly file: string
  readonly backup: string
  readonly owner: Owner | null
  readonly isQuiet: boolean
}

async function putInPlace({ file, backup, owner, isQuiet }: Place): Promise<Restored> {
  removeCopies(file)
  const copy = `${file}${COPY}${process.pid}`
  const aside = `${file}.before-restore-${new Date().toISOString().replace(/[:.]/g, '')}`
  const before = sizeOf(file) === null ? null : aside
  const made = await copyDatabase({ file: backup, target: copy, leaveBytes: 0, isQuiet })
  try {
    prepareRestored(copy, Date.now(), readLastKnown(file)?.position)
    giveTo(owner, copy)
    replaceDatabase(file, { by: copy, aside })
  } catch (error) {
    const words = `${file} could not be replaced: ${systemWords(error)}; inspect it and ${aside}`
    throw new PortariaError('store_unavailable', words, { cause: error })
  } finally {
    rmSync(copy, { force: true })
  }
  return { file, backup, before, ...made }
}

const COPY = '.restoring-'

/** Removes copies of restores that were killed: the lock guarantees that no other restore is running. */
function removeCopies(file: string): void {
  const folder = dirname(file)
  for (const name of readdirSync(folder))
    if (name.startsWith(`${basename(file)}${COPY}`)) rmSync(join(folder, name), { force: true })
}

/** @throws PortariaError `request_invalid` if root would follow another user's link to a third user's file */
function checkLink(configured: string, file: string): void {
  const link = lstatSync(configured, { throwIfNoEntry: false })
  if (process.geteuid?.() !== 0 || !link?.isSymbolicLink()) return
  if (link.uid === 0 || link.uid === ownerOf(file)?.uid) return
  const words = `${configured} is a link to ${file}, and not of the same owner: name the database itself in storage.url`
  throw wrongUsage(words)
}

/** @throws PortariaError if the backup is not sound */
async function checkBackup(backup: string, { json }: RestoreOptions): Promise<void> {
  const { problems } = await verifyWithProgress(backup, { isQuiet: json === true })
  if (problems.length === 0) return
  throw new PortariaError(
    'store_unavailable',
    say`${{ backup }} is not sound, nothing was changed: use an earlier backup`,
    { details: problems },
  )
}

function questionOf(file: string, backup: string): string {
  const size = sizeOf(file)
  if (size === null) return `Create ${file} from ${backup} (${sizeInWords(sizeOf(backup) ?? 0)})?`
  return `Replace ${file} (${sizeInWords(size)}, kept aside) by ${backup} (${sizeInWords(sizeOf(backup) ?? 0)})?`
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The owner of the database, or else of its folder: files that root restores belong to the gateway. null: not root, nothing to change. */
function ownerOf(file: string): Owner | null {
  if (process.geteuid?.() !== 0) return null
  return statSync(file, { throwIfNoEntry: false }) ?? statSync(dirname(file), { throwIfNoEntry: false }) ?? null
}

/** Never through a link: the gateway's user could name any file of the machine. */
function giveTo(owner: Owner | null, file: string): void {
  if (owner !== null) lchownSync(file, owner.uid, owner.gid)
}

interface Restored extends Backup {
  readonly file: string
  readonly backup: string
  /** Where the old database is kept; null: there was none. */
  readonly before: string | null
}

function wordsFor({ file, backup, before, counts }: Restored): string {
  const { events = 0, deliveries = 0 } = counts
  const kept = before === null ? '' : `The old database is kept as ${before}: remove it when you no longer need it.\n`
  return `${file} is restored from ${backup}: ${events} events and ${deliveries} deliveries
${kept}Callbacks that came after the backup are missing: ask the service to send them again. Deliveries made since then may be sent
again, with the same webhook-id. Destinations, clients and secrets are those of the backup: those that were deleted, revoked
or rotated since then are valid again, and redacted data is back: redact it again. Start the gateway; under systemd with its sockets: systemctl start portaria.socket portaria.service
`
}
