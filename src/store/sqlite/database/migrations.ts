import { PortariaError } from '../../../platform/errors.ts'
import type { Connection } from './connection.ts'
import { markOwn } from './database-file.ts'
import { applyMigration, createSchema, type Migration, newestVersion, readMigrations } from './migration-files.ts'
import { refuseOtherSchema, schemaVersion } from './schema-check.ts'

/**
 * Applies the missing migrations: numbered, forward only, one transaction each. A new database gets the newest schema at once.
 * @throws PortariaError `store_newer` for a database that a newer Portaria wrote, `store_unavailable` for one with another schema than its version has
 */
export function migrate(db: Connection): void {
  refuseNewer(db)
  refuseOtherSchema(db)
  markOwn(db)
  const version = schemaVersion(db)
  if (version === 0) return create(db)
  const apply = db.transaction((migration: Migration) => {
    applyMigration(db, migration)
    markVersion(db, migration.version)
  })
  for (const migration of readMigrations()) if (migration.version > version) apply.exclusive(migration)
}

function create(db: Connection): void {
  const createAll = db.transaction(() => {
    createSchema(db)
    markVersion(db, newestVersion())
  })
  createAll.exclusive()
}

function markVersion(db: Connection, version: number): void {
  db.pragma(`user_version = ${version}`)
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
