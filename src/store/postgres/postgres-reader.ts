import type { StoreReader } from '../../domain/store-reader.ts'
import type { PostgresAddress } from '../../platform/postgres/postgres-address.ts'
import { applicationName } from './database/application-name.ts'
import { connect, endClient } from './database/connecting.ts'
import { createReaders, type Readers } from './database/readers.ts'
import { requireSchema, requireWhole } from './database/schema.ts'
import { refuseServer } from './database/server-check.ts'
import { type PostgresReads, READS } from './writing/reads.ts'

const BEGIN_MS = 10_000

/**
 * For commands: reads beside running gateways, also from a standby, and never changes the schema.
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`, `configuration_invalid`
 */
export async function readPostgres(address: PostgresAddress): Promise<StoreReader> {
  await ask(address, async (client) => {
    await requireSchema(client)
    await requireWhole(client)
  })
  const readers = createReaders(address, applicationName(undefined, 'command'))
  return { ...readMethods(readers.read), close: readers.end }
}

/** Asks on a connection of its own, also a standby. @throws PortariaError `store_unavailable`, `configuration_invalid` */
export async function ask<T>(address: PostgresAddress, question: (client: Client) => Promise<T>): Promise<T> {
  let answer: T | undefined
  const client = await connect(address, {
    applicationName: applicationName(undefined, 'command'),
    limitMs: BEGIN_MS,
    async begin(connected) {
      await refuseServer(connected, false)
      answer = await question(connected)
    },
  })
  await endClient(client)
  return answer as T
}

type Client = Parameters<typeof requireSchema>[0]

export function readMethods(read: Readers['read']): PostgresReads {
  const methods = Object.entries(READS).map(([name, perform]) => [
    name,
    (...args: readonly unknown[]) => read((sql) => perform(sql, ...(args as never))),
  ])
  return Object.fromEntries(methods) as PostgresReads
}
