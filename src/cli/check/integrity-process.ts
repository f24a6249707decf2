import { messageOf } from '../../platform/errors.ts'
import { openForReading } from '../../store/sqlite/database/connection.ts'

/** A process of its own, for SQLite's check cannot be interrupted: at its time limit the whole process is. Sends what is wrong, in words. */
function problemsOf(file: string): string[] {
  try {
    const db = openForReading(file)
    const rows = db.pragma('quick_check(5)') as { quick_check: string }[]
    db.close()
    return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
  } catch (error) {
    return [messageOf(error)]
  }
}

process.send?.(problemsOf(process.argv[2] ?? ''))
