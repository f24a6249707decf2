import { PortariaError } from '../../../platform/errors.ts'
import { realFileOf } from '../../../platform/real-file.ts'
import { checkReadable } from './connection.ts'
import { checkDatabaseFile } from './database-file.ts'
import { type LastKnown, readLastKnown } from './last-known.ts'

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

function whyNotReadable(file: string): PortariaError | null {
  try {
    checkReadable(file)
    return null
  } catch (error) {
    if (error instanceof PortariaError) return error
    throw error
  }
}
