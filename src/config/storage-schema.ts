import { resolve } from 'node:path'
import { z } from 'zod'
import { shortestWindowMs } from '../domain/retention.ts'
import {
  type DatabaseAddress,
  POSTGRES_FORM,
  readPostgresUrl,
  type SqliteAddress,
} from '../platform/postgres/postgres-address.ts'
import type { Reading } from '../platform/units.ts'
import { duration, field, integer, minFreeSpace, size } from './fields.ts'
import type { Named } from './named.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'

/** The section `storage`. */
export function storageSchema(directory: string, files: FileFields) {
  const window = duration({ min: '1m', max: '36500d' })
  const ofKind = z.strictObject({ payload: window.optional(), metadata: window.optional() })
  return z
    .strictObject({
      url: field(URL_FORM, (value) => readStorageUrl(String(value), directory)),
      passwordFile: files.password.optional(),
      // Their content is read again at each connection.
      authorities: files.authorities.transform(({ file }) => file).optional(),
      queue: z
        .strictObject({
          events: integer(1, 1_000_000).prefault(10_000),
          bytes: size({ min: '1KiB', max: '4GiB' }).prefault('64MiB'),
        })
        .prefault({}),
      /** At most the shortest retention window. */
      deduplicationWindow: duration({ min: '1m', max: '3650d' }).optional(),
      retention: z
        .strictObject({
          payload: window.prefault('90d'),
          metadata: window.prefault('400d'),
          kinds: z.record(z.string(), ofKind).prefault({}),
        })
        .prefault({}),
      /** On the file system of an SQLite database. */
      minFreeSpace: minFreeSpace.prefault('2%'),
    })
    .superRefine(...reportOn(checkStorageUrl))
}

const DEDUPLICATION_WINDOW_MS = 40 * 86_400_000

export function toStorage(section: Named<z.output<ReturnType<typeof storageSchema>>>) {
  const { url, passwordFile, authorities, ...storage } = section
  const { kinds, ...retention } = storage.retention
  const windows = Object.entries(kinds).map(([kind, { payloadMs, metadataMs }]) => {
    const window = { payloadMs: payloadMs ?? retention.payloadMs, metadataMs: metadataMs ?? retention.metadataMs }
    return [kind, window] as const
  })
  const whole = { ...retention, kinds: Object.fromEntries(windows) }
  const database: DatabaseAddress = 'file' in url ? url : { url: url.url, passwordFile, authorities }
  // A repetition of a removed callback is not recognized, so the default is no longer than retention.
  const longest = Math.min(DEDUPLICATION_WINDOW_MS, shortestWindowMs(whole))
  return {
    ...storage,
    database,
    retention: whole,
    deduplicationWindowMs: storage.deduplicationWindowMs ?? longest,
  }
}

const SQLITE_FORM = 'sqlite: and the path of the database file, such as sqlite:../data/portaria.db'

const URL_FORM = `${SQLITE_FORM}; or ${POSTGRES_FORM}`

/** @param directory that of a relative path */
export function readStorageUrl(url: string, directory: string): Reading<SqliteAddress | { readonly url: string }> {
  if (/^postgres(ql)?:/i.test(url)) {
    const place = readPostgresUrl(url)
    return 'problem' in place ? place : { value: { url } }
  }
  const path = /^sqlite:(?!\/\/)([^\0]*[^/\0])$/.exec(url)?.[1]
  if (path === undefined || path === ':memory:') return { problem: `must be ${URL_FORM}` }
  return { value: { file: resolve(directory, path) } }
}

function checkStorageUrl(value: unknown, report: ReportProblem): void {
  const url = at(value, 'url')
  if (typeof url !== 'object') return
  for (const key of ['passwordFile', 'authorities'])
    if (at(value, key) !== undefined && at(url, 'file') !== undefined)
      report([key], 'is for PostgreSQL, and storage.url names an SQLite file: remove it')
}
