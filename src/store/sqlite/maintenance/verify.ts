import { messageOf, PortariaError } from '../../../platform/errors.ts'
import type { Verification, VerifyStep } from '../../verification/verification.ts'
import { actionFaults } from '../actions/verify-actions.ts'
import { subjectFaults } from '../blocks/verify-subjects.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { readMigrations } from '../database/migration-files.ts'
import { isCurrentSchema, requireKnownSchema } from '../database/migrations.ts'
import { schemaDifferences } from '../database/schema-check.ts'
import { sealedFaults } from '../deduplication/verify-sealed.ts'
import { breachOf } from './invariants/invariant.ts'
import { INVARIANTS } from './invariants/invariants.ts'

/** The most damages that SQLite reports. */
const DAMAGES = 20

/**
 * Checks a database or a backup. Read-only, and safe beside a running gateway. Blocks its thread.
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export function verifyDatabase(
  file: string,
  show: (step: VerifyStep) => void,
  migrations = readMigrations(),
): Verification {
  const db = open(file)
  if (typeof db === 'string') return { problems: [db], counts: {}, isCurrent: true }
  try {
    show({ done: 0, of: STEPS, words: 'every page and index' })
    const problems = damagesOf(db, 'integrity_check')
    // Further queries of a damaged database fail, or give wrong answers.
    if (problems.length > 0) return { problems, counts: {}, isCurrent: true }
    requireKnownSchema(db, migrations)
    const differences = schemaDifferences(db, migrations)
    // Further queries may name columns that are not there.
    if (differences.length > 0) return { problems: differences.map(inSchema), counts: countsOf(db), isCurrent: true }
    if (!isCurrentSchema(db, migrations))
      return { problems: brokenReferences(db), counts: countsOf(db), isCurrent: false }
    return { problems: violationsOf(db, show), counts: countsOf(db), isCurrent: true }
  } finally {
    db.close()
  }
}

function inSchema(difference: string): string {
  return `its schema is not the one of its version: ${difference}`
}

/** Or the reason why SQLite cannot open it. */
function open(file: string): Connection | string {
  try {
    return openForReading(file)
  } catch (error) {
    if (error instanceof PortariaError) throw error
    return `SQLite cannot read it: ${messageOf(error)}`
  }
}

const STEPS = INVARIANTS.length + 5

/** Damages that SQLite finds. @param check the quick one does not compare indexes with their tables */
export function damagesOf(db: Connection, check: 'integrity_check' | 'quick_check'): string[] {
  try {
    const words = db.prepare<[], string>(`pragma ${check}(${DAMAGES})`).pluck().all()
    const damages = words.filter((text) => text !== 'ok')
    if (tablesOf(db).includes('events')) return damages
    return [...damages, 'this is no database of Portaria: it has no table of events']
  } catch (error) {
    return [`SQLite cannot read it: ${messageOf(error)}`]
  }
}

function violationsOf(db: Connection, show: (step: VerifyStep) => void): string[] {
  show({ done: 1, of: STEPS, words: 'references' })
  const problems = brokenReferences(db)
  for (const [index, invariant] of INVARIANTS.entries()) {
    show({ done: index + 2, of: STEPS, words: `rule ${index + 1} of ${INVARIANTS.length}: no ${invariant.violation}` })
    const breach = breachOf(db, invariant)
    if (breach !== null) problems.push(breach)
  }
  show({ done: STEPS - 3, of: STEPS, words: 'the index of subjects' })
  problems.push(...subjectFaults(db))
  show({ done: STEPS - 2, of: STEPS, words: 'sealed blocks of the deduplication' })
  problems.push(...sealedFaults(db))
  show({ done: STEPS - 1, of: STEPS, words: 'the log of actions' })
  return [...problems, ...actionFaults(db)]
}

interface BrokenReference {
  readonly table: string
  readonly rowid: number | null
  readonly parent: string
}

function brokenReferences(db: Connection): string[] {
  const rows = db.pragma('foreign_key_check') as BrokenReference[]
  const named = rows
    .slice(0, DAMAGES)
    .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a row of ${parent} that is not there`)
  return rows.length > DAMAGES ? [...named, `and ${rows.length - DAMAGES} more such rows`] : named
}

/** Rows per table. */
export function countsOf(db: Connection): Record<string, number> {
  const counts = tablesOf(db).map((table) => {
    const count = db.prepare<[], number>(`select count(*) from ${table}`).pluck().get()
    return [table, count ?? 0] as const
  })
  return Object.fromEntries(counts)
}

/** In the order of their creation. */
function tablesOf(db: Connection): string[] {
  return db
    .prepare<[], string>(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .pluck()
    .all()
}
