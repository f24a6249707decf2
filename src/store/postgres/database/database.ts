import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { type Sql, sqlOn } from './sql.ts'

/** The connections of one store. */
export interface Database {
  /** All in one transaction, on the connection of the writer. @param isSynced false: a crash of the server may undo it */
  write<T>(perform: (sql: Sql) => Promise<T>, isSynced: boolean): Promise<T>
  /** All queries see one committed state. @throws PortariaError `store_unavailable` */
  read<T>(perform: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const READERS = 4

/** @throws PortariaError `store_unavailable` */
export async function openDatabase(url: string): Promise<Database> {
  const connection = { connectionString: url, options: '-c TimeZone=UTC' }
  const writer = new pg.Client({ ...connection, application_name: 'portaria writer' })
  const readers = new pg.Pool({ ...connection, application_name: 'portaria reader', max: READERS })
  // The next query fails with it.
  writer.on('error', () => undefined)
  readers.on('error', () => undefined)
  const sql = sqlOn(writer)
  try {
    await writer.connect()
    await createSchema(writer)
  } catch (error) {
    await Promise.allSettled([writer.end(), readers.end()])
    throw unavailable(error)
  }

  async function write<T>(perform: (sql: Sql) => Promise<T>, isSynced: boolean): Promise<T> {
    await writer.query(isSynced ? 'begin' : 'begin; set local synchronous_commit = off')
    try {
      const result = await perform(sql)
      await writer.query('commit')
      return result
    } catch (error) {
      await writer.query('rollback').catch(() => undefined)
      throw error
    }
  }

  return {
    write,
    async read(perform) {
      const client = await readers.connect().catch((error: unknown) => Promise.reject(unavailable(error)))
      try {
        await client.query('begin isolation level repeatable read read only')
        const result = await perform(sqlOn(client))
        await client.query('commit')
        client.release()
        return result
      } catch (error) {
        // A new connection is cheaper than to find out what state this one is in.
        client.release(true)
        throw error instanceof PortariaError ? error : unavailable(error)
      }
    },
    async close() {
      await Promise.all([writer.end(), readers.end()])
    },
  }
}

export function unavailable(cause: unknown): PortariaError {
  return new PortariaError('store_unavailable', `the database refused: ${messageOf(cause)}`, { cause })
}

/** Any number. Held while the schema is created. */
const SCHEMA_LOCK = 7_220_331

async function createSchema(client: pg.Client): Promise<void> {
  await client.query(`begin; select pg_advisory_xact_lock(${SCHEMA_LOCK})`)
  const { rows } = await client.query("select to_regclass('head') is not null as is_there")
  if (!rows[0].is_there) await client.query(readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8'))
  await client.query('commit')
}
