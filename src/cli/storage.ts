import type { Command } from 'commander'
import { group } from './options.ts'
import { backupCommand } from './storage/backup.ts'
import { confirmClockCommand } from './storage/confirm-clock.ts'
import { confirmLossCommand } from './storage/confirm-loss.ts'
import { exportCommand } from './storage/export.ts'
import { moveCommand } from './storage/move.ts'
import { pruneCommand } from './storage/prune.ts'
import { redactCommand } from './storage/redact.ts'
import { reindexCommand } from './storage/reindex.ts'
import { restoreCommand } from './storage/restore.ts'
import { statsCommand } from './storage/stats.ts'
import { verifyCommand } from './storage/verify.ts'

export function storageCommand(): Command {
  return group('storage', [
    backupCommand(),
    restoreCommand(),
    confirmLossCommand(),
    verifyCommand(),
    statsCommand(),
    exportCommand(),
    pruneCommand(),
    redactCommand(),
    reindexCommand(),
    confirmClockCommand(),
    moveCommand(),
  ])
}
