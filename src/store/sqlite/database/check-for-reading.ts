import { PortariaError } from '../../../platform/errors.ts'
import { realFileOf } from '../../../platform/real-file.ts'
import { checkReadable, openForReading } from './connection.ts'
import { checkDatabaseFile } from './database-file.ts'
import { createFinder, type LastKnown, readLastKnown, refuseLess } from './last-known.ts'

/**
 * Checks that a command may open the configured database.
 * @returns its last known state, for `refuseLess`; null: none
 * @throws PortariaError `store_missing`, `store_unavailable`
 */
export function checkForReading(named: string): LastKnown | null {
  const file = realFileOf(named)
  const there = whyNotReadable(named)
  if (there !== null && there.code !== 'store_missing') throw there
  const known = readLastKnown(file)
  checkDatabaseFile(file, known)
  if (there !== null) throw there
  return known
}

/** For a verification: in words, what the database held when the note was written, and does not hold any more; none: it holds all. */
export function lostSince(file: string, known: LastKnown): string[] {
  const db = openForReading(file)
  try {
    // Whether it is damaged, the verification finds out.
    refuseLess(file, { ...known, damage: null }, createFinder(db)())
    return []
  } catch (error) {
    if (error instanceof PortariaError) return [error.message]
    throw error
  } finally {
    db.close()
  }
}

function whyNotReadable(file: string): PortariaError | null {
  try {
    checkReadable(file)
    return null
  } catch (error) {
    if (error instanceof PortariaError) return error
    throw error
  }
}
