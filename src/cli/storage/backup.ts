import { renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { sqliteFileOf } from '../../config/config.ts'
import { minFreeBytesOf } from '../../domain/disk-pressure.ts'
import { syncFolder } from '../../platform/atomic-file.ts'
import { PortariaError } from '../../platform/errors.ts'
import { inFolderOf } from '../../platform/foreign-links.ts'
import { realFileOf } from '../../platform/real-file.ts'
import { say } from '../../platform/said.ts'
import type { MinFreeSpace } from '../../platform/units.ts'
import { identifyDatabase, isSameDatabase } from '../../store/database-identity.ts'
import { freeSpaceFor } from '../../store/free-space.ts'
import { checkForReading } from '../../store/sqlite/database/check-for-reading.ts'
import type { Backup } from '../../store/sqlite/maintenance/backup.ts'
import { readConfig } from '../config-file.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, printResult, sizeInWords, wrongUsage } from '../output.ts'
import { copyDatabase } from './copy.ts'
import { deviceOf, isFileAt } from './files.ts'

interface BackupOptions extends ConfigOption {
  readonly force?: boolean
}

export function backupCommand(): Command {
  return withConfig(new Command('backup'))
    .description(
      'Back up the database to a file, with or without a running gateway; the backup holds payloads and secrets',
    )
    .argument('<file>', 'file of the backup; it appears once the backup is complete and checked')
    .option('--force', 'replace an existing file')
    .option('--json', 'print one JSON object')
    .action(action(backup))
}

async function backup(named: string, options: BackupOptions): Promise<void> {
  const config = readConfig(options)
  const { minFreeSpace } = config.storage
  const file = sqliteFileOf(config, 'back it up with PostgreSQL: pg_dump, or pg_basebackup and archived WAL')
  const target = resolve(named)
  checkTarget(target, file, options)
  checkForReading(file)
  const partial = `${target}.partial-${process.pid}`
  const leaveBytes = isSameDisk(file, dirname(target)) ? reserveBytesAt(file, minFreeSpace) : 0
  const made = await copyDatabase({ file, target: partial, leaveBytes, isQuiet: options.json === true })
  try {
    // The file may have been created during the copy.
    checkTarget(target, file, options)
    inFolderOf(target, (path) => renameSync(join(dirname(path), basename(partial)), path))
  } finally {
    rmSync(partial, { force: true })
  }
  syncFolder(dirname(target))
  await printResult(options, { file: target, ...made }, wordsFor(target, made))
}

function isSameDisk(one: string, other: string): boolean {
  const [here, there] = [one, other].map(deviceOf)
  return here !== null && here === there
}

/** On the gateway's disk, a backup must not make it refuse callbacks. */
function reserveBytesAt(file: string, reserve: MinFreeSpace): number {
  return minFreeBytesOf(reserve, freeSpaceFor(file)?.totalBytes ?? 0)
}

/** @throws PortariaError `request_invalid`, `conflict` */
function checkTarget(target: string, file: string, { force = false }: BackupOptions): void {
  const real = realFileOf(file)
  const databaseFiles = ['', '-wal', '-shm', '.lock', '.position'].map((end) => `${real}${end}`)
  if (databaseFiles.some((one) => isSameDatabase(identifyDatabase(one), identifyDatabase(target))))
    throw wrongUsage(say`${{ target }} belongs to the database itself: name another file`)
  if (isFileAt(target) && !force)
    throw new PortariaError('conflict', say`${{ target }} exists: name another file, or replace it with --force`)
}

function wordsFor(target: string, { bytes, counts }: Backup): string {
  const { events = 0, deliveries = 0 } = counts
  return `${target}: ${sizeInWords(bytes)}, ${events} events and ${deliveries} deliveries; opened and checked
It holds every payload, the secrets of the destinations and the key of access tokens: keep it as safe as the database.
Configuration and certificates are separate files, which are not in it.
`
}
