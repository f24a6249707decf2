import { Command } from 'commander'
import { PortariaError } from '../../platform/errors.ts'
import { nameOfDatabase, type PostgresAddress } from '../../platform/postgres/postgres-address.ts'
import { say } from '../../platform/said.ts'
import { verifyPostgresDatabase } from '../../store/open-store.ts'
import { checkForReading, lostSince } from '../../store/sqlite/database/check-for-reading.ts'
import type { LastKnown } from '../../store/sqlite/database/last-known.ts'
import type { SearchVerification } from '../../store/sqlite/maintenance/verify-search.ts'
import type { AuditVerification, WrittenPoint } from '../../store/verification/audit-verification.ts'
import type { Verification } from '../../store/verification/verification.ts'
import { readConfig } from '../config-file.ts'
import { runWithProgress } from '../database-job.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, EXIT, printable, printLine, printText } from '../output.ts'
import { progressUnless } from '../progress.ts'
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
      'Check the database: the integrity checks of SQLite and its search index, and every invariant of the data',
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
  const { database } = named === undefined ? readConfig(options).storage : { database: { file: named } }
  if ('file' in database) await verifyFile(database.file, named !== undefined, options)
  else await verifyOnServer(database, options)
}

/** @param isNamed it is not that of the configuration */
async function verifyFile(file: string, isNamed: boolean, options: VerifyOptions): Promise<void> {
  // Before the database is read: the note of a running gateway follows its commits.
  const known = isNamed ? null : checkForReading(file)
  if (isNamed) checkThere(file)
  const { chain: isChainAsked = options.expect !== undefined, expect = [], json: isQuiet = false } = options
  const verification = await verifyAll(file, { known, isQuiet })
  // The audit chain of a damaged database cannot be read completely.
  const isReadable = Object.keys(verification.counts).length > 0
  const chain = isChainAsked && isReadable ? await verifyChainWithProgress(file, expect, { isQuiet }) : null
  const isSearchable = isReadable && verification.isCurrent && verification.problems.length === 0
  const search = isSearchable ? await verifySearchWithProgress(file, { isQuiet }) : null
  // Ends with the point to write down.
  const words = [wordsFor(file, verification), search && searchWords(search, isNamed), chain && chainWords(chain)]
  await report({ name: file, verification, chain, isChainAsked, search }, words, options)
}

const PAGES_OF_SERVER =
  'Its pages and indexes are checked by PostgreSQL: data checksums, and pg_amcheck. Its search index is an index of PostgreSQL.\n'

async function verifyOnServer(database: PostgresAddress, options: VerifyOptions): Promise<void> {
  const { chain: isChainAsked = options.expect !== undefined, expect = [], json: isQuiet = false } = options
  const name = nameOfDatabase(database)
  const show = progressUnless(isQuiet)
  const found = await verifyPostgresDatabase(database, isChainAsked ? expect : null, ({ done, of, words }) =>
    show({ share: done / of, words, isEnded: false }),
  )
  show({ share: 1, words: 'checked', isEnded: true })
  const { verification, chain } = found
  const words = [wordsFor(name, verification), PAGES_OF_SERVER, chain && chainWords(chain)]
  await report({ name, verification, chain, isChainAsked, search: null }, words, options)
}

interface Found {
  /** Of the database. */
  readonly name: string
  readonly verification: Verification
  readonly chain: AuditVerification | null
  readonly isChainAsked: boolean
  readonly search: SearchVerification | null
}

async function report(found: Found, words: readonly (string | null)[], { json }: VerifyOptions): Promise<void> {
  const { name: file, verification, chain, isChainAsked, search } = found
  const isSound = [verification, chain, search].every((part) => part === null || part.problems.length === 0)
  const isProved = chain === null || chain.incomparable.length === 0
  if (json === true) await printLine({ file, isSound, ...verification, ...(isChainAsked && { chain }), search })
  else await printText(words.filter((text) => text !== null).join(''))
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
  if (!isFileAt(file)) throw new PortariaError('not_found', say`there is no ${{ file }}: check the name of the backup`)
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
