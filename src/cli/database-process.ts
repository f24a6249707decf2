import { setPriority } from 'node:os'
import { messageOf } from '../platform/errors.ts'
import { openForReading } from '../store/sqlite/database/connection.ts'
import { writeBackup } from '../store/sqlite/maintenance/backup.ts'
import { readStats } from '../store/sqlite/maintenance/stats.ts'
import { verifyDatabase } from '../store/sqlite/maintenance/verify.ts'
import { verifySearch } from '../store/sqlite/maintenance/verify-search.ts'
import { verifyAuditChain } from '../store/sqlite/verification/verify-audit-chain.ts'
import type { WrittenPoint } from '../store/verification/audit-verification.ts'
import type { VerifyStep } from '../store/verification/verification.ts'
import { serveParent } from './child-process.ts'

type Show = (step: VerifyStep) => void

/** What a child process does with a database, by name: each takes its input and a way to show its steps. */
const JOBS = {
  backup: writeBackup,
  quickCheck: (file: string, _show: Show) => quickCheck(file),
  stats: readStats,
  verify: verifyDatabase,
  verifyChain,
  verifySearch,
}

export type DatabaseJobs = typeof JOBS

/** Takes a minute of a core for millions of events: a gateway on the same machine goes first. */
function verifyChain({ file, expected }: { file: string; expected: readonly WrittenPoint[] }, show: Show) {
  setPriority(LOW_PRIORITY)
  return verifyAuditChain(file, expected, show)
}

const LOW_PRIORITY = 10

/** Problems that SQLite finds, in words. */
function quickCheck(file: string): string[] {
  try {
    const db = openForReading(file)
    const rows = db.pragma('quick_check(5)') as { quick_check: string }[]
    db.close()
    return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
  } catch (error) {
    return [messageOf(error)]
  }
}

const [, , name = '', input = ''] = process.argv
const job = JOBS[name as keyof DatabaseJobs] as (input: unknown, show: (step: unknown) => void) => unknown
await serveParent(async (show) => job(JSON.parse(input), show))
