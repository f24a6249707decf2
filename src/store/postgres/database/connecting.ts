import pg from 'pg'
import type { PostgresAddress } from '../../../platform/postgres/postgres-address.ts'
import { connectionOptions, WITHOUT_LIMITS } from './connection-options.ts'
import { openingFailure } from './opening-failures.ts'

interface Connecting {
  readonly applicationName: string
  /** Of what `begin` may take; null: it migrates. */
  readonly limitMs: number | null
  /** What has to succeed before the connection is of use. */
  begin(client: pg.Client): Promise<void>
}

/** @throws PortariaError `configuration_invalid`, `store_unavailable`, and what `begin` throws */
export async function connect(address: PostgresAddress, { applicationName, limitMs, begin }: Connecting) {
  const client = new pg.Client({ ...connectionOptions(address, applicationName), pipeline: true })
  // The next query fails with it.
  client.on('error', () => undefined)
  let hasExpired = false
  const expire = () => {
    hasExpired = true
    void endClient(client)
  }
  let timer: NodeJS.Timeout | undefined
  try {
    await client.connect()
    if (limitMs !== null) timer = setTimeout(expire, limitMs)
    await client.query(WITHOUT_LIMITS)
    await begin(client)
    return client
  } catch (error) {
    void endClient(client)
    throw openingFailure(hasExpired ? new Error('it does not answer') : error, address)
  } finally {
    clearTimeout(timer)
  }
}

/** A server that does not answer a goodbye is not waited for. */
export const GOODBYE_MS = 1000

export async function endClient(client: pg.Client): Promise<void> {
  const giveUp = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS)
  await client.end()
  clearTimeout(giveUp)
}
