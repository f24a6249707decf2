import { Command } from 'commander'
import { sqliteFileOf } from '../../config/config.ts'
import { PortariaError } from '../../platform/errors.ts'
import { checkForReading, lostSince } from '../../store/sqlite/database/check-for-reading.ts'
import type { LastKnown } from '../../store/sqlite/database/last-known.ts'
import type { Verification } from '../../store/sqlite/maintenance/verify.ts'
import type { WrittenPoint } from '../../store/sqlite/verification/verify-audit-chain.ts'
import { runWithProgress } from '../database-job.ts'
import { type ConfigOption, readConfig, withConfig } from '../options.ts'
import { action, EXIT, print, printable, printLine } from '../output.ts'
import { isFileAt } from './files.ts'
import { chainWords, verifyChainWithProgress, writtenPoint } from './verify-chain.ts'
import { searchWords, verifySearchWithProgress } from './verify-search.ts'

interface VerifyOptions extends ConfigOption {
  readonly chain?: boolean
  readonly expect?: readonly WrittenPoint[]
}

export function verifyCommand(): Command {
  return withConfig(new Command('verify'))
    .description(
      'Check the database: the integrity checks of SQLite, every invariant of the data, and the search index',
    )
    .argument('[file]', 'a backup or another database (default: storage.url); it is not changed')
    .option('--chain', 'also check the audit chain: no event was altered, inserted, or removed other than by retention')
    .option(
      '--expect <position:hash>',
      'also check a position and hash of the audit chain that an earlier run printed; may be repeated',
      writtenPoint,
    )
    .option('--json', 'print one JSON object')
    .action(action(verify))
}

async function verify(named: string | undefined, options: VerifyOptions): Promise<void> {
  const file = named ?? sqliteFileOf(readConfig(options), 'it cannot be verified yet')
  // Before the database is read: the note of a running gateway follows its commits.
  const known = named === undefined ? checkForReading(file) : null
  if (named !== undefined) checkThere(named)
  const { chain: isChainAsked = options.expect !== undefined, expect = [], json: isQuiet = false } = options
  const verification = await verifyAll(file, { known, isQuiet })
  // The audit chain of a damaged database cannot be read completely.
  const isReadable = Object.keys(verification.counts).length > 0
  const chain = isChainAsked && isReadable ? await verifyChainWithProgress(file, expect, { isQuiet }) : null
  const isSearchable = isReadable && verification.isCurrent && verification.problems.length === 0
  const search = isSearchable ? await verifySearchWithProgress(file, { isQuiet }) : null
  const isSound = [verification, chain, search].every((part) => part === null || part.problems.length === 0)
  const isProved = chain === null || chain.incomparable.length === 0
  if (isQuiet) await printLine({ file, isSound, ...verification, ...(isChainAsked && { chain }), search })
  else {
    const texts = [
      wordsFor(file, verification),
      search && searchWords(search, named !== undefined),
      // Ends with the point to write down.
      chain && chainWords(chain),
    ]
    await print(texts.filter((text) => text !== null).join(''))
  }
  if (!isSound || !isProved) process.exitCode = EXIT.no
}

/** @param options.known the state of the database when its note was written; null: unknown */
async function verifyAll(
  file: string,
  { known, isQuiet }: { known: LastKnown | null; isQuiet: boolean },
): Promise<Verification> {
  const verification = await verifyWithProgress(file, { isQuiet })
  const isReadable = Object.keys(verification.counts).length > 0
  if (known === null || !isReadable) return verification
  return { ...verification, problems: [...verification.problems, ...lostSince(file, known)] }
}

/** @throws PortariaError `not_found`, `request_invalid` */
export function checkThere(file: string): void {
  if (!isFileAt(file)) throw new PortariaError('not_found', `there is no ${file}: check the name of the backup`)
}

/** @throws PortariaError also when interrupted */
export function verifyWithProgress(file: string, { isQuiet }: { isQuiet: boolean }): Promise<Verification> {
  const interrupted = `interrupted: ${file} was not checked completely`
  return runWithProgress('verify', file, { isQuiet, done: 'checked', interrupted })
}

function wordsFor(file: string, { problems, counts, isCurrent }: Verification): string {
  if (problems.length > 0) {
    const list = problems.map((problem) => `  - ${printable(problem)}\n`).join('')
    return `${file} is not sound:\n${list}Stop the gateway, keep the files as they are, and restore a backup; check the disk.\n`
  }
  const older = isCurrent
    ? ''
    : 'An older Portaria wrote it: its invariants can be checked once the gateway has migrated it.\n'
  const { events = 0, callbacks = 0, deliveries = 0 } = counts
  return `${file} is sound: ${events} events of ${callbacks} callbacks, ${deliveries} deliveries\n${older}`
}
