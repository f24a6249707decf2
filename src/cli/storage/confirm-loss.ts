import { rmSync, statSync } from 'node:fs'
import { Command } from 'commander'
import { PortariaError } from '../../platform/errors.ts'
import { realFileOf } from '../../platform/real-file.ts'
import { openForWriting } from '../../store/sqlite/database/connection.ts'
import { checkDatabaseFile } from '../../store/sqlite/database/database-file.ts'
import { createFinder, type LastKnown, lastKnownFile, readLastKnown } from '../../store/sqlite/database/last-known.ts'
import { lockDatabase } from '../../store/sqlite/database/lock.ts'
import { migrate } from '../../store/sqlite/database/migrations.ts'
import { skipPositions } from '../../store/sqlite/maintenance/skipped-positions.ts'
import { confirm } from '../confirm.ts'
import { giveToFolderOwner } from '../new-files.ts'
import { type ConfigOption, readConfig, withConfig } from '../options.ts'
import { action, print, printLine } from '../output.ts'

interface ConfirmOptions extends ConfigOption {
  readonly yes?: boolean
  readonly json?: boolean
}

export function confirmLossCommand(): Command {
  return withConfig(new Command('confirm-loss'))
    .description(
      'Go on with the database that is there, or with a new one, although events are missing; the gateway must be stopped',
    )
    .option('--yes', 'do not ask')
    .option('--json', 'as one JSON object')
    .addHelpText(
      'after',
      '\nThe events that are missing stay missing. Every poller is told once (410) that some may be lost.',
    )
    .action(action(confirmLoss))
}

async function confirmLoss(options: ConfirmOptions): Promise<void> {
  const file = realFileOf(readConfig(options).storage.file)
  const unlock = lockDatabase(file, 0)
  try {
    const known = readLastKnown(file)
    if (known === null)
      throw new PortariaError('conflict', `nothing is known of a loss: there is no ${lastKnownFile(file)}`)
    // A new database may be made; a file that cannot be used is moved away first.
    if (isThere(file) || hasLog(file)) checkDatabaseFile(file, isThere(file) ? known : null)
    if (options.yes !== true && !(await confirm(questionOf(file, known))))
      throw new PortariaError('conflict', 'nothing was changed')
    const position = goOn(file, known)
    await (options.json === true
      ? printLine({ file, knownPosition: known.position, position })
      : print(wordsFor(file, known, position)))
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

/** @returns up to which position the events are that are there */
function goOn(file: string, known: LastKnown): number {
  const db = openForWriting(file)
  try {
    const { position } = createFinder(db)()
    migrate(db)
    // What pollers have read of the lost database, nothing new comes in front of it.
    db.transaction(() => skipPositions(db, Date.now(), known.position)).exclusive()
    rmSync(lastKnownFile(file), { force: true })
    return position
  } finally {
    db.close()
  }
}

function questionOf(file: string, known: LastKnown): string {
  const there = isThere(file) ? `Go on with ${file} as it is` : `Make a new database ${file}`
  return `${there}, and give up what is missing of the events up to position ${known.position} of ${known.savedAt}?`
}

function wordsFor(file: string, known: LastKnown, position: number): string {
  const kept = position === 0 ? 'holds no events' : `holds events up to position ${position}`
  return `${file} ${kept}; position ${known.position} was known. What is missing stays missing: ask the service for it again.
Every poller is told once that events may be lost. Start the gateway.
`
}
