import { beforeAll, expect, onTestFinished } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openDatabase } from '../../../src/store/postgres/database/database.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { verifyDatabase } from '../../../src/store/postgres/verification/verify.ts'
import { verifyAuditChain } from '../../../src/store/postgres/verification/verify-chain.ts'
import { NOON } from '../../support/builders.ts'
import { describePostgres } from '../../support/with-postgres.ts'
import { optionsFor } from './on-sqlite.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** Runs contracts against PostgreSQL, on a server of this file. They are skipped where npm brings no PostgreSQL for the machine. */
export function runOnPostgres(contracts: readonly ((name: string, create: () => StoreUnderTest) => void)[]): void {
  describePostgres('on PostgreSQL', (server) => {
    /** A database with the schema and nothing else: a copy of it takes less time than the schema. */
    let empty: string
    beforeAll(async () => {
      empty = await server.createDatabase()
      await (await openPostgresStore({ ...postgresOptions(), url: empty, leaseMs: 0 })).close()
    })
    for (const describeContract of contracts)
      describeContract('PostgreSQL', () => {
        let url: Promise<string> | undefined
        async function open(): Promise<Store> {
          url ??= server.createDatabase(empty)
          const address = await url
          const store = await openPostgresStore({ ...postgresOptions(), url: address, leaseMs: 0 })
          let closing: Promise<void> | undefined
          const close = () => (closing ??= closeSound(store, address))
          onTestFinished(close)
          return { ...(await withLeases(store)), close }
        }
        return { open, reopen: open }
      })
  })
}

/** The same options as of SQLite's stores, without their file. */
export function postgresOptions() {
  const { file: _file, ...options } = optionsFor({ file: '' })
  return options
}

const MAKING = ['createDestination', 'registerDestination', 'syncDestinations', 'openChargeRoute'] as const

/** A contract knows no nodes: a store takes the leases of destinations at once, those of stores that were opened before included. */
async function withLeases(store: PostgresStore): Promise<PostgresStore> {
  const take = () => store.nodes.signOn({ name: 'contract', version: '0.0.0', facts: {}, configured: [] }, NOON, true)
  await take()
  const making = MAKING.map((method) => [
    method,
    async (...args: readonly unknown[]) => {
      const made = await (store[method] as (...given: readonly unknown[]) => Promise<unknown>)(...args)
      await take()
      return made
    },
  ])
  return { ...store, ...(Object.fromEntries(making) as Pick<PostgresStore, (typeof MAKING)[number]>) }
}

/** Until the dispatcher cancels the deliveries of a destination that was removed. */
const BEING_REMOVED = 'waiting delivery of a removed destination'

/** Whatever a contract has done to the store: at its end every invariant holds, and the chain of events is whole. */
async function closeSound(store: Pick<PostgresStore, 'close'>, url: string): Promise<void> {
  await store.close()
  const database = await openDatabase({ url })
  try {
    const { problems } = await verifyDatabase(database, () => undefined)
    expect(problems.filter((text) => !text.startsWith(BEING_REMOVED))).toEqual([])
    expect((await verifyAuditChain(database, [], () => undefined)).problems).toEqual([])
  } finally {
    await database.close()
  }
}
