import type { Connection } from './connection.ts'

/** Moves the write-ahead log into the database and truncates it. Outside of transactions; waits for no reader: false while one uses the log. */
export function checkpointWal(db: Connection): boolean {
  const [timeout] = db.pragma('busy_timeout') as { timeout: number }[]
  db.pragma('busy_timeout = 0')
  try {
    const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return checkpoint?.busy === 0
  } finally {
    db.pragma(`busy_timeout = ${timeout?.timeout ?? 0}`)
  }
}
