import { COMMAND } from '../../platform/installation.ts'
import type { SearchVerification } from '../../store/sqlite/maintenance/verify-search.ts'
import { runWithProgress } from '../database-job.ts'
import { printable } from '../output.ts'

/** @throws PortariaError also when interrupted */
export function verifySearchWithProgress(file: string, { isQuiet }: { isQuiet: boolean }): Promise<SearchVerification> {
  const interrupted = `interrupted: the search index of ${file} was not checked completely`
  return runWithProgress('verifySearch', file, { isQuiet, done: 'search index checked', interrupted })
}

/** @param isOther the file is a backup or another database, which no command can change */
export function searchWords({ problems, events, runs, isRebuilding }: SearchVerification, isOther: boolean): string {
  if (problems.length > 0) {
    const list = problems.map((problem) => `  - ${printable(problem)}\n`).join('')
    const next = isOther
      ? `The events are not affected. After a restore make the index again: ${COMMAND} storage reindex`
      : `The events are not affected. Make the index again: ${COMMAND} storage reindex`
    return `The search index differs from the events:\n${list}${next}\n`
  }
  if (runs === 0) return 'The search index is empty: the gateway fills it\n'
  const older = isRebuilding ? '; it is being made again, and its older part was searched only for removed data' : ''
  return `The search index agrees with the events: ${events} are in it${older}\n`
}
