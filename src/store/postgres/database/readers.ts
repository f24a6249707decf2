import pg from 'pg'
import { PortariaError } from '../../../platform/errors.ts'
import type { PostgresAddress } from '../../../platform/postgres/postgres-address.ts'
import { GOODBYE_MS } from './connecting.ts'
import { beginWith, CONNECT_MS, connectionOptions } from './connection-options.ts'
import { unavailable } from './failures.ts'
import { openingFailure } from './opening-failures.ts'
import { type Sql, sqlOn } from './sql.ts'

/** Connections that only read. When the server is back after a failure, they are, too. */
export interface Readers {
  /** All queries see one committed state. @throws PortariaError `store_unavailable` */
  read<T>(perform: (sql: Sql) => Promise<T>): Promise<T>
  end(): Promise<void>
}

const READERS = 4
/** For one of them to become free. */
const WAIT_MS = 10_000
/** From the first query to the last. */
const READ_MS = 30_000
/** Finds out that the server of an idle connection is gone without a word. */
const BEGIN_MS = 4000
const MODE = 'isolation level repeatable read read only'

/** The pool's own limit is that for waiting. It hides the password from a copy. */
class Reader extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super({ ...options, password: options?.password, connectionTimeoutMillis: CONNECT_MS })
  }
}

/** @param readMs what a read may take */
export function createReaders(address: PostgresAddress, applicationName: string, readMs = READ_MS): Readers {
  const options = connectionOptions(address, applicationName)
  const pool = new pg.Pool({ ...options, Client: Reader, max: READERS, connectionTimeoutMillis: WAIT_MS })
  // The next query fails with it.
  pool.on('error', () => undefined)
  const clients = new Set<pg.Client>()
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    clients.add(client as pg.Client)
  })
  pool.on('remove', (client) => clients.delete(client as pg.Client))
  const begin = beginWith(
    MODE,
    ['statement_timeout', 'idle_in_transaction_session_timeout'].map((name) => `${name} = ${readMs}`),
  )

  async function connected(): Promise<pg.PoolClient> {
    try {
      return await pool.connect()
    } catch (error) {
      const isBusy = clients.size === READERS
      throw isBusy
        ? new PortariaError('store_unavailable', 'all connections that read are busy')
        : openingFailure(error, address)
    }
  }

  async function read<T>(perform: (sql: Sql) => Promise<T>): Promise<T> {
    const client = await connected()
    let expired: PortariaError | null = null
    function limit(limitMs: number): NodeJS.Timeout {
      return setTimeout(() => {
        expired = new PortariaError('store_unavailable', `PostgreSQL gave no answer within ${limitMs / 1000} s`)
        client.release(true)
      }, limitMs)
    }
    let timer = limit(BEGIN_MS)
    try {
      await client.query(begin)
      clearTimeout(timer)
      timer = limit(readMs)
      const result = await perform(sqlOn(client))
      await client.query('commit')
      if (expired === null) client.release()
      return result
    } catch (error) {
      // A new connection is cheaper than to find out what state this one is in.
      if (expired === null) client.release(true)
      throw expired ?? error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    read: (perform) => read(perform).catch((error: unknown) => Promise.reject(unavailable(error))),
    async end() {
      const giveUp = setTimeout(() => {
        for (const client of clients) client.connection.stream.destroy()
      }, GOODBYE_MS)
      await pool.end()
      clearTimeout(giveUp)
    },
  }
}
