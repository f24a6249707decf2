import { PortariaError } from '../../../platform/errors.ts'
import type { Connection } from './connection.ts'
import { markOwn } from './database-file.ts'
import { applyMigration, type Migration, readMigrations } from './migration-files.ts'
import { refuseOtherSchema, schemaVersion } from './schema-check.ts'

/**
 * Applies the missing migrations: numbered, forward only, one transaction each; of a new database all of them in one.
 * @throws PortariaError `store_newer` for a database that a newer Portaria wrote, `store_unavailable` for one with another schema than its version has
 */
export function migrate(db: Connection): void {
  refuseNewer(db)
  refuseOtherSchema(db)
  markOwn(db)
  const version = schemaVersion(db)
  const missing = readMigrations().filter((migration) => migration.version > version)
  const steps = version === 0 ? [missing] : missing.map((migration) => [migration])
  const apply = db.transaction((step: readonly Migration[]) => {
    for (const migration of step) {
      applyMigration(db, migration)
      db.pragma(`user_version = ${migration.version}`)
    }
  })
  for (const step of steps) apply.exclusive(step)
}

/** The reader never changes the schema. @throws PortariaError `store_newer`, `store_missing`; `store_unavailable` as `migrate` */
export function requireCurrentSchema(db: Connection): void {
  refuseNewer(db)
  refuseOtherSchema(db)
  if (isCurrentSchema(db)) return
  throw new PortariaError(
    'store_missing',
    `the database ${db.name} has schema ${schemaVersion(db)}, this Portaria needs ${newestVersion()}: start the gateway once, it migrates the database`,
  )
}

/** false: an older Portaria wrote the database, and no current gateway has been started with it. */
export function isCurrentSchema(db: Connection): boolean {
  return schemaVersion(db) >= newestVersion()
}

const NEWER_ADVICE = 'run the newer Portaria that wrote it, or restore a backup from before the upgrade'

/** @throws PortariaError `store_newer` */
export function refuseNewer(db: Connection): void {
  const newest = newestVersion()
  if (schemaVersion(db) > newest) {
    throw new PortariaError(
      'store_newer',
      `the database ${db.name} has schema ${schemaVersion(db)}, but this Portaria knows only up to ${newest}: ${NEWER_ADVICE}`,
    )
  }
}

function newestVersion(): number {
  return readMigrations().at(-1)?.version ?? 0
}
