import { rmSync, statSync } from 'node:fs'
import { Command } from 'commander'
import { sqliteFileOf } from '../../config/config.ts'
import { PortariaError } from '../../platform/errors.ts'
import { realFileOf } from '../../platform/real-file.ts'
import { say } from '../../platform/said.ts'
import { openForWriting } from '../../store/sqlite/database/connection.ts'
import { checkDatabaseFile } from '../../store/sqlite/database/database-file.ts'
import { createFinder, type LastKnown, lastKnownFile, readLastKnown } from '../../store/sqlite/database/last-known.ts'
import { lockDatabase } from '../../store/sqlite/database/lock.ts'
import { migrate } from '../../store/sqlite/database/migrations.ts'
import { skipPositions } from '../../store/sqlite/maintenance/skipped-positions.ts'
import { readConfig } from '../config-file.ts'
import { confirm } from '../confirm.ts'
import { giveToFolderOwner } from '../new-files.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, printResult } from '../output.ts'

const NO_NOTE =
  'PostgreSQL has no loss to confirm; after a restore to an earlier time let consumers read again from there'

interface ConfirmOptions extends ConfigOption {
  readonly yes?: boolean
}

export function confirmLossCommand(): Command {
  return withConfig(new Command('confirm-loss'))
    .description(
      'Accept that events are missing, and continue with the present database or a new one; the gateway must be stopped',
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nMissing events stay missing. Every poller gets 410 once, because events may be lost.')
    .action(action(confirmLoss))
}

async function confirmLoss(options: ConfirmOptions): Promise<void> {
  const file = realFileOf(sqliteFileOf(readConfig(options), NO_NOTE))
  const unlock = lockDatabase(file, 0)
  try {
    const known = readLastKnown(file)
    if (known === null)
      throw new PortariaError('conflict', say`no loss is known: there is no ${{ file: lastKnownFile(file) }}`)
    // A missing database is created; an unusable file must be moved away first.
    if (isThere(file) || hasLog(file)) checkDatabaseFile(file, isThere(file) ? known : null)
    if (options.yes !== true && !(await confirm(questionOf(file, known))))
      throw new PortariaError('conflict', say`nothing was changed`)
    const position = goOn(file, known)
    await printResult(options, { file, knownPosition: known.position, position }, wordsFor(file, known, position))
  } finally {
    unlock()
    giveToFolderOwner(file)
  }
}

function isThere(file: string): boolean {
  return sizeOf(file) > 0
}

function hasLog(file: string): boolean {
  return sizeOf(`${file}-wal`) > 0
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** @returns the position of the last event in the database */
function goOn(file: string, known: LastKnown): number {
  const db = openForWriting(file)
  try {
    const { position } = createFinder(db)()
    migrate(db)
    // New events get positions after everything that pollers have read from the lost database.
    db.transaction(() => skipPositions(db, Date.now(), known.position)).exclusive()
    rmSync(lastKnownFile(file), { force: true })
    return position
  } finally {
    db.close()
  }
}

function questionOf(file: string, known: LastKnown): string {
  const there = isThere(file) ? `Continue with ${file} as it is` : `Create a new database ${file}`
  return `${there}, and give up missing events up to position ${known.position}, which was known at ${known.savedAt}?`
}

function wordsFor(file: string, known: LastKnown, position: number): string {
  const kept = position === 0 ? 'holds no events' : `holds events up to position ${position}`
  return `${file} ${kept}; position ${known.position} was known. Missing events stay missing: ask the service to send them again.
Every poller gets 410 once, because events may be lost. Start the gateway.
`
}
