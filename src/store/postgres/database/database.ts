import type pg from 'pg'
import { PortariaError } from '../../../platform/errors.ts'
import type { PostgresAddress } from '../../../platform/postgres/postgres-address.ts'
import { applicationName, becomeWriter } from './application-name.ts'
import { connect, endClient } from './connecting.ts'
import { createReaders, type Readers } from './readers.ts'
import { createSameDatabase } from './same-database.ts'
import { MIGRATIONS, migrate, requireWhole } from './schema.ts'
import { listUnsafeSettings, refuseServer } from './server-check.ts'
import { createWriterConnection, type WriterConnection } from './writer-connection.ts'

export interface DatabaseOptions extends PostgresAddress {
  /** Of this node; default: that of the machine. The connections have it. */
  readonly node?: string
  /** Settings of the server with which acknowledged callbacks can be lost are refused. */
  readonly isProduction?: boolean
  /** Told at each connection that has such settings, each in words. */
  readonly onUnsafe?: (settings: readonly string[]) => void
}

/** The connections of one store. */
export interface Database extends Omit<WriterConnection, 'end'> {
  readonly read: Readers['read']
  /** A connection of its own, whose owner ends it. */
  connectListener(): Promise<pg.Client>
  /** After a failure: connects again, to a server whose schema is checked. @throws PortariaError `store_unavailable`, `store_newer`, `store_missing` */
  reopen(): Promise<void>
  close(): Promise<void>
}

/** What the storing of callbacks may take: callers get an answer within 5 s. */
export const STORING_MS = 4000
/** What the checks behind a new connection may take. */
const REOPEN_MS = 4000

/**
 * @param onFailed the connection that writes has failed; called once for each
 * @throws PortariaError `store_unavailable`, `store_newer`, `configuration_invalid`
 */
export async function openDatabase(
  options: DatabaseOptions,
  onFailed: (error: PortariaError) => void = () => undefined,
): Promise<Database> {
  let isClosed = false
  const same = createSameDatabase()
  let writer = await connectWriter(null)
  const readers = createReaders(options, applicationName(options.node, 'reader'))

  async function begin(client: pg.Client): Promise<void> {
    await refuseServer(client, true)
    await judgeSettings(client, options)
    await same.requireThere(client)
    await migrate(client, MIGRATIONS, () => becomeWriter(client, options.node))
    await requireWhole(client)
  }

  async function connectWriter(limitMs: number | null): Promise<WriterConnection> {
    const client = await connect(options, { applicationName: applicationName(options.node, 'start'), limitMs, begin })
    let isOpen = false
    const connection = createWriterConnection(client, same, (error) => isOpen && onFailed(error))
    try {
      // Another node may hold the head, and a synchronous standby may be missing.
      await connection.write(() => Promise.resolve({ value: null, last: null }), {
        isSynced: true,
        limitMs: STORING_MS,
      })
    } catch (error) {
      void endClient(client)
      throw error
    }
    isOpen = true
    return connection
  }

  return {
    write: (perform, how) => writer.write(perform, how),
    hurry: (limitMs) => writer.hurry(limitMs),
    failure: () => writer.failure(),
    read: readers.read,
    connectListener() {
      const begin = (client: pg.Client) => refuseServer(client, true)
      return connect(options, {
        applicationName: applicationName(options.node, 'listener'),
        limitMs: STORING_MS,
        begin,
      })
    },
    async reopen() {
      const next = await connectWriter(REOPEN_MS)
      if (isClosed) await next.end()
      else writer = next
    },
    async close() {
      isClosed = true
      await Promise.all([writer.end(), readers.end()])
    },
  }
}

async function judgeSettings(client: pg.Client, { isProduction = false, onUnsafe }: DatabaseOptions): Promise<void> {
  const settings = await listUnsafeSettings(client)
  if (settings.length === 0) return
  if (isProduction)
    throw new PortariaError('store_unavailable', `${settings.join('; ')}: give PostgreSQL its defaults again`)
  onUnsafe?.(settings)
}
