import { hostname } from 'node:os'
import pg from 'pg'
import type { PortariaError } from '../../../platform/errors.ts'
import type { PostgresAddress } from '../../../platform/postgres/postgres-address.ts'
import { connectionOptions } from './connection-options.ts'
import { unavailable } from './failures.ts'
import { createReaders, type Readers } from './readers.ts'
import { openSchema } from './schema.ts'
import { createWriterConnection, endClient, type WriterConnection } from './writer-connection.ts'

export interface DatabaseOptions extends PostgresAddress {
  /** Of this node; default: that of the machine. The connections have it. */
  readonly node?: string
}

/** The connections of one store. */
export interface Database extends Omit<WriterConnection, 'end'> {
  readonly read: Readers['read']
  /** After a failure: connects again, to a server whose schema is checked. @throws PortariaError `store_unavailable`, `store_newer` */
  reopen(): Promise<void>
  close(): Promise<void>
}

/** What the storing of callbacks may take: callers get an answer within 5 s. */
export const STORING_MS = 4000

/**
 * @param onFailed the connection that writes has failed; called once for each
 * @throws PortariaError `store_unavailable`, `store_newer`, `configuration_invalid`
 */
export async function openDatabase(
  options: DatabaseOptions,
  onFailed: (error: PortariaError) => void = () => undefined,
): Promise<Database> {
  const name = (use: string) => `portaria ${options.node ?? hostname()} ${use}`
  let writer = await connectWriter()
  const readers = createReaders(options, name('reader'))

  async function connectWriter(): Promise<WriterConnection> {
    const client = new pg.Client(connectionOptions(options, name('writer')))
    let isOpen = false
    const connection = createWriterConnection(client, (error) => isOpen && onFailed(error))
    try {
      await client.connect()
      await openSchema(client)
      // Another node may hold the head, and a synchronous standby may be missing.
      await connection.write(() => Promise.resolve(), { isSynced: true, limitMs: STORING_MS })
      isOpen = true
      return connection
    } catch (error) {
      void endClient(client)
      throw unavailable(error)
    }
  }

  return {
    write: (perform, how) => writer.write(perform, how),
    hurry: (limitMs) => writer.hurry(limitMs),
    failure: () => writer.failure(),
    read: readers.read,
    async reopen() {
      writer = await connectWriter()
    },
    async close() {
      await Promise.all([writer.end(), readers.end()])
    },
  }
}
