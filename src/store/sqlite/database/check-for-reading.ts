import { PortariaError } from '../../../platform/errors.ts'
import { realFileOf } from '../../../platform/real-file.ts'
import { checkReadable } from './connection.ts'
import { checkDatabaseFile } from './database-file.ts'
import { type LastKnown, readLastKnown } from './last-known.ts'

/**
 * What a command looks at before it opens the configured database.
 * @returns what was known of it last, for `refuseLess`; null: nothing
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
