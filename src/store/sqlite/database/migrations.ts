import { PortariaError } from '../../../platform/errors.ts'
import type { Connection } from './connection.ts'
import { markOwn, requireOwn } from './database-file.ts'
import { type Migration, newestVersion, readMigrations } from './migration-files.ts'
import { refuseOtherSchema, schemaVersion } from './schema-check.ts'

/**
 * Applies the missing migrations: numbered, forward only, one transaction each.
 * @param before called once before the first of them
 * @throws PortariaError `store_newer` for a database that a newer Portaria wrote, `store_unavailable` for one with another schema than its version has
 */
export function migrate(db: Connection, before = () => {}, migrations = readMigrations()): void {
  requireKnownSchema(db, migrations)
  refuseOtherSchema(db, migrations)
  markOwn(db)
  const version = schemaVersion(db)
  const missing = migrations.filter((migration) => migration.version > version)
  if (missing.length > 0) before()
  const apply = db.transaction((migration: Migration) => {
    db.exec(migration.sql)
    db.pragma(`user_version = ${migration.version}`)
  })
  for (const migration of missing) apply.exclusive(migration)
}

/** The reader never changes the schema. @throws PortariaError `store_newer`, `store_missing`; `store_unavailable` as `migrate` */
export function requireCurrentSchema(db: Connection): void {
  requireKnownSchema(db)
  refuseOtherSchema(db)
  if (isCurrentSchema(db)) return
  throw new PortariaError(
    'store_missing',
    `the database ${db.name} has schema ${schemaVersion(db)}, this Portaria needs ${newestVersion()}: start the gateway once, it migrates the database`,
  )
}

/** false: an older Portaria wrote the database, and no current gateway has been started with it. */
export function isCurrentSchema(db: Connection, migrations = readMigrations()): boolean {
  return schemaVersion(db) >= newestVersion(migrations)
}

const NEWER_ADVICE = 'run the newer Portaria that wrote it, or restore a backup from before the upgrade'

/** @throws PortariaError `store_newer`; `store_unavailable` for a database of another program, or of a development version */
export function requireKnownSchema(db: Connection, migrations = readMigrations()): void {
  requireOwn(db)
  const newest = newestVersion(migrations)
  if (schemaVersion(db) > newest) {
    throw new PortariaError(
      'store_newer',
      `the database ${db.name} has schema ${schemaVersion(db)}, but this Portaria knows only up to ${newest}: ${NEWER_ADVICE}`,
    )
  }
}
